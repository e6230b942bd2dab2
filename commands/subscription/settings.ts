import type { Guild } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { type Filter, filterFromOptions, parseFilter } from '../../src/deals/filter/index.ts';
import { MOST_PER_HOUR, type Subscription, TIMING_MODES, type Timing } from '../../src/deals/subscription.ts';
import { parseHours, parseTimeOfDay, timeZoneNamed, timeZonesNear } from '../../src/deals/time-of-day.ts';
import { isTimeZone } from '../../src/deals/timing.ts';
import { sayMistake } from '../../src/discord/filter-mistake.ts';
import { described, named } from '../../src/discord/i18n/command-words.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import { escapeLine } from '../../src/discord/markdown.ts';
import { requireRole, type TargetChannel } from '../../src/discord/permissions.ts';
import { checking, InputError, type TypedOptions } from './typed-options.ts';

const { String: TEXT, Integer, Number: AMOUNT, Boolean: FLAG, Role } = ApplicationCommandOptionType;

/** All settings that have an option, the most used first. */
export const SETTING_NAMES = [
  'words',
  'max-price',
  'min-discount',
  'filter',
  'role',
  'mode',
  'at',
  'quiet-hours',
  'time-zone',
  'most-per-hour',
  'price-drop',
  'tag',
  'publish',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

/** Settings that test a price, which only offers and events have. */
export const PRICE_SETTINGS: ReadonlySet<SettingName> = new Set(['max-price', 'min-discount', 'price-drop']);

/** The highest price that a filter takes. */
const MOST_DOLLARS = 999_999_999;

/** An option of a command; a number has bounds. */
type Bounded = APIApplicationCommandBasicOption & { min_value?: number; max_value?: number };

/** The options for new and for existing subscriptions. */
export const SETTING_OPTIONS: readonly (APIApplicationCommandBasicOption & { name: SettingName })[] = [
  { type: TEXT, name: 'words', ...described('command.subscription.words'), max_length: 500 },
  { type: AMOUNT, name: 'max-price', ...described('command.subscription.max-price'), min_value: 0 },
  {
    type: Integer,
    name: 'min-discount',
    ...described('command.subscription.min-discount'),
    min_value: 1,
    max_value: 100,
  },
  { type: TEXT, name: 'filter', ...described('command.subscription.filter'), autocomplete: true, max_length: 2000 },
  { type: Role, name: 'role', ...described('command.subscription.role') },
  {
    type: TEXT,
    name: 'mode',
    ...described('command.subscription.mode'),
    choices: TIMING_MODES.map((mode) => ({ ...named(`command.subscription.mode.${mode}`), value: mode })),
  },
  { type: TEXT, name: 'at', ...described('command.subscription.at'), max_length: 20 },
  { type: TEXT, name: 'quiet-hours', ...described('command.subscription.quiet-hours'), max_length: 40 },
  {
    type: TEXT,
    name: 'time-zone',
    ...described('command.subscription.time-zone'),
    autocomplete: true,
    max_length: 100,
  },
  {
    type: Integer,
    name: 'most-per-hour',
    ...described('command.subscription.most-per-hour'),
    min_value: 1,
    max_value: MOST_PER_HOUR,
  },
  { type: Integer, name: 'price-drop', ...described('command.subscription.price-drop'), min_value: 1, max_value: 99 },
  { type: TEXT, name: 'tag', ...described('command.subscription.tag'), autocomplete: true },
  { type: FLAG, name: 'publish', ...described('command.subscription.publish') },
];

/**
 * Applies the options to a subscription.
 * @param where the channel that it is going to post in
 * @throws InputError where an option is invalid, or does not suit this source or channel
 */
export async function settingsFrom(
  typed: TypedOptions,
  guild: Guild | null,
  where: TargetChannel,
): Promise<(before: Subscription) => Subscription> {
  const roleId = typed.get('role') ?? null;
  if (roleId !== null) await checking('role', () => requireRole(guild, roleId));
  const publish = typed.get('publish');
  return (before) => {
    const priceDrop = numberIn(typed, 'price-drop');
    if (priceDrop !== null && before.source.kind !== 'feed') {
      const told = { option: 'price-drop', source: 'feed' };
      throw new InputError(['price-drop'], message('subscription.onlyWith', told));
    }
    if (publish === 'true' && !where.isPublishable) {
      const told = { channel: `<#${where.channel.id}>` };
      throw new InputError(['publish'], message('subscription.notPublishable', told));
    }
    const isPublished = publish === undefined ? before.isPublished : publish === 'true';
    return {
      ...before,
      channelId: where.channel.id,
      target: where.target,
      filter: filterFrom(typed, before),
      timing: timingOf(typed, before),
      mentionRoleId: roleId ?? before.mentionRoleId,
      tagIds: tagsFrom(typed.get('tag') ?? null, before, where),
      mostPerHour: numberIn(typed, 'most-per-hour') ?? before.mostPerHour,
      priceDropPercent: priceDrop ?? before.priceDropPercent,
      isPublished: isPublished && where.isPublishable,
    };
  };
}

/** The number of an option, within the option's bounds; null where it has none. @throws InputError */
export function numberIn(typed: TypedOptions, name: string, options: readonly Bounded[] = SETTING_OPTIONS) {
  const text = typed.get(name);
  if (text === undefined) return null;
  const option = options.find((candidate) => candidate.name === name);
  const { min_value: least = 0, max_value: most = MOST_DOLLARS } = option ?? {};
  if (option?.type === AMOUNT) {
    const amount = /^\$?\d{1,12}([.,]\d{1,20})?$/.test(text) ? Number(text.replace('$', '').replace(',', '.')) : -1;
    if (amount < least) throw new InputError([name], message('limits.noPrice', { text: escapeLine(text) }));
    return amount;
  }
  const number = /^\d{1,4}\s*%?$/.test(text) ? Number.parseInt(text, 10) : -1;
  if (number < least || number > most) {
    throw new InputError([name], message('limits.noNumber', { text: escapeLine(text), least, most }));
  }
  return number;
}

/** Combines the simple options and the filter option into one filter; unchanged where none is given. */
function filterFrom(typed: TypedOptions, { filter: before, source }: Subscription): string {
  const words = typed.get('words') ?? null;
  const maxPrice = numberIn(typed, 'max-price');
  const minDiscount = numberIn(typed, 'min-discount');
  const written = typed.get('filter') ?? null;
  const hasPrices = source.kind === 'feed' || source.kind === 'events';
  const priced = (maxPrice !== null && 'max-price') || (minDiscount !== null && 'min-discount');
  if (priced && !hasPrices) {
    throw new InputError([priced], message('subscription.noPrices', { option: priced }));
  }
  if (words === null && !priced && written === null) return before;
  const simple = filterFromOptions({ words, maxPrice, minDiscount });
  // Parsed separately, so that the position of a mistake refers to the person's input.
  const filter = filterOf('filter', written ?? '');
  const own = filter.root.kind === 'any' && simple !== '' ? `(${filter.text})` : filter.text;
  return filterOf(words === null ? 'filter' : 'words', `${simple} ${own}`.trim()).text;
}

/** @throws InputError that blames the option for the mistake */
export function filterOf(option: SettingName, text: string): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new InputError([option], sayMistake(parsed.problem, text));
  return parsed.filter;
}

