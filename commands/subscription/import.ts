import { randomUUID } from 'node:crypto';
import type { Attachment, Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import { readAttachment } from '../../src/bot/discord/attachments.ts';
import { importCard, refusedImportCard } from '../../src/bot/discord/cards/import-card.ts';
import { noticeCard } from '../../src/bot/discord/cards/notice-card.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import { sourceTitle } from '../../src/bot/discord/i18n/describe-source.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { escapeLine, inlineCode } from '../../src/bot/discord/markdown.ts';
import {
  knownTarget,
  requireManager,
  requirePostable,
  requireRole,
  requireTarget,
} from '../../src/bot/discord/permissions.ts';
import { readFile } from '../../src/bot/subscription-files/document.ts';
import { forecast } from '../../src/bot/subscription-files/forecast.ts';
import { changesOf, channelsOf, isEmpty, type Plan, planOf } from '../../src/bot/subscription-files/plan.ts';
import type { FileProblem, WantedServer } from '../../src/bot/subscription-files/schema.ts';
import { type LocalizedText, UserError } from '../../src/shared/errors.ts';
import type { Command, CommandServices } from '../shared.ts';
import type { Subcommand } from './subcommand.ts';

/** A thousand subscriptions need less. */
const MOST_KILOBYTES = 512;

/** Reads a file that a person sends, and shows what it would change in this server. Nothing is changed yet. */
export const importing: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'import',
    ...described('command.subscription.import'),
    options: [
      {
        type: ApplicationCommandOptionType.Attachment,
        name: 'file',
        ...described('command.subscription.import.file'),
        required: true,
      },
    ],
  },
  async execute(interaction, guildId, shared, translator, context) {
    const attachment = interaction.options.getAttachment('file', true);
    // Reading the file may take seconds; a person can't ask for that without end.
    context.spend();
    const text = await textOf(attachment, interaction);
    const prepared = { version: 1, id: randomUUID(), text, preparedAtMs: shared.clock.now() } as const;
    const wanted = wantedIn(text, interaction, guildId, shared);
    if (!wanted.ok) return refusal(wanted.problems, shared, translator);
    const plan = planFor(wanted.servers, guildId, interaction, shared);
    const problems = await problemsOf(plan, interaction, translator);
    if (problems.length > 0) return refusedImportCard(problems, contextOf(shared, translator));
    if (isEmpty(plan)) return nothingToDo(plan, translator);
    await shared.imports.save(guildId, prepared);
    return shownPlan(plan, { importId: prepared.id, guildId, isAnew: false }, shared, translator);
  },
};

/** Each click checks the person, the file and the channels anew, and applies no other plan than the one shown. */
export const importActions = {
  import: {
    answer: 'update',
    async run({ step, importId, digest }, interaction, shared, translator) {
      const { guildId } = requireManager(interaction);
      const prepared = await shared.imports.find(guildId, importId);
      if (!prepared) throw new UserError(message('import.expired'));
      if (step === 'cancel') {
        await shared.imports.remove(guildId);
        return noticeCard(translator.t('import.cancelled'));
      }
      const wanted = wantedIn(prepared.text, interaction, guildId, shared);
      if (!wanted.ok) return refusal(wanted.problems, shared, translator);
      const plan = planFor(wanted.servers, guildId, interaction, shared);
      const problems = await problemsOf(plan, interaction, translator);
      if (problems.length > 0) return refusedImportCard(problems, contextOf(shared, translator));
      const applied = await apply(wanted.servers, digest, guildId, interaction, shared);
      if (applied) {
        await shared.imports.remove(guildId);
        return done(applied, shared, translator);
      }
      const anew = planFor(wanted.servers, guildId, interaction, shared);
      if (isEmpty(anew)) return nothingToDo(anew, translator);
      return shownPlan(anew, { importId, guildId, isAnew: true }, shared, translator);
    },
  },
} satisfies Command['actions'];

/** @throws UserError where it is no `.json` file, too large, or can't be read */
async function textOf(attachment: Attachment, { client }: Interaction): Promise<string> {
  const told = { name: escapeLine(attachment.name) };
  if (!/\.json$/i.test(attachment.name)) throw new UserError(message('import.notJson', told));
  const { api } = client.rest.options;
  const bytes = await readAttachment(attachment, { api, mostBytes: MOST_KILOBYTES * 1024 }).catch((cause: unknown) => {
    throw new UserError(message('import.unreadable', told), { cause });
  });
  if (bytes === null) throw new UserError(message('import.tooLarge', { ...told, most: MOST_KILOBYTES }));
  return bytes.toString();
}

/** The file's part for this server; its parts for others count for nothing here. */
function wantedIn(
  text: string,
  interaction: Interaction,
  guildId: string,
  { feeds, mostSubscriptions: most }: CommandServices,
): ReturnType<typeof readFile> {
  const read = readFile(text, 'json', { feeds, most });
  if (!read.ok) return read;
  const servers = read.servers.filter((server) => server.guildId === guildId);
  if (servers.length === 0) throw new UserError(message('import.otherServer'));
  return { ok: true, servers: servers.map((server) => withTargets(server, interaction)) };
}

