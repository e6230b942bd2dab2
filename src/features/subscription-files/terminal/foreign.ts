import { z } from 'zod';
import { parseFilter } from '../../../deals/filter/index.ts';
import type { Setting } from '../../../deals/settings.ts';
import { parseYaml, writeYaml } from '../document.ts';
import type { Entry } from '../entry.ts';
import { fileNameOf } from '../entry.ts';

/** A placeholder for a value that another program's file doesn't tell. No plan is made while it is there. */
const UNKNOWN = '?';

/** Subscriptions of another program, as far as they carry over, and what doesn't, line by line. */
interface Converted {
  program: 'MonitoRSS' | 'FeedCord';
  servers: { id: string; subscriptions: Entry[] }[];
  lost: { path: string; why: string }[];
}

type Lost = Converted['lost'];

const WORDS = z.record(z.string(), z.array(z.string())).catch({});
const PATTERNS = z.record(z.string(), z.string()).catch({});

/** A server's backup by MonitoRSS: its feeds, each in a channel, and who is mentioned. */
const MONITORSS = z.object({
  feeds: z.array(
    z.looseObject({
      _id: z.unknown().optional(),
      url: z.string(),
      guild: z.string(),
      channel: z.string(),
      disabled: z.unknown().optional(),
      filters: WORDS,
      rfilters: PATTERNS,
    }),
  ),
  subscribers: z
    .array(z.looseObject({ feed: z.unknown(), id: z.string(), type: z.string(), filters: WORDS, rfilters: PATTERNS }))
    .catch([]),
  filteredFormats: z.array(z.unknown()).catch([]),
});

const INSTANCE = z.looseObject({
  RssUrls: z.array(z.string()),
  YoutubeUrls: z.array(z.string()).catch([]),
  Forum: z.boolean().catch(false),
  Color: z.int().min(0).max(0xffffff).optional().catch(undefined),
  PostFilters: z.array(z.object({ Url: z.string(), Filters: z.array(z.string()) })).catch([]),
});
/** FeedCord's appsettings.json. Its first versions had one instance, without a list. */
const FEEDCORD = z.union([
  z.object({ Instances: z.array(INSTANCE) }),
  INSTANCE.transform((one) => ({ Instances: [one] })),
]);

/** Fields that say nothing of what is posted where. */
const MEANINGLESS = new Set(['_id', '__v', 'title', 'addedAt', 'version', 'createdAt', 'updatedAt', 'Id']);

/**
 * Turns the file of another program into one of ours, with what doesn't carry over as comments above.
 * @returns null where it is of no program that is known here
 */
export function convertFile(text: string, feeds: readonly string[], settings: readonly Setting[]): string | null {
  const parsed = parseYaml(text);
  const converted = 'data' in parsed ? convert(parsed.data, feeds, settings) : null;
  if (!converted) return null;
  const { program, servers, lost } = converted;
  const comments = [
    ` Converted from ${program}. Replace each "${UNKNOWN}" before the plan.`,
    ...(lost.length > 0 ? [' Not carried over:', ...lost.map(({ path, why }) => `   ${path}: ${why}`)] : []),
  ];
  // A quoted text may have several lines.
  const lines = comments.join('\n').split(/\r\n|\n|\r/);
  return [...lines.map((line) => `#${line}`), '', writeYaml({ version: 1, servers })].join('\n');
}

/**
 * Converts the file of another program.
 * @param feeds the names of the catalog's feeds
 * @returns null where the file is of no program that is known here
 */
function convert(data: unknown, feeds: readonly string[], settings: readonly Setting[]): Converted | null {
  const monitorss = MONITORSS.safeParse(data);
  if (monitorss.success) return ofMonitorss(monitorss.data, feeds, settings);
  const feedcord = FEEDCORD.safeParse(data);
  return feedcord.success ? ofFeedcord(feedcord.data, feeds) : null;
}

function ofMonitorss(
  { feeds, subscribers, filteredFormats }: z.output<typeof MONITORSS>,
  known: readonly string[],
  settings: readonly Setting[],
): Converted {
  const field = settings.find((one) => one.kind === 'field' && one.inFiles.roles !== undefined);
  const { most, entry } = (field?.kind === 'field' && field.inFiles.roles) || { most: 0, entry: () => ({}) };
  const lost: Lost = [];
  const servers = new Map<string, Entry[]>();
  for (const [index, one] of feeds.entries()) {
    const { _id, url, guild, channel, disabled, filters, rfilters, ...rest } = one;
    const path = `feeds[${index}]`;
    const mentioned = subscribers.filter(({ feed }) => feed === _id);
    const roles = mentioned.filter(({ type }) => type === 'role');
    for (const { id } of roles.slice(most)) {
      lost.push({ path, why: `Role ${id} isn't pinged: a subscription pings up to ${most} roles.` });
    }
    const mentions = roles.slice(0, most).map((role) => entry(role.id, filterIn(role, `${path}.subscribers`, lost)));
    for (const { id } of mentioned.filter(({ type }) => type !== 'role')) {
      lost.push({ path, why: `User ${id} isn't pinged: people use /alert for themselves.` });
    }
    const filter = filterIn({ filters, rfilters }, path, lost);
    servers.set(guild, [
      ...(servers.get(guild) ?? []),
      {
        channel,
        source: 'feed',
        feed: feedOf(url, `${path}.url`, known, lost),
        ...(filter !== '' && { filter }),
        ...(field && mentions.length > 0 && { [fileNameOf(field)]: mentions }),
        ...(disabled !== undefined && disabled !== false && disabled !== '' && { paused: true }),
      },
    ]);
    loseRest(rest, path, lost);
  }
  if (filteredFormats.length > 0) lost.push({ path: 'filteredFormats', why: OWN_CARDS });
  return { program: 'MonitoRSS', servers: [...servers].map(([id, subscriptions]) => ({ id, subscriptions })), lost };
}

