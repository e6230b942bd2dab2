import { randomUUID } from 'node:crypto';
import type { Attachment, Client, Guild } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { AddedSubcommand, CommandServices, FeatureField, ManagerRequest } from '../../../commands/shared.ts';
import { savedBy } from '../../../commands/subscription/save.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { ActionOf } from '../../discord/action-table.ts';
import { readAttachment } from '../../discord/attachments.ts';
import { type Card, noticeCard, withFile } from '../../discord/cards/parts.ts';
import type { Handlers } from '../../discord/command.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { sourceTitle } from '../../discord/i18n/describe-source.ts';
import { message } from '../../discord/i18n/translator.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import { knownTarget, requirePostable, requireTarget } from '../../discord/permissions.ts';
import { type LocalizedText, UserError } from '../../shared/errors.ts';
import { TABLE } from './actions.ts';
import { importCard, refusedImportCard } from './cards.ts';
import { readFile, writeFile } from './document.ts';
import { forecast } from './forecast.ts';
import { changesOf, channelsOf, isEmpty, type Plan, planOf } from './plan.ts';
import type { FileProblem, WantedServer } from './schema.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

/** A thousand subscriptions need less. */
const MOST_KILOBYTES = 512;

/** Answers with the server's subscriptions as a file, which `/subscription import` takes. */
export const exporting: AddedSubcommand = {
  to: 'subscription',
  after: 'remove',
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'export',
    ...described('command.subscription.export'),
  },
  async execute(request) {
    const { server, services, t } = request.asManager();
    const own = services.subscriptions.ofGuild(server);
    const content = Buffer.from(writeFile(own, 'json', services.settings));
    return withFile(noticeCard(t('export.done', { count: own.length })), { name: 'subscriptions.json', content });
  },
};

/** Reads a file that a person sends, and shows what it would change in this server. Nothing is changed yet. */
export const importing: AddedSubcommand = {
  to: 'subscription',
  after: 'export',
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
  async execute(asked) {
    const request = asked.asManager();
    const { client, server, services } = request;
    const attachment = request.options.getAttachment('file', true);
    // Reading the file may take seconds; a person can't ask for that without end.
    request.spend();
    const text = await textOf(attachment, client);
    const prepared = { version: 1, id: randomUUID(), text, preparedAtMs: services.clock.now() } as const;
    const wanted = wantedIn(text, request);
    if (!wanted.ok) return refusal(wanted.problems, request);
    const plan = planFor(wanted.servers, request);
    const problems = await problemsOf(plan, request);
    if (problems.length > 0) return refusedImportCard(problems, request.cardContext);
    if (isEmpty(plan)) return nothingToDo(plan, request);
    await services.imports.save(server, prepared);
    return shownPlan(plan, { importId: prepared.id, isAnew: false }, request);
  },
};

/** Each click checks the person, the file and the channels anew, and applies no other plan than the one shown. */
export const importHandlers: Handlers<CommandServices, ActionOf<typeof TABLE>> = {
  table: TABLE,
  actions: {
    import: {
      answer: 'update',
      async run({ step, importId, digest }, asked) {
        const request = asked.asManager();
        const { server, t } = request;
        const { imports } = request.services;
        const prepared = await imports.get(server);
        if (prepared?.id !== importId) throw new UserError(message('import.expired'));
        if (step === 'cancel') {
          await imports.remove(server);
          return noticeCard(t('import.cancelled'));
        }
        const wanted = wantedIn(prepared.text, request);
        if (!wanted.ok) return refusal(wanted.problems, request);
        const plan = planFor(wanted.servers, request);
        const problems = await problemsOf(plan, request);
        if (problems.length > 0) return refusedImportCard(problems, request.cardContext);
        const applied = await apply(wanted.servers, digest, request);
        if (applied) {
          await imports.remove(server);
          return done(applied, request);
        }
        const anew = planFor(wanted.servers, request);
        if (isEmpty(anew)) return nothingToDo(anew, request);
        return shownPlan(anew, { importId, isAnew: true }, request);
      },
    },
  },
};

/** @throws UserError where it is no `.json` file, too large, or can't be read */
async function textOf(attachment: Attachment, client: Client): Promise<string> {
  const values = { name: escapeLine(attachment.name) };
  if (!/\.json$/i.test(attachment.name)) throw new UserError(message('import.notJson', values));
  const { api } = client.rest.options;
  const bytes = await readAttachment(attachment, { api, mostBytes: MOST_KILOBYTES * 1024 }).catch((cause: unknown) => {
    throw new UserError(message('import.unreadable', values), { cause });
  });
  if (bytes === null) throw new UserError(message('import.tooLarge', { ...values, most: MOST_KILOBYTES }));
  return bytes.toString();
}

