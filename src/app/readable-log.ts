import type { DestinationStream } from 'pino';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';

/** The name of a channel or a server, by its id; null where it is not known. */
export type NameOf = (id: string) => string | null;

type Entry = Readonly<Record<string, unknown>>;

const MARKS: readonly [least: number, mark: string][] = [
  [60, 'FATAL '],
  [50, 'ERROR '],
  [40, 'WARN  '],
  [30, ''],
  [0, 'debug '],
];

/** Fields that the line's beginning or the message already contains, or that only programs need. */
const NOT_REPEATED = new Set(['level', 'time', 'msg', 'channel', 'guild', 'delivery', 'message', 'err', 'epoch']);

/** Writes the log for people in a terminal: one line per event, with the local time. */
export function readableLog(write: (line: string) => void, nameOf: NameOf): DestinationStream {
  return { write: (json) => write(`${readableLine(JSON.parse(json) as Entry, nameOf)}\n`) };
}

/** One log entry as a line without its end. Quoted text can't send control sequences to the terminal. */
function readableLine(entry: Entry, nameOf: NameOf): string {
  const mark = MARKS.find(([least]) => Number(entry['level']) >= least)?.[1] ?? '';
  const place = ['channel', 'guild']
    .map((field) => entry[field])
    .filter((id) => typeof id === 'string')
    .map((id) => `${nameOf(id) ?? id}: `);
  const line = `${timeOf(Number(entry['time']))} ${mark}${place.join('')}${textOf(entry)}`;
  return line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** The sentences of events that happen all day or have many fields; the other ones show their message and their fields. */
const SENTENCES: Readonly<Record<string, (entry: Entry) => string>> = {
  starting: ({ version }) => `starting Dealbell ${plain(version)}`,
  polled: ({ resource, new: isNew, enqueued, isFirstSight }) =>
    `checked ${resourceName(plain(resource))}: ${plain(isNew)} new, ${countOf(enqueued, 'post')} due${isFirstSight === true ? ' (first check)' : ''}`,
  announced: ({ kind, title, delayMs }) =>
    `posted ${plain(kind)} "${plain(title)}"${typeof delayMs === 'number' ? `, ${durationOf(delayMs)} after its start` : ''}`,
  'announced in a roll-up': ({ count }) => `posted ${countOf(count, 'announcement')} together`,
  'announced in an earlier post': ({ kind, title }) => `updated an earlier post: ${plain(kind)} "${plain(title)}"`,
  'not posted': ({ outcome, reason }) =>
    `could not post: ${reasonText(reason)}${TRIED_AGAIN.has(plain(outcome)) ? '; it is tried again' : ''}`,
  'not edited yet': ({ reason }) => `could not update a post yet: ${reasonText(reason)}`,
  'not edited': ({ reason }) => `could not update a post: ${reasonText(reason)}`,
  'the channel could not be read': ({ reason }) => `could not look for its posts: ${reasonText(reason)}`,
  'a poll failed': ({ resource, err }) =>
    [
      `could not check ${typeof resource === 'string' ? resourceName(resource) : 'the catalog'}`,
      ...reasonsOf(err),
    ].join(': '),
  'retrying a failed catalog request': ({ interface: name, attempt, delayMs, reason }) =>
    `the catalog's ${plain(name)} interface failed, retry ${plain(attempt)} in ${durationOf(Number(delayMs))}: ${plain(reason)}`,
  'the catalog keeps failing: requests are paused': ({ interface: name, openMs }) =>
    `the catalog's ${plain(name)} interface keeps failing: it is left alone for ${durationOf(Number(openMs))}`,
  'the catalog is responding again': ({ interface: name }) =>
    `the catalog's ${plain(name)} interface is responding again`,
  'using an older catalog answer': ({ resource, ageMs, reason }) =>
    `took an answer from ${durationOf(Number(ageMs))} ago for ${resourceName(plain(resource))}: ${plain(reason)}`,
  edited: ({ kind }) => `updated a ${plain(kind)} post`,
  deleted: ({ kind }) => `deleted a ${plain(kind)} post: its deal is over`,
  answered: ({ command, tookMs }) => `answered ${plain(command)} in ${durationOf(Number(tookMs))}`,
  'hourly limit reached': ({ mostPerHour, waiting, nextPostAt }) =>
    `hourly limit ${plain(mostPerHour)} reached, ${plain(waiting)} waiting, next ${timeOf(Date.parse(plain(nextPostAt)))}`,
};

function textOf(entry: Entry): string {
  const message = plain(entry['msg'] ?? '');
  const sentence = Object.hasOwn(SENTENCES, message) ? SENTENCES[message] : undefined;
  if (sentence) return sentence(entry);
  const details = Object.entries(entry)
    .filter(([field, value]) => !NOT_REPEATED.has(field) && value !== null)
    .map(([field, value]) => detailOf(field, value));
  return [message, ...details, ...reasonsOf(entry['err'])].join(', ');
}

/** The outcomes after which a post is tried again. */
const TRIED_AGAIN: ReadonlySet<string> = new Set(['unknown', 'later', 'unfound', 'blocked']);

/** Why Discord did not do something, in words; other reasons are sentences as they stand. */
const REASONS: Readonly<Record<string, string>> = {
  'other side closed': 'the connection broke',
  'rate-limit': 'Discord limits how often',
  'channel-gone': 'Discord knows no such channel',
  'server-gone': 'the bot is not in that server',
  'unknown-message': 'Discord knows no such message',
  'cannot-see': 'the bot may not see the channel',
  'cannot-post': 'the bot may not post there',
  'cannot-read': 'the bot may not read what is there',
  'thread-locked': 'the thread is locked',
  'tag-required': 'the forum requires a tag',
  'too-many-threads': 'the server has too many open threads',
  'wrong-kind': 'the channel takes no posts',
  'messages-closed': 'the person takes no messages from the bot',
};

function reasonText(reason: unknown): string {
  const known = plain(reason);
  return Object.hasOwn(REASONS, known) ? (REASONS[known] ?? known) : known;
}

/** A resource's key as words: `feed:Home` is the Home feed. */
const resourceName = (key: string): string => key.replace(/^feed:(.*)$/s, 'the $1 feed');

const countOf = (count: unknown, noun: string): string => `${plain(count)} ${noun}${count === 1 ? '' : 's'}`;

function detailOf(field: string, value: unknown): string {
  if (field.endsWith('AtMs') && typeof value === 'number') return `${wordsOf(field.slice(0, -2))} ${timeOf(value)}`;
  if (field.endsWith('Ms') && typeof value === 'number') return `${field.slice(0, -2)} ${durationOf(value)}`;
  return `${field} ${plain(value)}`;
}

/** `resetsAt` is "resets at". */
const wordsOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The messages of an error and its causes, without stacks: pino has joined the messages. */
function reasonsOf(error: unknown): string[] {
  if (error === undefined) return [];
  return [typeof error === 'object' && error !== null && 'message' in error ? plain(error.message) : plain(error)];
}

/** A duration in a readable unit: 840 ms, 12 s, 5 min, 3 h. */
function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  return ms < 2 * HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${Math.round(ms / HOUR_MS)} h`;
}

function timeOf(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
