import type { APIApplicationCommandBasicOption } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Translator } from '../discord/i18n/translator.ts';
import type { AnnouncementKind } from './announcement.ts';
import type { Hours } from './time-of-day.ts';

/** The value of a setting, by the setting's kind. The value of a `choice` is one of its choices. */
interface OwnValueOfKind {
  /** In the filter language; '' matches everything. */
  filter: string;
  /** A whole number from `least` to `most`. */
  whole: number;
  /** Minutes after midnight in the subscription's time zone. */
  time: number;
  /** An IANA name, `Europe/Berlin`. */
  zone: string;
  /** A daily span in the subscription's time zone; null for none. */
  hours: Hours | null;
  /** Ids of a forum's tags. */
  tags: string[];
  flag: boolean;
}

type OwnKind = keyof OwnValueOfKind;
/** `field`: see `FieldSetting`. */
export type SettingKind = OwnKind | 'choice' | 'field';

/** The forms of a subscription's panel. */
export type SettingsForm = 'filter' | 'times' | 'limits';

interface AnyRow {
  /** The field of `Settings`, or of `Timing`, that holds the value. */
  field: string;
  isTiming?: true;
  /** Its name as an option of commands and in files. Its words are the keys that end with it. */
  name: string;
  /** Its name in files, where that is another one. */
  nameInFiles?: string;
  /** Its place among the options of a command: the most used come first. */
  rank: number;
  /** Where the panel asks for it, at which place there, and what the empty input shows; absent where it has a menu or a button. */
  form?: { of: SettingsForm; rank: number; example: string };
  /** The only kind of announcement that it concerns. The panel shows it in that kind's line. */
  only?: AnnouncementKind;
  /** Whether it says when posts come, or how many. A person sets those once for all of their subscriptions. */
  isPacing?: true;
  /** The default for a person's subscriptions, where it differs from that for a server. */
  usualOfPerson?: number;
}

type Row = AnyRow &
  (
    | { kind: 'whole'; least: number; most: number; usual: number }
    | { kind: 'choice'; choices: readonly string[]; usual: string }
    | { [K in OwnKind]: { kind: K; usual: Readonly<OwnValueOfKind[K]> } }[Exclude<OwnKind, 'whole'>]
  );

export const TIMING_MODES = ['at-once', 'hourly', 'daily'] as const;
/** The highest hourly limit that a channel can have: one post every six seconds. */
const MOST_PER_HOUR = 600;

/**
 * What people can set of a subscription, one row each, in the order of files and of the panel. Types, defaults, stored
 * fields, options, forms, files and the panel's lines come from here.
 */
export const SETTINGS = [
  {
    field: 'filter',
    name: 'filter',
    kind: 'filter',
    usual: '',
    rank: 1,
    form: { of: 'filter', rank: 1, example: 'ssd -refurb* price:<50 off:>=40' },
  },
  // The percentage by which a price must have dropped to be announced.
  {
    field: 'priceDropPercent',
    name: 'price-drop',
    kind: 'whole',
    least: 1,
    most: 99,
    usual: 10,
    rank: 8,
    form: { of: 'limits', rank: 2, example: '10' },
    only: 'price-drop',
  },
  // Whether matches are posted each by itself at once, or together in a digest.
  {
    field: 'mode',
    isTiming: true,
    name: 'mode',
    kind: 'choice',
    choices: TIMING_MODES,
    usual: 'at-once',
    rank: 3,
    isPacing: true,
  },
  // When a daily digest is posted.
  {
    field: 'dailyAtMinute',
    isTiming: true,
    name: 'at',
    kind: 'time',
    usual: 9 * 60,
    rank: 4,
    form: { of: 'times', rank: 2, example: '09:00' },
    isPacing: true,
  },
  {
    field: 'timeZone',
    isTiming: true,
    name: 'time-zone',
    kind: 'zone',
    usual: 'UTC',
    rank: 6,
    form: { of: 'times', rank: 1, example: 'Europe/Berlin' },
    isPacing: true,
  },
  // Hours in which nothing is posted. Matches in them are posted afterwards.
  {
    field: 'quiet',
    isTiming: true,
    name: 'quiet-hours',
    kind: 'hours',
    usual: null,
    rank: 5,
    form: { of: 'times', rank: 3, example: '22:00–07:00' },
    isPacing: true,
  },
  // The most posts per hour in a channel, or messages to a person; announcements beyond it come in roll-ups.
  {
    field: 'mostPerHour',
    name: 'most-per-hour',
    kind: 'whole',
    least: 1,
    most: MOST_PER_HOUR,
    usual: 30,
    rank: 7,
    form: { of: 'limits', rank: 1, example: '30' },
    isPacing: true,
    usualOfPerson: 10,
  },
  // Tags of the posts in a forum. An option names one; a file lists them.
  { field: 'tagIds', name: 'tag', nameInFiles: 'tags', kind: 'tags', usual: [], rank: 9 },
  // Whether posts in an announcement channel are published to the servers that follow it.
  { field: 'isPublished', name: 'publish', kind: 'flag', usual: false, rank: 10 },
] as const satisfies readonly Row[];

