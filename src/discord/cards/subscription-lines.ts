import { describeKind, kindOf } from '../../announcements/kinds/index.ts';
import { KINDS_OF } from '../../announcements/kinds/of-source.ts';
import type { AnnouncementKind } from '../../deals/announcement.ts';
import type { PublishingHindrance } from '../../deals/decision.ts';
import { filterOf } from '../../deals/filter-of.ts';
import {
  type ForValues,
  forValue,
  PACING_SETTINGS,
  type Setting,
  type Settings,
  type Timing,
} from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../../deals/time-of-day.ts';
import { isTimeZone } from '../../deals/timing.ts';
import { timestamp } from '../format.ts';
import { isWordKey, type Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine, inlineCode } from '../markdown.ts';
import type { Line } from './parts.ts';

/** A forum tag. The name is foreign text. */
export interface Tag {
  id: string;
  name: string;
}

interface SettingsView {
  subscription: Subscription;
  /** All that there are. */
  settings: readonly Setting[];
  /** Those of its forum. */
  tags: readonly Tag[];
}

/** All settings of a subscription, one per line in plain words. */
export function settingLines({ subscription, settings, tags }: SettingsView, translator: Translator): Line[] {
  const { source, kinds } = subscription;
  const shown = { ...subscription, filter: filterText(subscription, settings) };
  const linesOf = (some: readonly Setting[]) => linesFor(some, shown, { tags, translator });
  const own = (kind: AnnouncementKind) => settings.filter((setting) => 'only' in setting && setting.only === kind);
  return [
    KINDS_OF[source.kind].all.length > 1 ? translator.t('panel.kinds', { kinds: kindNames(kinds, translator) }) : null,
    ...linesOf(settings.filter(({ kind }) => kind === 'filter')),
    ...kinds.flatMap((kind) => {
      const { note } = kindOf({ kind });
      return [...linesOf(own(kind)), note ? translator.translate(note) : null];
    }),
    ...linesOf(settings.filter((setting) => setting.kind !== 'filter' && !('only' in setting))),
  ];
}

/** When it posts, and how much per hour, one setting per line. @public for features */
export function pacingLines(subscription: Subscription, translator: Translator): Line[] {
  return linesFor(PACING_SETTINGS, subscription, { tags: [], translator });
}

interface LineContext {
  /** Those of the subscription's forum. */
  tags: readonly Tag[];
  translator: Translator;
}

function linesFor(settings: readonly Setting[], subscription: Settings, context: LineContext): Line[] {
  return settings.map((setting) => forValue(LINES, setting, subscription, { ...context, timing: subscription.timing }));
}

/** The line of a setting in the panel; null for none. */
const LINES: ForValues<string | null, LineContext & { timing: Timing }> = {
  filter: (filter, { name }, { translator }) =>
    filter === ''
      ? translator.t(`panel.noSetting.${name}`)
      : translator.t(`panel.setting.${name}`, { filter: inlineCode(filter) }),
  whole: (value, { name }, { translator }) =>
    translator.t(`panel.setting.${name}`, { count: value, percent: translator.percent(value) }),
  choice: (choice, setting, { timing, translator }) =>
    translator.t(`panel.setting.${setting.name}`, {
      choice: choice === 'daily' ? whenOf(timing, translator) : translator.t(`choice.${choice}`),
    }),
  // The line of the mode tells the time of the digest, and its zone.
  time: () => null,
  zone: () => null,
  hours: (hours, { name }, { timing, translator }) =>
    hours && translator.t(`panel.setting.${name}`, { hours: formatHours(hours), zone: timing.timeZone }),
  tags: (ids, { name }, { tags, translator }) => {
    const own = tags.filter(({ id }) => ids.includes(id)).map((tag) => escapeLine(tag.name));
    return own.length > 0 ? translator.t(`panel.setting.${name}`, { tags: translator.list(own) }) : null;
  },
  flag: (isSet, setting, { translator }) =>
    isSet ? translator.t('line' in setting ? setting.line : `panel.setting.${setting.name}`) : null,
  field: (value, setting, { translator }) => setting.line?.(value, translator) ?? null,
};