function timingOf(typed: TypedOptions, before: Subscription): Subscription['timing'] {
  const at = typed.get('at') ?? null;
  const mode = TIMING_MODES.find((candidate) => candidate === typed.get('mode')) ?? (at === null ? null : 'daily');
  if (at !== null && mode !== 'daily') throw new InputError(['mode', 'at'], message('times.onlyDaily'));
  return timingFrom(before.timing, {
    mode,
    at,
    timeZone: typed.get('time-zone') ?? null,
    quietHours: typed.get('quiet-hours') ?? null,
  });
}

/** @throws InputError where the forum has no such tag, or requires one and gets none */
function tagsFrom(typed: string | null, before: Subscription, where: TargetChannel): string[] {
  const { tags, isTagRequired, target, channel } = where;
  const told = { channel: `<#${channel.id}>`, tags: tags.map(({ name }) => escapeLine(name)) };
  if (typed !== null) {
    if (target !== 'forum') {
      throw new InputError(['tag'], message('subscription.tagOutsideForum', { channel: told.channel }));
    }
    const tag = tags.find(({ id, name }) => id === typed || name.toLowerCase() === typed.trim().toLowerCase());
    if (!tag) throw new InputError(['tag'], message('subscription.unknownTag', told));
    return [tag.id];
  }
  const kept = before.tagIds.filter((id) => tags.some((tag) => tag.id === id)).slice(0, LIMITS.appliedTags);
  if (isTagRequired && kept.length === 0) throw new InputError(['tag'], message('subscription.tagRequired', told));
  return kept;
}

/** Times as typed by a person; null keeps the present value. */
interface WrittenTimes {
  mode: Timing['mode'] | null;
  /** The time of a daily digest. */
  at: string | null;
  timeZone: string | null;
  /** Empty or `off` for none. */
  quietHours: string | null;
}

/** @throws InputError that names the invalid value and its format */
export function timingFrom(before: Timing, { mode, at, timeZone, quietHours }: WrittenTimes): Timing {
  return {
    mode: mode ?? before.mode,
    dailyAtMinute: at === null ? before.dailyAtMinute : requireTime(at),
    timeZone: timeZone === null ? before.timeZone : requireTimeZone(timeZone),
    quiet: quietHours === null ? before.quiet : requireHours(quietHours),
  };
}

function requireTime(text: string): number {
  const minute = parseTimeOfDay(text);
  if (minute === null) throw new InputError(['at'], message('times.noTime', { text: escapeLine(text) }));
  return minute;
}

function requireTimeZone(text: string): string {
  const zone = timeZoneNamed(text);
  if (zone === null || !isTimeZone(zone)) {
    const told = { text: escapeLine(text), zones: { either: timeZonesNear(text) } };
    throw new InputError(['time-zone'], message('times.noZone', told));
  }
  return zone;
}

function requireHours(text: string): Timing['quiet'] {
  if (['', 'off', '-'].includes(text.trim().toLowerCase())) return null;
  const hours = parseHours(text);
  if (hours === null) throw new InputError(['quiet-hours'], message('times.noHours', { text: escapeLine(text) }));
  return hours;
}
