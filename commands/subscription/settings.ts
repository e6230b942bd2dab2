import type { ChatInputCommandInteraction } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { filterFromOptions } from '../../src/bot/deals/filter/index.ts';
import { MOST_PER_HOUR, type Subscription, TIMING_MODES } from '../../src/bot/deals/subscription.ts';
import { requireFilter } from '../../src/bot/discord/filter-mistake.ts';
import { described, named } from '../../src/bot/discord/i18n/command-words.ts';
import { message } from '../../src/bot/discord/i18n/translator.ts';
import { LIMITS } from '../../src/bot/discord/limits.ts';
import { escapeLine } from '../../src/bot/discord/markdown.ts';
import { requireRole, type TargetChannel } from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { timingFrom } from './times.ts';

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
  { type: TEXT, name: 'filter', ...described('command.subscription.filter'), max_length: 2000 },
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
 * @throws UserError where an option is invalid, or does not suit this source or channel
 */
export function settingsFrom(
  interaction: ChatInputCommandInteraction,
  where: TargetChannel,
): (before: Subscription) => Subscription {
  const { options } = interaction;
  const roleId = options.getRole('role')?.id ?? null;
  if (roleId !== null) requireRole(interaction, roleId);
  return (before) => {
    const after: Subscription = {
      ...before,
      channelId: where.channel.id,
      target: where.target,
      filter: filterFrom(interaction, before),
      timing: timingOf(interaction, before),
      mentionRoleId: roleId ?? before.mentionRoleId,
      tagIds: tagsFrom(options.getString('tag'), before, where),
      mostPerHour: options.getInteger('most-per-hour') ?? before.mostPerHour,
      priceDropPercent: options.getInteger('price-drop') ?? before.priceDropPercent,
      isPublished: (options.getBoolean('publish') ?? before.isPublished) && where.isPublishable,
    };
    if (options.getInteger('price-drop') !== null && after.source.kind !== 'feed') throw onlyWith('price-drop', 'feed');
    if (options.getBoolean('publish') && !where.isPublishable) {
      throw new UserError(message('subscription.notPublishable', { channel: `<#${where.channel.id}>` }));
    }
    return after;
  };
}

/** The error that an option requires another source. */
function onlyWith(option: string, source: Subscription['source']['kind']): UserError {
  return new UserError(message('subscription.onlyWith', { option, source }));
}

/** Combines the simple options and the filter option into one filter; unchanged where none is given. */
function filterFrom({ options }: ChatInputCommandInteraction, { filter: before, source }: Subscription): string {
  const words = options.getString('words');
  const maxPrice = options.getNumber('max-price');
  const minDiscount = options.getInteger('min-discount');
  const written = options.getString('filter');
  const hasPrices = source.kind === 'feed' || source.kind === 'events';
  const priced = (maxPrice !== null && 'max-price') || (minDiscount !== null && 'min-discount');
  if (priced && !hasPrices) throw new UserError(message('subscription.noPrices', { option: priced }));
  if (words === null && !priced && written === null) return before;
  const simple = filterFromOptions({ words, maxPrice, minDiscount });
  // Parsed separately, so that the position of a mistake refers to the person's input.
  const filter = requireFilter(written ?? '');
  const own = filter.root.kind === 'any' && simple !== '' ? `(${filter.text})` : filter.text;
  return requireFilter(`${simple} ${own}`.trim()).text;
}

function timingOf({ options }: ChatInputCommandInteraction, before: Subscription): Subscription['timing'] {
  const chosen = options.getString('mode');
  const at = options.getString('at');
  const mode = TIMING_MODES.find((candidate) => candidate === chosen) ?? (at === null ? null : 'daily');
  if (at !== null && mode !== 'daily') throw new UserError(message('times.onlyDaily'));
  return timingFrom(before.timing, {
    mode,
    at,
    timeZone: options.getString('time-zone'),
    quietHours: options.getString('quiet-hours'),
  });
}

/** @throws UserError where the forum has no such tag, or requires one and gets none */
function tagsFrom(typed: string | null, before: Subscription, where: TargetChannel): string[] {
  const { tags, isTagRequired, target, channel } = where;
  const told = { channel: `<#${channel.id}>`, tags: tags.map(({ name }) => escapeLine(name)) };
  if (typed !== null) {
    if (target !== 'forum') throw new UserError(message('subscription.tagOutsideForum', { channel: told.channel }));
    const tag = tags.find(({ id, name }) => id === typed || name.toLowerCase() === typed.trim().toLowerCase());
    if (!tag) throw new UserError(message('subscription.unknownTag', told));
    return [tag.id];
  }
  const kept = before.tagIds.filter((id) => tags.some((tag) => tag.id === id)).slice(0, LIMITS.appliedTags);
  if (isTagRequired && kept.length === 0) throw new UserError(message('subscription.tagRequired', told));
  return kept;
}
