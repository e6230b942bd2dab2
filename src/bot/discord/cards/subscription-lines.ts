import { describeKind, kindOf } from '../../announcements/kinds/index.ts';
import { KINDS_OF } from '../../announcements/kinds/of-source.ts';
import type { Subscription, Timing } from '../../deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../../deals/time-of-day.ts';
import { isTimeZone } from '../../deals/timing.ts';
import { isWordKey, type Words } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine, inlineCode } from '../markdown.ts';

/** Name of a tag of a forum; foreign text. */
export interface Tag {
  id: string;
  name: string;
}

/** All that a subscription is set to, each in a line of plain words. `tags` are those that its forum has. */
export function settingLines(subscription: Subscription, tags: readonly Tag[], words: Words): string[] {
  const { source, kinds, filter, timing, mostPerHour, mentionRoleId, tagIds } = subscription;
  const own = tags.filter(({ id }) => tagIds.includes(id)).map(({ name }) => escapeLine(name));
  return [
    KINDS_OF[source.kind].all.length > 1 && words.t('panel.kinds', { kinds: kindNames(kinds, words) }),
    filter === '' ? words.t('panel.everything') : words.t('panel.filter', { filter: inlineCode(filter) }),
    ...kinds.map((kind) => kindOf({ kind }).setting?.(subscription, words) ?? null),
    words.t('panel.when', { when: whenOf(timing, words) }),
    timing.quiet && words.t('panel.quiet', { hours: formatHours(timing.quiet), zone: timing.timeZone }),
    words.t('panel.most', { count: mostPerHour }),
    mentionRoleId === null ? words.t('panel.noRole') : words.t('panel.role', { role: `<@&${mentionRoleId}>` }),
    own.length > 0 && words.t('panel.tags', { tags: words.list(own) }),
    subscription.isPublished && words.t('panel.published'),
  ].filter((line) => line !== false && line !== null);
}

const MOST_FILTER = 120;

/** The same in one line, with what is as it mostly is left out. */
export function settingsInShort(subscription: Subscription, words: Words): string[] {
  const { source, kinds, filter, timing, mentionRoleId } = subscription;
  const usual: readonly string[] = KINDS_OF[source.kind].usual;
  const areUsual = kinds.length === usual.length && kinds.every((kind) => usual.includes(kind));
  return [
    !areUsual && kindNames(kinds, words),
    filter !== '' && inlineCode(clamp(filter, MOST_FILTER)),
    (timing.mode !== 'at-once' || timing.quiet) && whenOf(timing, words),
    timing.quiet && words.t('panel.quietShort', { hours: formatHours(timing.quiet), zone: timing.timeZone }),
    mentionRoleId !== null && `<@&${mentionRoleId}>`,
  ].filter((part) => typeof part === 'string');
}

/** Why it rests, and what is wrong with its channel or its times; '' where it is at work. */
export function stateLine({ pausedBy, problem, timing }: Subscription, words: Words): string {
  const zone = escapeLine(timing.timeZone);
  return [
    pausedBy === 'person' && `⏸ ${words.t('panel.paused')}`,
    problem !== null && `⚠ ${problemOf(problem, words)}`,
    !isTimeZone(timing.timeZone) && `⚠ ${words.t('problem.unknown-time-zone', { zone })}`,
    // Where the whole server was left, no other channel helps.
    pausedBy === 'gone' && problem !== 'server-gone' && words.t('panel.gone'),
  ]
    .filter(Boolean)
    .join(' ');
}

function whenOf({ mode, dailyAtMinute, timeZone }: Timing, words: Words): string {
  if (mode !== 'daily') return words.t(`mode.${mode}`);
  return words.t('panel.daily', { time: formatTimeOfDay(dailyAtMinute), zone: timeZone });
}

function kindNames(kinds: Subscription['kinds'], words: Words): string {
  return words.list(kinds.map((kind) => describeKind(kind, words)));
}

/** The problem as the deliverer names it; older state holds whole sentences. */
export function problemOf(problem: string, words: Words): string {
  const key = `problem.${problem}`;
  return isWordKey(key) ? words.say({ key, values: {} }) : escapeLine(problem);
}
