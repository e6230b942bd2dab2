import { KINDS_OF, newSubscription } from '../announcements/kinds/of-source.ts';
import { type LookSettings, USUAL_LOOK } from '../deals/look.ts';
import type { Source, Subscription } from '../deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../deals/time-of-day.ts';

/** The part of a subscription that a file sets. What the bot notes of it stays out of files. */
export type Settings = Pick<
  Subscription,
  | 'channelId'
  | 'source'
  | 'kinds'
  | 'filter'
  | 'priceDropPercent'
  | 'timing'
  | 'mostPerHour'
  | 'mentionRoleId'
  | 'isPublished'
  | 'tagIds'
> & {
  /** null where the file does not say it. */
  target: Subscription['target'] | null;
  look: LookSettings;
  isPaused: boolean;
};

/** A subscription as it stands in a file: only what differs from the defaults, by the file's names. */
export type Entry = Readonly<Record<string, unknown>>;

/** The settings of a subscription. */
export function settingsOf(subscription: Subscription): Settings {
  const { channelId, target, source, kinds, filter, priceDropPercent, timing, mostPerHour } = subscription;
  const { mentionRoleId, isPublished, tagIds, look = {}, pausedBy } = subscription;
  const settings = { channelId, target, source, kinds, filter, priceDropPercent, timing, mostPerHour };
  return { ...settings, mentionRoleId, isPublished, tagIds, look, isPaused: pausedBy === 'person' };
}

/** The settings of a new subscription to a source, for which nothing else is set. */
export function usualSettings(channelId: string, source: Source): Settings {
  const usual = newSubscription({
    id: '',
    guildId: '',
    channelId,
    source,
    createdBy: '',
    createdAtMs: 0,
    catchUp: 0,
  });
  return { ...settingsOf(usual), target: null };
}

/** The entry for settings. Equal settings have equal entries, whatever the order of their lists. */
export function entryOf(settings: Settings): Entry {
  const { source, timing, look, target } = settings;
  const usual = usualSettings(settings.channelId, source);
  const unless = <T>(value: T, usualValue: T, name: string, written: unknown = value) =>
    value === usualValue ? {} : { [name]: written };
  const { all } = KINDS_OF[source.kind];
  const kinds = all.filter((kind) => settings.kinds.includes(kind));
  return {
    channel: settings.channelId,
    ...(target !== null && unless(target, 'channel', 'target')),
    ...sourceEntry(source),
    ...unless(kinds.join(), all.filter((kind) => usual.kinds.includes(kind)).join(), 'kinds', kinds),
    ...unless(settings.filter, '', 'filter'),
    ...(source.kind === 'feed' && unless(settings.priceDropPercent, usual.priceDropPercent, 'price-drop')),
    ...unless(timing.mode, usual.timing.mode, 'mode'),
    ...(timing.mode === 'daily' && { at: formatTimeOfDay(timing.dailyAtMinute) }),
    ...unless(timing.timeZone, usual.timing.timeZone, 'time-zone'),
    ...(timing.quiet && { 'quiet-hours': formatHours(timing.quiet).replace('–', '-') }),
    ...unless(settings.mostPerHour, usual.mostPerHour, 'most-per-hour'),
    ...unless(settings.mentionRoleId, null, 'role'),
    ...(settings.tagIds.length > 0 && { tags: settings.tagIds.toSorted() }),
    ...unless(settings.isPublished, false, 'publish'),
    ...(Object.keys(look).length > 0 && { look: lookEntry(look) }),
    ...unless(settings.isPaused, false, 'paused'),
  };
}

function sourceEntry(source: Source): Entry {
  switch (source.kind) {
    case 'feed':
      return { source: 'feed', feed: source.feed };
    case 'events':
      return {
        source: 'events',
        ...(source.types.length > 0 && { types: source.types.toSorted() }),
        ...(source.sites.length > 0 && { sites: source.sites.toSorted() }),
      };
    default:
      return { source: source.kind };
  }
}

/** The names of a look's settings in files. */
const LOOK_NAMES = {
  style: 'style',
  accent: 'accent',
  line: 'line',
  isSilent: 'silent',
  whenOver: 'when-over',
} as const satisfies Record<keyof LookSettings, string>;

/** The accent of a look that has the colour of the announcement's kind. */
export const KIND_COLOUR = 'auto';

function lookEntry(look: LookSettings): Entry {
  const keys = (Object.keys(USUAL_LOOK) as (keyof LookSettings)[]).filter((key) => look[key] !== undefined);
  return Object.fromEntries(
    keys.map((key) => [LOOK_NAMES[key], key === 'accent' ? colourText(look.accent ?? null) : look[key]]),
  );
}

function colourText(colour: number | null): string {
  return colour === null ? KIND_COLOUR : `#${colour.toString(16).padStart(6, '0')}`;
}
