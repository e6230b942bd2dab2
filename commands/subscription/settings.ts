import type { Guild } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { kindOf } from '../../src/announcements/kinds/index.ts';
import { hasSetting } from '../../src/announcements/kinds/of-source.ts';
import { type Filter, filterFromOptions, parseTyped } from '../../src/deals/filter/index.ts';
import {
  type FieldSetting,
  type FlagSetting,
  type Readers,
  readValues,
  type Setting,
  type SettingKind,
  type SettingName,
  type SettingOf,
  type Values,
  withValues,
} from '../../src/deals/settings.ts';
import type { Source, Subscription } from '../../src/deals/subscription.ts';
import { type Hours, parseHours, parseTimeOfDay, timeZoneNamed, timeZonesNear } from '../../src/deals/time-of-day.ts';
import { isTimeZone } from '../../src/deals/timing.ts';
import { sayMistake } from '../../src/discord/filter-mistake.ts';
import { described, named } from '../../src/discord/i18n/command-words.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import { escapeLine } from '../../src/discord/markdown.ts';
import type { TargetChannel } from '../../src/discord/permissions.ts';
import type { CommandServices, FeatureField } from '../shared.ts';
import { checking, InputError, type TypedOptions } from '../typed-options.ts';

const { String: TEXT, Integer, Number: AMOUNT, Boolean: FLAG } = ApplicationCommandOptionType;

type Option = APIApplicationCommandBasicOption;

/** The bounds of the option for a discount, in percent. */
const DISCOUNT = { least: 1, most: 100 };

/** Options that are parts of a filter, for people who don't write filters. */
const FILTER_PARTS: readonly Option[] = [
  { type: TEXT, name: 'words', ...described('command.subscription.words'), max_length: 500 },
  { type: AMOUNT, name: 'max-price', ...described('command.subscription.max-price'), min_value: 0 },
  {
    type: Integer,
    name: 'min-discount',
    ...described('command.subscription.min-discount'),
    min_value: DISCOUNT.least,
    max_value: DISCOUNT.most,
  },
];
/** The options that test a price: only offers and events have one. */
const PRICE_PARTS: ReadonlySet<string> = new Set(['max-price', 'min-discount']);

const hasPrices = (source: Source['kind']) => source === 'feed' || source === 'events';

type KindOfOption = Exclude<SettingKind, 'field'>;

/** The option for a setting, by the setting's kind. */
const OPTIONS: { [K in KindOfOption]: (setting: SettingOf<K>) => Option } = {
  filter: (setting) => ({ type: TEXT, ...wordsOf(setting), autocomplete: true, max_length: 2000 }),
  whole: (setting) => ({ type: Integer, ...wordsOf(setting), min_value: setting.least, max_value: setting.most }),
  choice: (setting) => ({
    type: TEXT,
    ...wordsOf(setting),
    choices: setting.choices.map((choice) => ({ ...named(`choice.${choice}`), value: choice })),
  }),
  time: (setting) => ({ type: TEXT, ...wordsOf(setting), max_length: 20 }),
  zone: (setting) => ({ type: TEXT, ...wordsOf(setting), autocomplete: true, max_length: 100 }),
  hours: (setting) => ({ type: TEXT, ...wordsOf(setting), max_length: 40 }),
  tags: (setting) => ({ type: TEXT, ...wordsOf(setting), autocomplete: true }),
  flag: (setting) => ({
    type: FLAG,
    ...('option' in setting ? { name: setting.name, ...setting.option } : wordsOf(setting)),
  }),
};

const wordsOf = ({ name }: Exclude<Setting, FlagSetting | FieldSetting>) => ({
  name,
  ...described(`command.setting.${name}`),
});

/** The option with which a command takes the setting. */
export function optionOf<K extends KindOfOption>(setting: SettingOf<K>): Option {
  return OPTIONS[setting.kind](setting);
}