/** The filter of a feed, or of who is mentioned with it. */
function filterIn(
  { filters, rfilters }: { filters: z.output<typeof WORDS>; rfilters: z.output<typeof PATTERNS> },
  path: string,
  lost: Lost,
): string {
  const words = Object.entries(filters).map(([part, some]) => ({
    part,
    terms: termsOf(some, `${path}.filters.${part}`, lost),
  }));
  const patterns = Object.entries(rfilters).map(([part, pattern]) => ({
    part,
    terms: [`/${pattern.replaceAll('/', '\\/')}/i`],
  }));
  return filterOf([...words, ...patterns], path, lost);
}

function ofFeedcord({ Instances }: z.output<typeof FEEDCORD>, known: readonly string[]): Converted {
  const lost: Lost = [];
  const subscriptions = Instances.flatMap((instance, index) => {
    const { RssUrls, YoutubeUrls, Forum, Color, PostFilters, DiscordWebhookUrl: _, ...rest } = instance;
    const path = `Instances[${index}]`;
    lost.push({
      path: `${path}.DiscordWebhookUrl`,
      why: 'A webhook names no channel. Put the ids of the channel and its server in.',
    });
    for (const [at, url] of YoutubeUrls.entries()) {
      if (url !== '') lost.push({ path: `${path}.YoutubeUrls[${at}]`, why: 'The catalog has no channels of videos.' });
    }
    loseRest(rest, path, lost);
    return RssUrls.flatMap((url, at): Entry[] => {
      if (url === '') return [];
      const words = PostFilters.filter(({ Url }) => Url === url || Url === 'all').flatMap(({ Filters }) => Filters);
      const place = `${path}.PostFilters`;
      const filter = filterOf([{ part: 'title', terms: termsOf(words, place, lost) }], place, lost);
      return [
        {
          channel: UNKNOWN,
          ...(Forum && { target: 'forum' }),
          source: 'feed',
          feed: feedOf(url, `${path}.RssUrls[${at}]`, known, lost),
          ...(filter !== '' && { filter }),
          ...(Color !== undefined && { look: { accent: `#${Color.toString(16).padStart(6, '0')}` } }),
        },
      ];
    });
  });
  return { program: 'FeedCord', servers: [{ id: UNKNOWN, subscriptions }], lost };
}

/** The catalog's feed that an address names in its host or path. */
function feedOf(address: string, path: string, feeds: readonly string[], lost: Lost): string {
  const parts = URL.canParse(address) ? new URL(address) : null;
  const words = parts ? `${parts.hostname}/${parts.pathname}`.toLowerCase().split(/[^a-z0-9]+/) : [];
  const found = feeds.find((name) => words.includes(name.toLowerCase()));
  if (found !== undefined) return found;
  lost.push({ path, why: `It names no feed of the catalog. Put one in: ${feeds.join(', ')}.` });
  return UNKNOWN;
}

/** The terms for words of which one has to stand in a post. */
function termsOf(words: readonly string[], path: string, lost: Lost): string[] {
  return words.flatMap((written) => {
    const isNot = written.startsWith('!');
    const isBroad = written.replace(/^!/, '').startsWith('~');
    const word = written.replace(/^[!~\\]+/, '').replaceAll('"', '');
    if (word.startsWith('label:')) {
      lost.push({ path, why: `"${word}" asks for a label, which offers don't have.` });
      return [];
    }
    if (isBroad)
      lost.push({ path, why: `"${word}" was found within words, too. Here it is found at their beginning.` });
    if (word.trim() === '') return [];
    return [`${isNot ? '-' : ''}"${word.trim()}${isBroad ? '*' : ''}"`];
  });
}

/** One filter: of each part, one of the words has to be there and none of those that may not. */
function filterOf(parts: readonly { part: string; terms: readonly string[] }[], path: string, lost: Lost): string {
  const texts = parts.flatMap(({ part, terms }) => {
    const [not, one] = [terms.filter((term) => term.startsWith('-')), terms.filter((term) => !term.startsWith('-'))];
    if (terms.length > 0 && part !== 'title') {
      lost.push({ path, why: `The filter of "${part}" looks at title and subtitle here.` });
    }
    return [...(one.length > 1 ? [`(${one.join(' OR ')})`] : one), ...not];
  });
  const filter = texts.join(' ');
  if (parseFilter(filter).ok) return filter;
  lost.push({ path, why: `The filter can't be read here: ${filter}` });
  return '';
}

const OWN_CARDS = 'Dealbell has cards of its own: see /look.';

/** Values, as JSON, that a field has where nobody has set it. */
const UNSET = new Set([undefined, 'null', 'false', '""', '[]', '{}']);

/** Names each other field that is set. */
function loseRest(rest: Readonly<Record<string, unknown>>, path: string, lost: Lost): void {
  for (const [name, value] of Object.entries(rest)) {
    const isSet = !UNSET.has(JSON.stringify(value));
    if (isSet && !MEANINGLESS.has(name)) lost.push({ path: `${path}.${name}`, why: 'It has no counterpart.' });
  }
}
