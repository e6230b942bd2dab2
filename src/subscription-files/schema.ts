import { z } from 'zod';
import { KINDS_OF } from '../announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../deals/event.ts';
import { parseFilter } from '../deals/filter/index.ts';
import { levenshtein } from '../deals/levenshtein.ts';
import { type LookSettings, MOST_LINE, OVER_ACTIONS, STYLES } from '../deals/look.ts';
import { MOST_CATCH_UP, MOST_PER_HOUR, SOURCE_KINDS, type Source, TIMING_MODES } from '../deals/subscription.ts';
import { parseHours, parseTimeOfDay, timeZoneNamed, timeZonesNear } from '../deals/time-of-day.ts';
import { sayProblem } from '../discord/filter-mistake.ts';
import { message } from '../discord/i18n/translator.ts';
import { LIMITS } from '../discord/limits.ts';
import type { LocalizedText } from '../shared/errors.ts';
import { KIND_COLOUR, type Settings, usualSettings } from './entry.ts';

/** A mistake in a file: where it is (`servers[0].subscriptions[1].filter`), and what to do about it. */
export interface FileProblem {
  path: string;
  what: LocalizedText;
}

/** A subscription that a file asks for. */
export interface Wanted {
  /** Where it stands in the file. */
  path: string;
  /** null where the file gives none. */
  id: string | null;
  settings: Settings;
  /** How many of the newest entities a new subscription posts at once. */
  catchUp: number;
}

/** All that a file wants of a server. */
export interface WantedServer {
  path: string;
  guildId: string;
  subscriptions: Wanted[];
}

/** The most of each that a file may have. */
const MOST_SERVERS = 10_000;
const MOST_SUBSCRIPTIONS = 1_000;

/** A check whose mistake is a sentence of our own. */
type Check<In, Out> = (value: In) => { ok: Out } | { mistake: LocalizedText };

function checked<In, Out>(schema: z.ZodType<In>, check: Check<In, Out>) {
  return schema.transform((value, context): Out => {
    const result = check(value);
    if ('ok' in result) return result.ok;
    context.addIssue({ code: 'custom', params: { mistake: result.mistake } });
    return z.NEVER;
  });
}

const id = checked(z.string(), (text) =>
  /^\d{15,20}$/.test(text) ? { ok: text } : { mistake: message('file.idType') },
);
const subscriptionId = checked(z.string(), (text) =>
  /^[\w-]{1,40}$/.test(text) ? { ok: text } : { mistake: message('file.subscriptionId') },
);
const whole = (least: number, most: number) =>
  checked(z.number(), (value) =>
    Number.isInteger(value) && value >= least && value <= most
      ? { ok: value }
      : { mistake: message('file.range', { least, most }) },
  );
const distinct = <T extends string>(values: readonly T[]) =>
  z.array(z.enum(values as [T, ...T[]])).transform((chosen) => values.filter((value) => chosen.includes(value)));
const time = checked(z.string(), (text) => {
  const minute = parseTimeOfDay(text);
  return minute === null ? { mistake: message('times.noTime', { text }) } : { ok: minute };
});
const hours = checked(z.string(), (text) => {
  const parsed = parseHours(text);
  return parsed === null ? { mistake: message('times.noHours', { text }) } : { ok: parsed };
});
const zone = checked(z.string().max(100), (text) => {
  const name = timeZoneNamed(text);
  return name === null
    ? { mistake: message('times.noZone', { text, zones: { either: timeZonesNear(text) } }) }
    : { ok: name };
});
const filter = checked(z.string().max(2000), (text) => {
  const parsed = parseFilter(text);
  return parsed.ok ? { ok: parsed.filter.text } : { mistake: sayProblem(parsed.problem) };
});
const accent = checked(z.string(), (text): { ok: number | null } | { mistake: LocalizedText } => {
  if (text === KIND_COLOUR) return { ok: null };
  return /^#[0-9a-f]{6}$/i.test(text)
    ? { ok: Number.parseInt(text.slice(1), 16) }
    : { mistake: message('file.noColour') };
});
const look = z
  .strictObject({
    style: z.enum(STYLES).optional(),
    accent: accent.optional(),
    line: z.string().max(MOST_LINE).optional(),
    silent: z.boolean().optional(),
    'when-over': z.enum(OVER_ACTIONS).optional(),
  })
  .transform(
    ({ silent: isSilent, 'when-over': whenOver, ...same }): LookSettings =>
      Object.fromEntries(
        Object.entries({ ...same, isSilent, whenOver }).filter(([, value]) => value !== undefined),
      ) as LookSettings,
  );

const COMMON = {
  id: subscriptionId.optional(),
  channel: id,
  target: z.enum(['channel', 'thread', 'forum']).optional(),
  filter: filter.default(''),
  mode: z.enum(TIMING_MODES).optional(),
  at: time.optional(),
  'time-zone': zone.optional(),
  'quiet-hours': hours.optional(),
  'most-per-hour': whole(1, MOST_PER_HOUR).optional(),
  role: id.optional(),
  tags: z.array(id).max(LIMITS.appliedTags).default([]),
  publish: z.boolean().default(false),
  look: look.default({}),
  paused: z.boolean().default(false),
  'catch-up': whole(0, MOST_CATCH_UP).default(0),
};