/** The options for new and for existing subscriptions. @param source null for a subscription to any source */
export function settingOptions(source: Source['kind'] | null, settings: readonly Setting[]): Option[] {
  return [
    ...FILTER_PARTS.filter(({ name }) => source === null || hasPrices(source) || !PRICE_PARTS.has(name)),
    ...optionsFor(settings.filter((setting) => source === null || hasSetting(source, setting))),
  ];
}

/** The options for some settings, the most used first. */
export function optionsFor(settings: readonly Setting[]): Option[] {
  return settings
    .flatMap((setting) => {
      if (setting.kind === 'field') return setting.option ?? [];
      return { data: optionOf(setting), rank: setting.rank };
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ data }) => data);
}

/**
 * Applies the options to a subscription.
 * @param where the channel that it is going to post in
 * @throws InputError where an option is invalid, or does not suit this source or channel
 */
export async function settingsFrom(
  typed: TypedOptions,
  source: Source['kind'],
  { settings, fields }: CommandServices,
  guild: Guild | null,
  where: TargetChannel,
): Promise<(before: Subscription) => Subscription> {
  for (const setting of settings.filter(({ name }) => typed.has(name))) {
    const { name } = setting;
    if ('only' in setting && !hasSetting(source, setting)) {
      const values = { option: name, source: kindOf({ kind: setting.only }).source };
      throw new InputError([name], message('subscription.onlyWith', values));
    }
  }
  if (typed.get('publish') === 'true' && !where.isPublishable) {
    const values = { channel: `<#${where.channel.id}>` };
    throw new InputError(['publish'], message('subscription.notPublishable', values));
  }
  const changes = await changesOf(typed, fields, guild);
  const filter = filterFrom(typed, source);
  const values = valuesIn(withDailyMode(typed), settings);
  return (before) => {
    const after = withValues(before, { ...values, ...(filter !== null && { filter }) });
    const altered = {
      ...after,
      channelId: where.channel.id,
      target: where.target,
      tagIds: tagsFrom(typed.get('tag') ?? null, before, where),
      isPublished: after.isPublished && where.isPublishable,
    };
    return changes.reduce((one, change) => change(one), altered);
  };
}

/** The changes by the options of features' fields. @throws InputError where one is invalid */
async function changesOf(typed: TypedOptions, fields: readonly FeatureField[], guild: Guild | null) {
  const changes: ((before: Subscription) => Subscription)[] = [];
  for (const field of fields) {
    const name = field.option?.data.name ?? '';
    const text = typed.get(name);
    if (text === undefined) continue;
    const change = await checking(name, () => field.read?.(text, guild));
    if (change) changes.push(change);
  }
  return changes;
}

/** The values of the settings that were typed. @throws InputError where one is invalid */
export function valuesIn(typed: TypedOptions, settings: readonly Setting[]): Partial<Values> {
  return readValues(READERS, settings, ({ name }) => typed.get(name));
}

/**
 * A setting's value in a text, by the setting's kind. The emptied input of a form takes a time back to its default.
 * @throws InputError where it holds none
 */
const READERS: Readers<string> = {
  filter: (text, { name }) => filterOf(name, text.trim()).text,
  whole: (text, { name, least, most }) => requireWhole(name, text, { least, most }),
  choice: (text, { choices }) => choices.find((choice) => choice === text),
  time: (text, { name, usual }) => (text.trim() === '' ? usual : requireTime(name, text)),
  zone: (text, { name, usual }) => (text.trim() === '' ? usual : requireTimeZone(name, text)),
  hours: (text, { name }) => (['', 'off', '-'].includes(text.trim().toLowerCase()) ? null : requireHours(name, text)),
  // A tag is one of a channel's: `tagsFrom` reads it.
  tags: () => undefined,
  flag: (text) => text === 'true',
  // No option or form of the core's asks for it.
  field: () => undefined,
};

/** The options with the mode that a time means: a daily digest. @throws InputError where another mode is given */
export function withDailyMode(typed: TypedOptions): TypedOptions {
  if (!typed.has('at')) return typed;
  if ((typed.get('mode') ?? 'daily') !== 'daily') throw new InputError(['mode', 'at'], message('times.onlyDaily'));
  return new Map([...typed, ['mode', 'daily']]);
}

