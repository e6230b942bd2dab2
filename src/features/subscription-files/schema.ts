import { z } from 'zod';
import { hasSetting, KINDS_OF } from '../../announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../deals/event.ts';
import { parseFilter } from '../../deals/filter/index.ts';
import { levenshtein } from '../../deals/levenshtein.ts';
import {
  type Setting,
  type SettingKind,
  type SettingOf,
  type Settings,
  type ValueOfKind,
  type Values,
  withValues,
} from '../../deals/settings.ts';
import { MOST_CATCH_UP, SOURCE_KINDS, type Source } from '../../deals/subscription.ts';
import { parseHours, parseTimeOfDay, timeZoneNamed, timeZonesNear } from '../../deals/time-of-day.ts';
import { sayProblem } from '../../discord/filter-mistake.ts';
import { message } from '../../discord/i18n/translator.ts';
import { LIMITS } from '../../discord/limits.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { type FileName, type FileSettings, fileNameOf } from './entry.ts';

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
  settings: FileSettings;
  /** How many of the newest entities a new subscription posts at once. */
  catchUp: number;
}

/** All that a file wants of a server. */
export interface WantedServer {
  /** Its place in the file's list. */
  at: number;
  /** As it stands there. */
  written: unknown;
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

/** The schema of a setting of a subscription to a source. */
const SCHEMAS: { [K in SettingKind]: (setting: SettingOf<K>, source: Source['kind']) => z.ZodType<ValueOfKind[K]> } = {
  filter: () => filter,
  whole: ({ least, most }) => whole(least, most),
  choice: ({ choices }) => z.enum(choices),
  time: () => time,
  zone: () => zone,
  hours: () => hours,
  tags: () =>
    z
      .array(id)
      .max(LIMITS.appliedTags)
      .transform((ids) => [...new Set(ids)]),
  flag: () => z.boolean(),
  field: ({ inFiles }, source) => inFiles.schema({ id, filter, kinds: distinct(KINDS_OF[source].all) }),
};

function schemaOf<K extends SettingKind>(setting: SettingOf<K>, source: Source['kind']): z.ZodType<ValueOfKind[K]> {
  return SCHEMAS[setting.kind](setting, source);
}

type Shape<S extends Setting> = { [One in S as FileName<One>]: z.ZodOptional<z.ZodType<Values[One['field']]>> };

function shapeOf<S extends Setting>(settings: readonly S[], source: Source['kind']): Shape<S> {
  const shape = settings.map((setting) => [fileNameOf(setting), schemaOf(setting, source).optional()]);
  // `fromEntries` forgets which names it was given.
  return Object.fromEntries(shape) as Shape<S>;
}

const isOfAll = (setting: Setting): setting is Exclude<Setting, { only: unknown }> => !('only' in setting);
type OfSome = Extract<Setting, { only: unknown }>;
const isOfSome = (setting: Setting): setting is OfSome => 'only' in setting;

const commonOf = (source: Source['kind'], settings: readonly Setting[]) => ({
  id: subscriptionId.optional(),
  channel: id,
  target: z.enum(['channel', 'thread', 'forum']).optional(),
  ...shapeOf(settings.filter(isOfAll), source),
  paused: z.boolean().default(false),
  'catch-up': whole(0, MOST_CATCH_UP).default(0),
});

function entrySchema(feeds: readonly string[], settings: readonly Setting[]) {
  const feed = checked(z.string(), (text) => {
    const found = feeds.find((name) => name.toLowerCase() === text.trim().toLowerCase());
    return found === undefined ? { mistake: message('feed.unknown', { feeds: feeds.join(', ') }) } : { ok: found };
  });
  const of = <K extends Source['kind'], Own extends z.ZodRawShape>(kind: K, own: Own) =>
    z.strictObject({
      source: z.literal(kind),
      kinds: distinct(KINDS_OF[kind].all).optional(),
      ...commonOf(kind, settings),
      ...own,
      ...shapeOf(
        settings.filter(isOfSome).filter((setting) => hasSetting(kind, setting)),
        kind,
      ),
    });
  return z.discriminatedUnion('source', [
    of('feed', { feed }),
    of('events', { types: distinct(EVENT_TYPES).default([]), sites: distinct(SITE_PREFIXES).default([]) }),
    of('dealcasts', {}),
    of('polls', {}),
    of('monkeychats', {}),
  ]);
}

type ReadEntry = z.output<ReturnType<typeof entrySchema>>;

/** The schema of a file, but for what it says of each server. */
export const DOCUMENT = z.strictObject({ version: z.literal(1), servers: z.array(z.unknown()).max(MOST_SERVERS) });

/** The schema of a server in a file, for the feeds that the catalog has, and the settings that subscriptions have. */
export const serverSchema = (feeds: readonly string[], settings: readonly Setting[]) =>
  z.strictObject({ id, subscriptions: z.array(entrySchema(feeds, settings)).max(MOST_SUBSCRIPTIONS) });

export const pathOfServer = (at: number) => `servers[${at}]`;

/**
 * The subscriptions that a valid server asks for.
 * @param usual the settings of which it says nothing: see `usualSettings`
 */
export function wantedOf(
  { subscriptions }: z.output<ReturnType<typeof serverSchema>>,
  at: number,
  usual: Settings,
  settings: readonly Setting[],
): Wanted[] {
  return subscriptions.map((entry, index) => ({
    path: `${pathOfServer(at)}.subscriptions[${index}]`,
    id: entry.id ?? null,
    settings: settingsFrom(entry, usual, settings),
    catchUp: entry['catch-up'],
  }));
}

/** @param usual those of which the file says nothing */
function settingsFrom(entry: ReadEntry, usual: Settings, all: readonly Setting[]): FileSettings {
  const source = sourceOf(entry);
  const given: Readonly<Partial<Record<FileName, unknown>>> = {
    ...entry,
    // A time alone means a daily digest.
    mode: entry.mode ?? (entry.at === undefined ? undefined : 'daily'),
  };
  const values = all.flatMap((setting) => {
    const value = given[fileNameOf(setting)];
    return value === undefined ? [] : [[setting.field, value] as const];
  });
  return {
    // The schema has checked each value by its setting's kind.
    ...withValues(usual, Object.fromEntries(values) as Partial<Values>),
    channelId: entry.channel,
    source,
    target: entry.target ?? null,
    kinds: [...(entry.kinds && entry.kinds.length > 0 ? entry.kinds : KINDS_OF[source.kind].usual)],
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

/**
 * An issue of a schema as problems with a path and a remedy.
 * @param within where in the file the schema begins
 * @param settings as for `serverSchema`
 */
export function problemsOf(
  issue: z.core.$ZodIssue,
  within: readonly PropertyKey[],
  settings: readonly Setting[],
): FileProblem[] {
  const place = [...within, ...issue.path];
  const path = pathOf(place);
  const is = (what: LocalizedText): FileProblem[] => [{ path, what }];
  switch (issue.code) {
    case 'custom':
      return is((issue.params as { mistake: LocalizedText }).mistake);
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: pathOf([...place, key]), what: unknownField(key, settings) }));
    case 'invalid_value':
      return is(message('file.oneOf', { choices: { either: issue.values.map(String) } }));
    case 'invalid_union':
      return is(message('file.oneOf', { choices: { either: SOURCE_KINDS } }));
    case 'too_big':
      return is(message('file.tooLong', { most: Number(issue.maximum) }));
    case 'invalid_type':
      return is(isId(place.at(-1)) ? message('file.idType') : message(TYPES[issue.expected] ?? 'file.type.text'));
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

const IDS: readonly unknown[] = ['id', 'channel', 'role'];
const isId = (name: PropertyKey | undefined) => IDS.includes(name);

const fieldsOf = (settings: readonly Setting[]) =>
  ['version', 'servers', 'subscriptions', 'source', 'feed', 'types', 'sites', 'kinds'].concat(
    settings.filter(isOfSome).map(fileNameOf),
    Object.keys(commonOf('feed', settings)),
    settings.flatMap((setting) => ('inFiles' in setting ? setting.inFiles.names : [])),
  );
/** The most mistakes of a name that is taken for a misspelt one. */
const MOST_MISTAKES = 3;

function unknownField(name: string, settings: readonly Setting[]): LocalizedText {
  const fields = fieldsOf(settings);
  // It stands where it doesn't belong.
  if (fields.includes(name)) return message('file.unknownField');
  const [nearest] = fields
    .map((field) => ({
      field,
      mistakes: levenshtein(name.toLowerCase().replaceAll('_', '-'), field),
    }))
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
