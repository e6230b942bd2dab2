import type { Answer, Catalog } from '../../src/catalog/catalog.ts';
import type { CatalogOptions } from '../../src/catalog/index.ts';
import { createTestCatalog } from './create-test-catalog.ts';

/** What the client makes of an answer. */
export interface Reading<T> extends Pick<Answer<T>, 'value' | 'malformed' | 'unreadable' | 'unknownFields'> {
  /** The first five problems, as they are logged. */
  problems: { at: string; reason: string; isCut?: boolean }[];
}

type Http = NonNullable<CatalogOptions['http']>;
type Sent = Parameters<Http['send']>[0];
interface Reply {
  status?: number;
  text: string;
  retryAfter?: string;
}

/** Requests that get what `answer` returns, without a network; a text is one of status 200. */
export function httpOf(answer: (sent: Sent) => string | Reply | Promise<Reply>): Http {
  return {
    async send(sent) {
      const reply = await answer(sent);
      return typeof reply === 'string' ? { status: 200, text: reply } : { status: 200, ...reply };
    },
    close: async () => undefined,
  };
}

const LANE = { lane: 'background' } as const;

/** Has a new client read one answer. Returns it as it is given, and what is logged about it. */
async function read<T>(ask: (catalog: Catalog) => Promise<Answer<T>>, json: unknown): Promise<Reading<T>> {
  const text = JSON.stringify(json);
  const { catalog, logged } = createTestCatalog('http://catalog.invalid', { http: httpOf(() => text) });
  const { value, malformed, unreadable, unknownFields } = await ask(catalog);
  const [line] = logged()
    .split('\n')
    .filter((entry) => entry.includes('"first":'));
  const problems = line === undefined ? [] : (JSON.parse(line) as { first: Reading<T>['problems'] }).first;
  return { value, malformed, unreadable, unknownFields, problems };
}

export const readFeed = (json: unknown) => read((catalog) => catalog.feeds.get('Home', LANE), json);
export const readEvents = (json: unknown) => read((catalog) => catalog.events.list(LANE), json);
export const readDealcasts = (json: unknown) => read((catalog) => catalog.dealcasts.list(LANE), json);
export const readPolls = (json: unknown) => read((catalog) => catalog.polls.list(LANE), json);
export const readMonkeychats = (json: unknown) => read((catalog) => catalog.monkeychats.list(LANE), json);