/** The whole number of an option. @throws InputError where it is none within the bounds */
export function requireWhole(name: string, text: string, { least, most }: { least: number; most: number }): number {
  const number = /^\d{1,4}\s*%?$/.test(text) ? Number.parseInt(text, 10) : -1;
  if (number < least || number > most) {
    throw new InputError([name], message('limits.noNumber', { text: escapeLine(text), least, most }));
  }
  return number;
}

function requirePrice(name: string, text: string): number {
  if (!/^\$?\d{1,12}([.,]\d{1,20})?$/.test(text)) {
    throw new InputError([name], message('limits.noPrice', { text: escapeLine(text) }));
  }
  return Number(text.replace('$', '').replace(',', '.'));
}

/** Combines the parts of a filter and the option for a whole one; null where none is given. @throws InputError */
function filterFrom(typed: TypedOptions, source: Source['kind']): string | null {
  const [words, price, discount] = [typed.get('words'), typed.get('max-price'), typed.get('min-discount')];
  const written = typed.get('filter');
  const maxPrice = price === undefined ? null : requirePrice('max-price', price);
  const minDiscount = discount === undefined ? null : requireWhole('min-discount', discount, DISCOUNT);
  const priced = (maxPrice !== null && 'max-price') || (minDiscount !== null && 'min-discount');
  if (priced && !hasPrices(source)) {
    throw new InputError([priced], message('subscription.noPrices', { option: priced }));
  }
  if (words === undefined && !priced && written === undefined) return null;
  const simple = filterFromOptions({ words: words ?? null, maxPrice, minDiscount });
  // Parsed separately, so that the position of a mistake refers to the person's input.
  const filter = filterOf('filter', written ?? '');
  const own = filter.root.kind === 'any' && simple !== '' ? `(${filter.text})` : filter.text;
  return filterOf(words === undefined ? 'filter' : 'words', `${simple} ${own}`.trim()).text;
}

/** @throws InputError that blames the option for the mistake */
function filterOf(option: SettingName | 'words', text: string): Filter {
  const parsed = parseTyped(text);
  if (!parsed.ok) throw new InputError([option], sayMistake(parsed.problem, text));
  return parsed.filter;
}

/** @throws InputError where the forum has no such tag, or requires one and gets none */
function tagsFrom(typed: string | null, before: Subscription, where: TargetChannel): string[] {
  const { tags, isTagRequired, target, channel } = where;
  const values = { channel: `<#${channel.id}>`, tags: tags.map(({ name }) => escapeLine(name)) };
  if (typed !== null) {
    if (target !== 'forum') {
      throw new InputError(['tag'], message('subscription.tagOutsideForum', { channel: values.channel }));
    }
    const tag = tags.find(({ id, name }) => id === typed || name.toLowerCase() === typed.trim().toLowerCase());
    if (!tag) throw new InputError(['tag'], message('subscription.unknownTag', values));
    return [tag.id];
  }
  const kept = before.tagIds.filter((id) => tags.some((tag) => tag.id === id)).slice(0, LIMITS.appliedTags);
  if (isTagRequired && kept.length === 0) throw new InputError(['tag'], message('subscription.tagRequired', values));
  return kept;
}

function requireTime(name: string, text: string): number {
  const minute = parseTimeOfDay(text);
  if (minute === null) throw new InputError([name], message('times.noTime', { text: escapeLine(text) }));
  return minute;
}

function requireTimeZone(name: string, text: string): string {
  const zone = timeZoneNamed(text);
  if (zone === null || !isTimeZone(zone)) {
    const values = { text: escapeLine(text), zones: { either: timeZonesNear(text) } };
    throw new InputError([name], message('times.noZone', values));
  }
  return zone;
}

function requireHours(name: string, text: string): Hours {
  const hours = parseHours(text);
  if (hours === null) throw new InputError([name], message('times.noHours', { text: escapeLine(text) }));
  return hours;
}
