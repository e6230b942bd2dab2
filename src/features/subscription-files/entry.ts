import { isDeepStrictEqual } from 'node:util';
import { hasSetting, KINDS_OF } from '../../announcements/kinds/of-source.ts';
import type { AnnouncementKind } from '../../deals/announcement.ts';
import {
  type ForValues,
  forValue,
  SETTINGS,
  type Setting,
  type Settings,
  settingValue,
  USUAL_SETTINGS,
} from '../../deals/settings.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../../deals/time-of-day.ts';

/** The part of a subscription that a file sets. What the bot notes of it stays out of files. */
export interface FileSettings extends Settings {
  channelId: string;
  source: Source;
  kinds: AnnouncementKind[];
  /** null where the file does not say it. */
  target: Subscription['target'] | null;
  isPaused: boolean;
}

/** A subscription as it stands in a file: only what differs from the defaults, by the file's names. */
export type Entry = Readonly<Record<string, unknown>>;

/**
 * The settings of which a file says nothing: their defaults. Those of features are named, too, so that a file that leaves one out
 * sets it back.
 * @param all those that a subscription can have
 */
export function usualSettings(all: readonly Setting[]): Settings {
  const added = all.filter((setting) => !SETTINGS.some((one) => one === setting));
  return { ...USUAL_SETTINGS, ...Object.fromEntries(added.map(({ field, usual }) => [field, usual])) };
}

/** The name of a setting in files. */
export type FileName<S extends Setting = Setting> = S extends { nameInFiles: infer Name } ? Name : S['name'];

export function fileNameOf(setting: Setting): FileName {
  return 'nameInFiles' in setting ? setting.nameInFiles : setting.name;
}

/**
 * The entry for a subscription. Equal settings have equal entries, whatever the order of their lists.
 * @param settings all those that a subscription can have
 */
export function entryOf(subscription: Subscription, settings: readonly Setting[]): Entry {
  const { channelId, source, target, pausedBy } = subscription;
  const { all, usual } = KINDS_OF[source.kind];
  const kinds = all.filter((kind) => subscription.kinds.includes(kind));
  return {
    channel: channelId,
    ...(target !== 'channel' && { target }),
    ...sourceEntry(source),
    ...(kinds.join() !== usual.join() && { kinds }),
    ...settingsEntry(subscription, settings),
    ...(pausedBy === 'person' && { paused: true }),
  };
}

/** The settings that differ from their defaults; of the digest's time, whether there is one. */
function settingsEntry(own: Subscription, settings: readonly Setting[]): Entry {
  const shown = settings.filter((setting) => {
    if (setting.field === 'dailyAtMinute') return own.timing.mode === 'daily';
    return hasSetting(own.source.kind, setting) && !isDeepStrictEqual(settingValue(setting, own), setting.usual);
  });
  const entries = shown.map((setting) => [fileNameOf(setting), forValue(WRITTEN, setting, own, undefined)] as const);
  return Object.fromEntries(entries.filter(([, written]) => written !== undefined));
}

const asItIs = (value: unknown) => value;
/** A value as it stands in a file. */
const WRITTEN: ForValues<unknown> = {
  filter: asItIs,
  whole: asItIs,
  choice: asItIs,
  time: formatTimeOfDay,
  zone: asItIs,
  hours: (hours) => hours && formatHours(hours).replace('–', '-'),
  tags: (ids) => ids.toSorted(),
  flag: asItIs,
  field: (value, { inFiles }) => inFiles.written(value),
};

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