/** The file's part for this server; its parts for others count for nothing here. */
function wantedIn(text: string, { server: guildId, guild, services }: ManagerRequest): ReturnType<typeof readFile> {
  const { feeds, mostSubscriptions: most, settings } = services;
  const read = readFile(text, 'json', { feeds, most, settings });
  if (!read.ok) return read;
  const servers = read.servers.filter((server) => server.guildId === guildId);
  if (servers.length === 0) throw new UserError(message('import.otherServer'));
  return { ok: true, servers: servers.map((server) => withTargets(server, guild)) };
}

/** Goes by what the channels are here, whatever the file says. */
function withTargets(server: WantedServer, guild: Guild | null): WantedServer {
  const subscriptions = server.subscriptions.map((wanted) => {
    const target = knownTarget(guild, wanted.settings.channelId)?.target ?? null;
    return { ...wanted, settings: { ...wanted.settings, target } };
  });
  return { ...server, subscriptions };
}

function planFor(servers: readonly WantedServer[], { person, services }: ManagerRequest): Plan {
  return planOf(servers, {
    nowMs: services.clock.now(),
    createdBy: person.id,
    newId: randomUUID,
    settings: services.settings,
    stored: services.subscriptions,
  });
}

/** The subscriptions among the added and changed ones that Discord would refuse, as safe Markdown. */
async function problemsOf(plan: Plan, { guild, services, translator }: ManagerRequest): Promise<string[]> {
  const problems: string[] = [];
  for (const subscription of [...plan.added, ...plan.changed.map(({ after }) => after)]) {
    try {
      await requireUsable(subscription, guild, services.fields);
    } catch (error) {
      if (!(error instanceof UserError) || error.localized === null) throw error;
      const title = escapeLine(sourceTitle(subscription.source, translator));
      problems.push(`**${title}** → <#${subscription.channelId}>: ${translator.translate(error.localized)}`);
    }
  }
  return [...new Set(problems)];
}

/** @throws UserError with what keeps the subscription from posting as it says */
async function requireUsable(
  subscription: Subscription,
  guild: Guild | null,
  fields: readonly FeatureField[],
): Promise<void> {
  const requireChannel = subscription.pausedBy === null ? requirePostable : requireTarget;
  const where = await requireChannel(guild, subscription.channelId);
  for (const field of fields) field.requireUsable?.(subscription, guild);
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
async function apply(servers: readonly WantedServer[], digest: string, request: ManagerRequest): Promise<Plan | null> {
  let plan: Plan | null = null;
  await request.services.subscriptions.apply(() => {
    const now = planFor(servers, request);
    if (now.digest !== digest) return { saved: [], removed: [] };
    plan = now;
    const { saved, removed } = changesOf(now);
    return { saved: saved.map((one) => savedBy(one, request)), removed };
  });
  return plan;
}

function done(plan: Plan, { services, t }: ManagerRequest): Card {
  // A change may fix what blocked a channel's posts.
  for (const channelId of channelsOf(plan).keys()) services.deliverer.retry(channelId);
  const { added, changed, removed, unchanged } = plan;
  const counts = { added: added.length, changed: changed.length, removed: removed.length, unchanged: unchanged.length };
  return noticeCard(`✅ ${t('import.applied', counts)}`);
}

function nothingToDo({ unchanged }: Plan, { t }: ManagerRequest): Card {
  return noticeCard(t('import.nothing', { count: unchanged.length }));
}

async function shownPlan(
  plan: Plan,
  { importId, isAnew }: { importId: string; isAnew: boolean },
  { services, cardContext }: ManagerRequest,
): Promise<Card> {
  const { subscriptions, explainer } = services;
  const { added, changed, removed, unchanged, digest } = plan;
  const forecasts = await forecast(plan, subscriptions, (one) => explainer.preview(one));
  const view = {
    settings: services.settings,
    added,
    changed,
    removed,
    unchanged: unchanged.length,
    forecasts,
    importId,
    digest,
    isAnew,
  };
  return importCard(view, cardContext);
}

/** The mistakes of a file, as safe Markdown: they quote what stands there. */
function refusal(problems: readonly FileProblem[], { translator, cardContext }: ManagerRequest): Card {
  const sentence = (what: LocalizedText) => escapeLine(translator.translate(what));
  const lines = problems.map(({ path, what }) => (path === '' ? '' : `${inlineCode(path)}: `) + sentence(what));
  return refusedImportCard(lines, cardContext);
}