/** The flags that features add, by the subscription's field that holds each: its name, and the panel's steps that set it. */
// biome-ignore lint/suspicious/noEmptyInterface: Features add members by declaration merging.
export interface FeatureFlags {}
type FlagOf<Field extends keyof FeatureFlags> = FeatureFlags[Field] & { name: string; steps: string };
type FlagName = FlagOf<keyof FeatureFlags>['name'];
/** The steps of the panel that turn a feature's flag on and off. */
export type FlagStep = FlagOf<keyof FeatureFlags>['steps'];

/**
 * A flag that a feature adds to subscriptions. Where it was never on, a subscription has no such field.
 * @example
 * declare module '../../deals/settings.ts' {
 *   interface FeatureFlags {
 *     isGreeting: { name: 'greeting'; steps: 'greet' | 'no-greeting' };
 *   }
 * }
 * { field: 'isGreeting', name: 'greeting', kind: 'flag', usual: false, rank: 13, only: 'event-started',
 *   option: described('command.setting.greeting'), line: 'panel.setting.greeting' }
 */
export interface FlagSetting {
  field: keyof FeatureFlags;
  /** Its name as an option of commands and in files. */
  name: FlagName;
  kind: 'flag';
  usual: false;
  rank: number;
  /** The kind of announcement that it concerns: only subscriptions that can ask for that have it. */
  only: AnnouncementKind;
  /** What describes its option, in every language: `described('command.setting.…')`. */
  option: { description: string; description_localizations: Readonly<Partial<Record<string, string | null>>> };
  /** The key of its line in the panel, where it is on. */
  line: `panel.setting.${FlagName}`;
  /** The terms in the filter language that an offer also has to match where the flag is on. Absent: the flag chooses nothing. */
  terms?: string;
}

/** The fields that features add to subscriptions, besides flags. Where one was never set, a subscription has no such field. */
// biome-ignore lint/suspicious/noEmptyInterface: Features add members by declaration merging.
export interface SubscriptionFields {}

/**
 * A field that a feature adds to subscriptions. People set it in the feature's own way, and by an option of commands where it
 * has one.
 * @example
 * declare module '../../deals/settings.ts' {
 *   interface SubscriptionFields {
 *     greeting: { text: string };
 *   }
 * }
 * { field: 'greeting', name: 'greeting', kind: 'field', usual: undefined, inFiles: {
 *   schema: () => z.strictObject({ text: z.string() }), names: ['text'], written: (stored) => readGreeting(stored) } }
 */
export interface FieldSetting {
  field: keyof SubscriptionFields;
  /** Its name in files. */
  name: keyof SubscriptionFields;
  kind: 'field';
  usual: undefined;
  /** The name of the core's setting behind which it stands in files and in the panel; absent: behind all others. */
  after?: CoreSetting['name'];
  /** An option of the commands that add and change subscriptions, and its place: the most used come first. */
  option?: { data: APIApplicationCommandBasicOption; rank: number };
  /** The value's line in the panel; null for none. */
  line?(value: unknown, translator: Translator): string | null;
  /** The value in the one line of a list; null for none. */
  inShort?(value: unknown, translator: Translator): string | null;
  /**
   * Stands for what the value means, where two subscriptions with different values are not the same request. Absent: it
   * doesn't count.
   */
  meaning?(value: unknown): string;
  inFiles: FormInFiles;
}

/** How a value stands in a file that people edit. */
export interface FormInFiles {
  /**
   * Reads what a file says: undefined where that says nothing. A mistake whose sentence is the feature's own is an issue
   * `custom` with the sentence (a `LocalizedText`) as `params.mistake`.
   */
  schema: (parts: PartsOfFiles) => z.ZodType;
  /** The names of what is in it, which a misspelt one may stand for. */
  names: readonly string[];
  /** The form of a stored value, whatever that is; undefined where it says nothing. Equal values have equal forms. */
  written: (stored: unknown) => unknown;
  /** The value that a file says, with what the bot has noted in the former one, which files don't say. */
  kept?: (value: unknown, former: unknown) => unknown;
  /** How roles are written that a file of another program mentions. At most one feature has them. */
  roles?: { most: number; entry: (roleId: string, filter: string) => object };
}