function entrySchema(feeds: readonly string[]) {
  const feed = checked(z.string(), (text) => {
    const found = feeds.find((name) => name.toLowerCase() === text.trim().toLowerCase());
    return found === undefined ? { mistake: message('feed.unknown', { feeds: feeds.join(', ') }) } : { ok: found };
  });
  const of = <K extends Source['kind']>(kind: K) => ({
    source: z.literal(kind),
    kinds: distinct(KINDS_OF[kind].all).optional(),
    ...COMMON,
  });
  return z.discriminatedUnion('source', [
    z.strictObject({ ...of('feed'), feed, 'price-drop': whole(1, 99).optional() }),
    z.strictObject({
      ...of('events'),
      types: distinct(EVENT_TYPES).default([]),
      sites: distinct(SITE_PREFIXES).default([]),
    }),
    z.strictObject(of('dealcasts')),
    z.strictObject(of('polls')),
    z.strictObject(of('monkeychats')),
  ]);
}

type ReadEntry = z.output<ReturnType<typeof entrySchema>>;

/** The document's schema, for the feeds that the catalog has. */
export function documentSchema(feeds: readonly string[]) {
  return z.strictObject({
    version: z.literal(1),
    servers: z
      .array(z.strictObject({ id, subscriptions: z.array(entrySchema(feeds)).max(MOST_SUBSCRIPTIONS) }))
      .max(MOST_SERVERS),
  });
}

/** The subscriptions that a valid document asks for; settings that it leaves out get their defaults. */
export function wantedOf({ servers }: z.output<ReturnType<typeof documentSchema>>): WantedServer[] {
  return servers.map(({ id: guildId, subscriptions }, server) => {
    const path = `servers[${server}]`;
    return {
      path,
      guildId,
      subscriptions: subscriptions.map((entry, index) => ({
        path: `${path}.subscriptions[${index}]`,
        id: entry.id ?? null,
        settings: settingsFrom(entry),
        catchUp: entry['catch-up'],
      })),
    };
  });
}

function settingsFrom(entry: ReadEntry): Settings {
  const usual = usualSettings(entry.channel, sourceOf(entry));
  const { timing } = usual;
  return {
    ...usual,
    target: entry.target ?? null,
    kinds: entry.kinds && entry.kinds.length > 0 ? [...entry.kinds] : usual.kinds,
    filter: entry.filter,
    priceDropPercent: ('price-drop' in entry && entry['price-drop']) || usual.priceDropPercent,
    timing: {
      mode: entry.mode ?? (entry.at === undefined ? timing.mode : 'daily'),
      dailyAtMinute: entry.at ?? timing.dailyAtMinute,
      timeZone: entry['time-zone'] ?? timing.timeZone,
      quiet: entry['quiet-hours'] ?? null,
    },
    mostPerHour: entry['most-per-hour'] ?? usual.mostPerHour,
    mentionRoleId: entry.role ?? null,
    tagIds: [...new Set(entry.tags)],
    isPublished: entry.publish,
    look: entry.look,
    isPaused: entry.paused,
  };
}

function sourceOf(entry: ReadEntry): Source {
  switch (entry.source) {
    case 'feed':
      return { kind: 'feed', feed: entry.feed };
    case 'events':
      return { kind: 'events', types: [...entry.types], sites: [...entry.sites] };
    default:
      return { kind: entry.source };
  }
}

/** An issue of the schema as problems with a path and a remedy. */
export function problemsOf(issue: z.core.$ZodIssue): FileProblem[] {
  const path = pathOf(issue.path);
  const is = (what: LocalizedText): FileProblem[] => [{ path, what }];
  switch (issue.code) {
    case 'custom':
      return is((issue.params as { mistake: LocalizedText }).mistake);
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), what: unknownField(key) }));
    case 'invalid_value':
      return is(message('file.oneOf', { choices: { either: issue.values.map(String) } }));
    case 'invalid_union':
      return is(message('file.oneOf', { choices: { either: SOURCE_KINDS } }));
    case 'too_big':
      return is(message('file.tooLong', { most: Number(issue.maximum) }));
    case 'invalid_type':
      return is(isId(issue.path.at(-1)) ? message('file.idType') : message(TYPES[issue.expected] ?? 'file.type.text'));
    default:
      return is(message('file.type.text'));
  }
}

const TYPES: Readonly<
  Record<string, 'file.type.text' | 'file.type.number' | 'file.type.flag' | 'file.type.list' | 'file.type.object'>
> = {
  number: 'file.type.number',
  boolean: 'file.type.flag',
  array: 'file.type.list',
  object: 'file.type.object',
};

const isId = (name: PropertyKey | undefined) => name === 'id' || name === 'channel' || name === 'role';

const FIELDS = [
  'version',
  'servers',
  'subscriptions',
  'source',
  'feed',
  'types',
  'sites',
  'kinds',
  'price-drop',
].concat(Object.keys(COMMON), ['style', 'accent', 'line', 'silent', 'when-over']);
/** The most mistakes of a name that is taken for a misspelt one. */
const MOST_MISTAKES = 3;

function unknownField(name: string): LocalizedText {
  const [nearest] = FIELDS.filter((field) => field !== name)
    .map((field) => ({ field, mistakes: levenshtein(name.toLowerCase().replaceAll('_', '-'), field) }))
    .toSorted((a, b) => a.mistakes - b.mistakes);
  return nearest && nearest.mistakes <= MOST_MISTAKES
    ? message('file.misspelt', { nearest: nearest.field })
    : message('file.unknownField');
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}