/** Goes by what the channels are here, whatever the file says. */
function withTargets(server: WantedServer, interaction: Interaction): WantedServer {
  const subscriptions = server.subscriptions.map((wanted) => {
    const target = knownTarget(interaction, wanted.settings.channelId)?.target ?? null;
    return { ...wanted, settings: { ...wanted.settings, target } };
  });
  return { ...server, subscriptions };
}

function planFor(
  servers: readonly WantedServer[],
  guildId: string,
  { user }: Interaction,
  { subscriptions, clock }: CommandServices,
): Plan {
  return planOf(servers, subscriptions.ofGuild(guildId), {
    nowMs: clock.now(),
    createdBy: user.id,
    newId: randomUUID,
  });
}

/** The subscriptions among the added and changed ones that Discord would refuse, as safe Markdown. */
async function problemsOf(plan: Plan, interaction: Interaction, translator: Translator): Promise<string[]> {
  const problems: string[] = [];
  for (const subscription of [...plan.added, ...plan.changed.map(({ after }) => after)]) {
    try {
      await requireUsable(subscription, interaction);
    } catch (error) {
      if (!(error instanceof UserError) || error.localized === null) throw error;
      const title = escapeLine(sourceTitle(subscription.source, translator));
      problems.push(`**${title}** → <#${subscription.channelId}>: ${translator.translate(error.localized)}`);
    }
  }
  return [...new Set(problems)];
}

/** @throws UserError with what keeps the subscription from posting as it says */
async function requireUsable(subscription: Subscription, interaction: Interaction): Promise<void> {
  const where = await requireTarget(interaction, subscription.channelId);
  if (subscription.pausedBy === null) await requirePostable(interaction, where);
  if (subscription.mentionRoleId !== null) requireRole(interaction, subscription.mentionRoleId);
  const channel = `<#${subscription.channelId}>`;
  if (subscription.isPublished && !where.isPublishable) {
    throw new UserError(message('subscription.notPublishable', { channel }));
  }
  const tags = where.tags.map(({ name }) => escapeLine(name));
  if (!subscription.tagIds.every((id) => where.tags.some((tag) => tag.id === id))) {
    throw new UserError(
      where.target === 'forum'
        ? message('subscription.unknownTag', { channel, tags })
        : message('subscription.tagOutsideForum', { channel }),
    );
  }
  if (where.isTagRequired && subscription.tagIds.length === 0) {
    throw new UserError(message('subscription.tagRequired', { channel, tags }));
  }
}

/** Applies the plan of this digest in one step. Resolves with null where the plan is another one by now. */
async function apply(
  servers: readonly WantedServer[],
  digest: string,
  guildId: string,
  interaction: Interaction,
  shared: CommandServices,
): Promise<Plan | null> {
  let plan: Plan | null = null;
  await shared.subscriptions.apply(() => {
    const now = planFor(servers, guildId, interaction, shared);
    if (now.digest !== digest) return { saved: [], removed: [] };
    plan = now;
    return changesOf(now);
  });
  return plan;
}

function done(plan: Plan, { deliverer }: CommandServices, translator: Translator): Card {
  // A change may fix what blocked a channel's posts.
  for (const channelId of channelsOf(plan)) deliverer.retry(channelId);
  const { added, changed, removed, unchanged } = plan;
  const counts = { added: added.length, changed: changed.length, removed: removed.length, unchanged: unchanged.length };
  return noticeCard(`✅ ${translator.t('import.applied', counts)}`);
}

function nothingToDo({ unchanged }: Plan, translator: Translator): Card {
  return noticeCard(translator.t('import.nothing', { count: unchanged.length }));
}

async function shownPlan(
  plan: Plan,
  { importId, guildId, isAnew }: { importId: string; guildId: string; isAnew: boolean },
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const { added, changed, removed, unchanged, digest } = plan;
  const forecasts = await forecast(plan, shared.subscriptions.ofGuild(guildId), (one) => shared.explainer.preview(one));
  const view = { added, changed, removed, unchanged: unchanged.length, forecasts, importId, digest, isAnew };
  return importCard(view, contextOf(shared, translator));
}

/** The mistakes of a file, as safe Markdown: they quote what stands there. */
function refusal(problems: readonly FileProblem[], shared: CommandServices, translator: Translator): Card {
  const sentence = (what: LocalizedText) => escapeLine(translator.translate(what));
  const lines = problems.map(({ path, what }) => (path === '' ? '' : `${inlineCode(path)}: `) + sentence(what));
  return refusedImportCard(lines, contextOf(shared, translator));
}

const contextOf = ({ clock }: CommandServices, translator: Translator) => ({ translator, nowMs: clock.now() });