/** What the schemas of fields are made of, in a subscription to a source. */
export interface PartsOfFiles {
  /** An id of Discord's. */
  id: z.ZodType<string>;
  /** In the filter language, '' included. */
  filter: z.ZodType<string>;
  /** Those of the source, in their order. */
  kinds: z.ZodType<AnnouncementKind[]>;
}

type CoreSetting = (typeof SETTINGS)[number];
/** A setting of the core's, or a flag or a field of a feature. */
export type Setting = CoreSetting | FlagSetting | FieldSetting;
export type SettingName = Setting['name'];
/** The settings of each kind, written so that TypeScript infers the kind from the setting. */
type SettingsByKind = { [K in SettingKind]: Extract<Setting, { kind: K }> & { kind: K } };
export type SettingOf<K extends SettingKind> = SettingsByKind[K];

export interface ValueOfKind extends OwnValueOfKind {
  choice: SettingOf<'choice'>['choices'][number];
  field: unknown;
}
type ValueOf<S extends Setting> = S extends { choices: readonly (infer Choice)[] } ? Choice : ValueOfKind[S['kind']];
type CoreValues = { [S in CoreSetting as S['field']]: ValueOf<S> };
/** The value of each setting by its field, wherever that is. */
export type Values = CoreValues & { [Field in keyof FeatureFlags]?: boolean } & Partial<SubscriptionFields>;

type TimingField = Extract<Setting, { isTiming: true }>['field'];
type PacingField = Extract<Setting, { isPacing: true }>['field'];
/** When matches are posted. */
export type Timing = Pick<Values, TimingField>;
/** What people can set of a subscription. */
export type Settings = Omit<Values, TimingField> & { timing: Timing };
/** When posts come, and how many: what a person sets for all of their subscriptions. */
export type Pacing = Pick<Values, Exclude<PacingField, TimingField>> & { timing: Timing };

/** All settings: the core's, then the flags of features, the most used first, then their fields. */
export function settingsWith(flags: readonly FlagSetting[], fields: readonly FieldSetting[]): readonly Setting[] {
  const behind = (name: string | undefined) => fields.filter(({ after }) => after === name);
  const ofCore = SETTINGS.flatMap((setting) => [setting, ...behind(setting.name)]);
  return [...ofCore, ...flags.toSorted((a, b) => a.rank - b.rank), ...behind(undefined)];
}

/** The value of a setting; its default where there is none. */
export function settingValue(setting: Setting, settings: Settings): unknown {
  const values: Readonly<Partial<Record<Setting['field'], unknown>>> =
    'isTiming' in setting ? settings.timing : settings;
  return values[setting.field] ?? setting.usual;
}

/** What to do with the value of a setting, by the setting's kind. */
export type ForValues<Result, Context = void> = {
  [K in SettingKind]: (value: ValueOfKind[K], setting: SettingOf<K>, context: Context) => Result;
};

/** Does what is to be done with the value of a setting of its kind. */
export function forValue<K extends SettingKind, Result, Context = void>(
  functions: ForValues<Result, Context>,
  setting: SettingOf<K>,
  settings: Settings,
  context: Context,
): Result {
  // The field of a setting holds a value of its kind: `Values` is made so, but TypeScript can't see it for every kind.
  const value = settingValue(setting, settings) as ValueOfKind[K];
  return functions[setting.kind](value, setting, context);
}

/** What to read from an input, by the setting's kind; undefined for no value. */
export type Readers<In> = {
  [K in SettingKind]: (input: In, setting: SettingOf<K>) => ValueOfKind[K] | undefined;
};

/** The values that are in the inputs, for the settings that have one. @param inputOf undefined for no input */
export function readValues<In>(
  readers: Readers<In>,
  settings: readonly Setting[],
  inputOf: (setting: Setting) => In | undefined,
): Partial<Values> {
  const values: Partial<Record<Setting['field'], unknown>> = {};
  for (const setting of settings) {
    const input = inputOf(setting);
    const value = input === undefined ? undefined : readOne(readers, setting, input);
    if (value !== undefined) values[setting.field] = value;
  }
  // Each reader makes values of its kind.
  return values as Partial<Values>;
}

function readOne<K extends SettingKind, In>(readers: Readers<In>, setting: SettingOf<K>, input: In) {
  return readers[setting.kind](input, setting);
}

