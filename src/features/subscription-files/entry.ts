import { isDeepStrictEqual } from 'node:util';
import { hasSetting, KINDS_OF, newSubscription } from '../../announcements/kinds/of-source.ts';
import type { AnnouncementKind } from '../../deals/announcement.ts';
import {
  type ForValues,
  forValue,
  type Setting,
  type Settings,
  settingValue,
  USUAL_SETTINGS,
  valuesOf,
  withValues,
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

/** What a file says of a subscription. */
export function fileSettingsOf(subscription: Subscription, settings: readonly Setting[]): FileSettings {
  const { channelId, target, source, kinds, pausedBy } = subscription;
  return {
    ...settingsAmong(subscription, settings),
    channelId,
    target,
    source,
    kinds,
    isPaused: pausedBy === 'person',
  };
}

/** The settings alone of something that has more, those of features included. @param all those that there are */
function settingsAmong(settings: Settings, all: readonly Setting[]): Settings {
  const values = valuesOf(settings);
  const chosen = Object.fromEntries(all.map((setting) => [setting.field, settingValue(setting, values)]));
  const added = Object.entries(chosen).filter(([field]) => !(field in valuesOf(USUAL_SETTINGS)));
  return { ...withValues(USUAL_SETTINGS, chosen), ...Object.fromEntries(added) };
}

/** The settings of a new subscription to a source, for which nothing else is set. */
export function usualSettings(channelId: string, source: Source, settings: readonly Setting[]): FileSettings {
  const usual = newSubscription({
    id: '',
    guildId: '',
    channelId,
    source,
    createdBy: '',
    createdAtMs: 0,
    catchUp: 0,
  });
  return { ...fileSettingsOf(usual, settings), target: null };
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
  const own = fileSettingsOf(subscription, settings);
  const { source, target } = own;
  const usual = usualSettings(own.channelId, source, settings);
  const unless = <T>(value: T, usualValue: T, name: string, written: unknown = value) =>
    value === usualValue ? {} : { [name]: written };
  const { all } = KINDS_OF[source.kind];
  const kinds = all.filter((kind) => own.kinds.includes(kind));
  return {
    channel: own.channelId,
    ...unless(target, 'channel', 'target'),
    ...sourceEntry(source),
    ...unless(kinds.join(), all.filter((kind) => usual.kinds.includes(kind)).join(), 'kinds', kinds),
    ...settingsEntry(own, settings),
    ...unless(own.isPaused, false, 'paused'),
  };
}

/** The settings that differ from their defaults; of the digest's time, whether there is one. */
function settingsEntry(own: FileSettings, settings: readonly Setting[]): Entry {
  const values = valuesOf(own);
  const shown = settings.filter((setting) => {
    if (setting.field === 'dailyAtMinute') return values.mode === 'daily';
    return hasSetting(own.source.kind, setting) && !isDeepStrictEqual(settingValue(setting, values), setting.usual);
  });
  const entries = shown.map((setting) => [fileNameOf(setting), forValue(WRITTEN, setting, values, undefined)] as const);
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
