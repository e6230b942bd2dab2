import { dump, loadAll, YAMLException } from 'js-yaml';
import { isSameRequest } from '../../deals/same-request.ts';
import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { message } from '../../discord/i18n/translator.ts';
import { entryOf, usualSettings } from './entry.ts';
import { groupedBy } from './grouped.ts';
import {
  DOCUMENT,
  type FileProblem,
  pathOfServer,
  problemsOf,
  serverSchema,
  type WantedServer,
  wantedOf,
} from './schema.ts';

export type FileFormat = 'yaml' | 'json';

/** The most problems that are listed at once. */
const MOST_PROBLEMS = 20;

/**
 * Writes subscriptions, oldest first, as a file that `readFile` reads.
 * @param settings all those that a subscription can have
 */
export function writeFile(
  subscriptions: readonly Subscription[],
  format: FileFormat,
  settings: readonly Setting[],
): string {
  const sorted = subscriptions.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  const document = {
    version: 1,
    servers: [...groupedBy(sorted, ({ guildId }) => guildId)].map(([guildId, own]) => ({
      id: guildId,
      subscriptions: own.map((one) => ({ id: one.id, ...entryOf(one, settings) })),
    })),
  };
  return format === 'json' ? `${JSON.stringify(document, null, 2)}\n` : writeYaml(document);
}

/** The names and bounds by which files are checked. */
export interface FileOptions {
  /** The names of the catalog's feeds. */
  feeds: readonly string[];
  /** The most subscriptions that a server may have. */
  most: number;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
}

/** The subscriptions that a file asks for, or what is wrong with it. */
export type ReadFile = { ok: true; servers: WantedServer[] } | { ok: false; problems: FileProblem[] };

/** Reads a file with subscriptions. Never throws: a file can hold anything. */
export function readFile(text: string, format: FileFormat, options: FileOptions): ReadFile {
  const parsed = format === 'json' ? parseJson(text) : parseYaml(text);
  if ('problem' in parsed) return { ok: false, problems: [parsed.problem] };
  const { data, error } = DOCUMENT.safeParse(parsed.data);
  if (!data) return { ok: false, problems: error.issues.flatMap((issue) => problemsOf(issue, [], options.settings)) };
  return withoutProblems(data.servers.map(serverReader(options)));
}

/** A server of a file, or what is wrong with it. */
type ReadServer = { server: WantedServer } | { problems: FileProblem[] };

/** Reads the servers of one file, in their order. Never throws. */
export function serverReader(options: FileOptions): (written: unknown, at: number) => ReadServer {
  const { feeds, most, settings } = options;
  const schema = serverSchema(feeds, settings);
  const usual = usualSettings(settings);
  const problemsOfDoubled = doubledIn(settings);
  return (written, at) => {
    const { data, error } = schema.safeParse(written);
    if (!data) return { problems: error.issues.flatMap((issue) => problemsOf(issue, ['servers', at], settings)) };
    const server = { at, written, guildId: data.id, subscriptions: wantedOf(data, at, usual, settings) };
    const tooMany = { path: `${pathOfServer(at)}.subscriptions`, what: message('subscription.tooMany', { most }) };
    const problems = [...(data.subscriptions.length > most ? [tooMany] : []), ...problemsOfDoubled(server)];
    return problems.length > 0 ? { problems } : { server };
  };
}

/** All servers, or the first problems of them. */
export function withoutProblems(read: readonly ReadServer[]): ReadFile {
  const problems = read.flatMap((one) => ('problems' in one ? one.problems : []));
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) };
  return { ok: true, servers: read.flatMap((one) => ('server' in one ? [one.server] : [])) };
}

type Parsed = { data: unknown } | { problem: FileProblem };

function parseJson(text: string): Parsed {
  try {
    return { data: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    // Only the position is not foreign text of the message.
    const at = /position (\d+)/.exec(String(error))?.[1];
    const line = text.slice(0, Number(at ?? text.length)).split('\n').length;
    return { problem: { path: '', what: message('file.noJson', { line }) } };
  }
}

/** The most aliases of a file: few lines of them can stand for billions of values. */
const MOST_ALIASES = 100;

/** Never throws. */
export function parseYaml(text: string): Parsed {
  try {
    const documents = loadAll(text, { maxAliases: MOST_ALIASES });
    return { data: documents.length > 1 ? documents : documents[0] };
  } catch (error) {
    const line = error instanceof YAMLException ? (error.mark?.line ?? 0) + 1 : 1;
    return { problem: { path: '', what: message('file.noYaml', { line }) } };
  }
}

/** Each value stands on one line, and is written where it stands. */
export const writeYaml = (document: object) => dump(document, { lineWidth: -1, noRefs: true });

/** Finds the servers, ids and requests that a file names twice. */
function doubledIn(settings: readonly Setting[]): (server: WantedServer) => Iterable<FileProblem> {
  const guildIds = new Map<string, string>();
  const ids = new Map<string, string>();
  return function* doubled({ at, guildId, subscriptions }) {
    const path = pathOfServer(at);
    const former = guildIds.get(guildId);
    if (former !== undefined) yield { path: `${path}.id`, what: message('file.twice', { other: former }) };
    guildIds.set(guildId, path);
    for (const [index, one] of subscriptions.entries()) {
      const sameId = one.id === null ? undefined : ids.get(one.id);
      if (sameId !== undefined) yield { path: `${one.path}.id`, what: message('file.twice', { other: sameId }) };
      if (one.id !== null) ids.set(one.id, one.path);
      const same = subscriptions.slice(0, index).find((other) => isSameRequest(other.settings, one.settings, settings));
      if (same) yield { path: one.path, what: message('file.twice', { other: same.path }) };
    }
  };
}