/** The filter with the terms of the settings that choose; as it stands where it can't be read. */
function filterText(subscription: Subscription, settings: readonly Setting[]): string {
  return filterOf(subscription, settings)?.text ?? subscription.filter;
}

const MOST_FILTER = 120;

/** The settings that differ from the defaults, for one line. */
export function settingsInShort(
  { subscription, settings }: Pick<SettingsView, 'subscription' | 'settings'>,
  translator: Translator,
): string[] {
  const { source, kinds } = subscription;
  const filter = filterText(subscription, settings);
  const usual: readonly string[] = KINDS_OF[source.kind].usual;
  const areUsual = kinds.length === usual.length && kinds.every((kind) => usual.includes(kind));
  return [
    !areUsual && kindNames(kinds, translator),
    filter !== '' && inlineCode(clamp(filter, MOST_FILTER)),
    ...timingInShort(subscription, translator),
    ...settings.map((one) => one.kind === 'field' && one.inShort?.(subscription[one.field], translator)),
  ].filter((part) => typeof part === 'string');
}

/** When it posts, where that is not at once and at any hour. */
export function timingInShort({ timing }: Subscription, translator: Translator): string[] {
  const { mode, quiet, timeZone: zone } = timing;
  return [
    (mode !== 'at-once' || quiet) && whenOf(timing, translator),
    quiet && translator.t('panel.quietShort', { hours: formatHours(quiet), zone }),
  ].filter((part) => typeof part === 'string');
}

/** Why the subscription is paused, and problems with its channel or time zone; null where there is none. */
export function stateLine({ pausedBy, problem, timing }: Subscription, translator: Translator): string | null {
  const zone = escapeLine(timing.timeZone);
  const state = [
    pausedBy === 'person' && `⏸ ${translator.t('panel.paused')}`,
    problem !== null && `⚠ ${problemOf(problem, translator)}`,
    !isTimeZone(timing.timeZone) && `⚠ ${translator.t('problem.unknown-time-zone', { zone })}`,
    // Where the bot has left the whole server, choosing another channel does not help.
    pausedBy === 'gone' && problem !== 'server-gone' && translator.t('panel.gone'),
  ].filter(Boolean);
  return state.length > 0 ? state.join(' ') : null;
}

/** How many deals the channel's hourly limit holds back, and until when: epoch milliseconds. */
export function limitText(
  { waiting, nextPostAtMs }: { waiting: number; nextPostAtMs: number },
  translator: Translator,
): string {
  return translator.t('panel.limit', { count: waiting, at: timestamp(nextPostAtMs, 't') });
}

/** How many posts wait to be published in the channel, until when (epoch milliseconds), and why. */
export function publishingText(
  { waiting, nextAtMs, because }: { waiting: number; nextAtMs: number; because: PublishingHindrance },
  translator: Translator,
): string {
  const key = because === 'limit' ? 'panel.publishing' : 'panel.publishingLater';
  return translator.t(key, { count: waiting, at: timestamp(nextAtMs, 't') });
}

function whenOf({ mode, dailyAtMinute, timeZone }: Timing, translator: Translator): string {
  if (mode !== 'daily') return translator.t(`choice.${mode}`);
  return translator.t('panel.daily', { time: formatTimeOfDay(dailyAtMinute), zone: timeZone });
}

export function kindNames(kinds: Subscription['kinds'], translator: Translator): string {
  return translator.list(kinds.map((kind) => describeKind(kind, translator)));
}

/** Translates a problem's key; state of older versions holds whole sentences instead. */
export function problemOf(problem: string, translator: Translator): string {
  const key = `problem.${problem}`;
  return isWordKey(key) ? translator.translate({ key, values: {} }) : escapeLine(problem);
}

/** Who added the subscription, and when. */
export function addedLine({ createdBy, createdAtMs }: Subscription, translator: Translator): string {
  const at = timestamp(createdAtMs, 'R');
  // The command line adds subscriptions for nobody on Discord.
  return createdBy === ''
    ? translator.t('subscriptions.byFile', { at })
    : translator.t('subscriptions.by', { person: `<@${createdBy}>`, at });
}
