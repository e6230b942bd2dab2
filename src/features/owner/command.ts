import { basename } from 'node:path';
import {
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  InteractionContextType,
} from 'discord-api-types/v10';
import type { Command, Request } from '../../../commands/shared.ts';
import { type Card, noticeCard } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import { type OperatorRight, requireOperator } from '../../discord/permissions.ts';
import { StoreError, UserError } from '../../shared/errors.ts';
import { ownerCard } from './card.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

interface Job {
  right: OperatorRight;
  run(request: Request): Promise<Card>;
}

const JOBS = {
  status: { right: 'read', run: status },
  pause: { right: 'act', run: pause },
  resume: { right: 'act', run: resume },
  backup: { right: 'act', run: backup },
} as const satisfies Record<string, Job>;

type JobName = keyof typeof JOBS;
const JOB_NAMES = Object.keys(JOBS) as JobName[];

/**
 * For the application's owner or team alone, which Discord is asked about at each use. In servers, Discord shows it to
 * administrators only, unless a server decides otherwise; in direct messages to everybody.
 */
export const owner: Command = {
  data: {
    name: 'owner',
    ...described('command.owner'),
    // No permission is enough: only administrators have all of them.
    default_member_permissions: '0',
    integration_types: [ApplicationIntegrationType.GuildInstall],
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    options: JOB_NAMES.map((name) => ({
      type: ApplicationCommandOptionType.Subcommand,
      name,
      ...described(`command.owner.${name}`),
    })),
  },
  answer: 'private',
  async execute(request) {
    const name = JOB_NAMES.find((candidate) => candidate === request.options.getSubcommand());
    if (!name) throw new UserError(message('failure.unknownCommand'));
    await requireOperator(request, JOBS[name].right);
    return JOBS[name].run(request);
  },
};

async function status({ client, services, cardContext, translator }: Request): Promise<Card> {
  const { deliverer, subscriptions, statusLines, backups, about } = services;
  const { ended, pending, pausedSinceMs } = deliverer.status();
  const all = subscriptions.all();
  const paused = all.filter(({ pausedBy }) => pausedBy !== null).length;
  const problem = all.filter((one) => one.pausedBy === null && one.problem !== null).length;
  return ownerCard(
    {
      pausedSinceMs,
      servers: client.guilds.cache.size,
      subscriptions: { active: all.length - paused - problem, paused, problem },
      pending,
      postedToday: ended.postedToday,
      more: statusLines.flatMap((one) => one.ofBot?.(translator) ?? []),
      backedUpAtMs: await backups.newestMs(),
      memoryMb: Math.round(process.memoryUsage().rss / 1_000_000),
      ...about,
    },
    cardContext,
  );
}

/** Everything that the deliverer does waits from now on, after the step that is under way. */
async function pause({ services, t }: Request): Promise<Card> {
  await services.postingPause.begin(services.clock.now());
  return noticeCard(`⏸ ${t('owner.paused')}`);
}

async function resume({ services, t }: Request): Promise<Card> {
  const { postingPause, deliverer } = services;
  if (postingPause.sinceMs() === null) return noticeCard(t('owner.notPaused'));
  const { pending } = deliverer.status();
  await postingPause.end();
  deliverer.kick();
  return noticeCard(`▶ ${t('owner.resumed', { count: pending })}`);
}

async function backup({ services, t }: Request): Promise<Card> {
  try {
    return noticeCard(`✅ ${t('owner.backedUp', { file: inlineCode(basename(await services.backups.make())) })}`);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new UserError(message('owner.notBackedUp', { why: escapeLine(error.message) }), { cause: error });
  }
}