type PlainSetting = Exclude<CoreSetting, { isTiming: true }>;
const isPlain = (setting: CoreSetting): setting is PlainSetting => !('isTiming' in setting);
const isPacing = (setting: CoreSetting) => 'isPacing' in setting;
const PLAIN_SETTINGS = SETTINGS.filter(isPlain);
const TIMING_SETTINGS = SETTINGS.filter((setting) => 'isTiming' in setting);
/** What a person sets for all of their subscriptions. */
export const PACING_SETTINGS: readonly Setting[] = SETTINGS.filter(isPacing);

const PLAIN_FIELDS = PLAIN_SETTINGS.map(({ field }) => field);
const TIMING_FIELDS = TIMING_SETTINGS.map(({ field }) => field);
const PACING_FIELDS = PLAIN_SETTINGS.filter((setting) => 'isPacing' in setting).map(({ field }) => field);

/** The default of each setting. */
const USUAL_VALUES = defaults(({ usual }) => usual);
/** The settings of a new subscription. */
export const USUAL_SETTINGS = coreSettings(USUAL_VALUES);
export const USUAL_TIMING = USUAL_SETTINGS.timing;
/** The pacing of a person's subscriptions until they choose another. */
export const USUAL_PACING_OF_PERSON = pacingOf(
  coreSettings(defaults((setting) => ('usualOfPerson' in setting ? setting.usualOfPerson : setting.usual))),
);

function defaults(defaultOf: (setting: CoreSetting) => unknown): CoreValues {
  // A row's default is a value of its kind: the rows' type says so, but a list of rows doesn't tell which is whose.
  return Object.fromEntries(SETTINGS.map((setting) => [setting.field, defaultOf(setting)])) as CoreValues;
}

/** The same with some values changed. What a feature adds and was never set stays absent until it is. */
export function withValues<T extends Settings>(before: T, changes: Partial<Values>): T {
  const entries = Object.entries(changes).filter(([field, value]) => isOfCore(field) || value || field in before);
  const isTiming = ([field]: readonly [string, unknown]) => TIMING_FIELDS.some((one) => one === field);
  const [timing, plain] = [entries.filter(isTiming), entries.filter((entry) => !isTiming(entry))];
  return { ...before, ...Object.fromEntries(plain), timing: { ...before.timing, ...Object.fromEntries(timing) } };
}

function coreSettings(values: Values): Settings {
  return { ...picked(values, PLAIN_FIELDS), timing: picked(values, TIMING_FIELDS) };
}

const isOfCore = (field: string) => SETTINGS.some((setting) => setting.field === field);

/** The pacing alone of something that has more. */
export function pacingOf(settings: Pacing): Pacing {
  return { ...picked(settings, PACING_FIELDS), timing: settings.timing };
}

function picked<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  // `fromEntries` forgets which keys it was given.
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

/** The form of a stored value. */
const STORED: Readonly<Record<CoreSetting['kind'], z.ZodType>> = {
  // Without its filter, a subscription would match far more than people want.
  filter: z.string(),
  whole: z.number().optional(),
  choice: z.string().optional(),
  time: z.number().optional(),
  zone: z.string().optional(),
  hours: z.looseObject({}).nullable().optional(),
  tags: z.array(z.string()).optional(),
  flag: z.boolean().optional(),
};

const storedForms = (settings: readonly CoreSetting[]) =>
  Object.fromEntries(settings.map(({ field, kind }) => [field, STORED[kind]]));
const STORED_TIMING = z.looseObject(storedForms(TIMING_SETTINGS));

/** The forms of the fields of a stored subscription, and of a stored person. A setting may be newer than the record. */
export const STORED_SETTINGS = { ...storedForms(PLAIN_SETTINGS), timing: STORED_TIMING };
export const STORED_PACING = { ...storedForms(PLAIN_SETTINGS.filter(isPacing)), timing: STORED_TIMING };

/**
 * A record with the defaults of the settings that it was stored without. One that has all of them is returned as it is: a
 * copy takes 0.8 KiB more than what JSON was parsed to, and nearly all of 100,000 records have them.
 */
export function withDefaults<Fields extends Pacing, T extends Fields>(stored: T, usual: Fields): T {
  if (hasAllOf(stored, usual) && hasAllOf(stored.timing, usual.timing)) return stored;
  return { ...usual, ...stored, timing: { ...usual.timing, ...stored.timing } };
}

const hasAllOf = (record: object, usual: object) => Object.keys(usual).every((field) => field in record);
