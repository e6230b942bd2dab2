import type { Lane, SpentRecord } from '../../../src/catalog/catalog.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { createTestCatalog, MemorySpending } from '../create-test-catalog.ts';
import { httpOf } from '../reading.ts';

const LIMITS = { rate: 1, burst: 3, quota: 1000 };
export const NEVER_MIND = new Error('Never mind.');

interface Answer {
  status?: number;
  text: string;
  retryAfter?: string;
}

const FEED: Answer = { text: '[]' };
export const SPENT: Answer = { status: 429, text: '{"message":"Limit Exceeded"}' };
export const pauseOf = (seconds: number): Answer => ({
  status: 429,
  text: '{"message":"Too Many Requests"}',
  retryAfter: String(seconds),
});

/** A request that has left, and waits for its answer. */
export interface Leaving {
  answer: (reply?: Answer) => void;
  /** Nobody wants it any more. */
  abandon: () => void;
}

/** A client whose requests a test answers, each for a feed of its own. */
export function setUp(limits: Partial<typeof LIMITS> = {}, clock = new ManualClock(), spending = new MemorySpending()) {
  const leaving = new Map<string, (answer: (reply?: Answer) => void) => void>();
  let asked = 0;
  const http = httpOf(
    ({ path }) =>
      new Promise<Answer>((resolve) => {
        const left = leaving.get(path.slice('/feed/'.length));
        left?.((reply = FEED) => resolve(reply));
      }),
  );
  const portal = { ...LIMITS, ...limits };
  const { catalog } = createTestCatalog('http://catalog.invalid', { http, clock, spending, portal });

  /** Resolves when a request has left, which a test answers later. */
  function take(lane: Lane = 'background', caller = new AbortController()): Promise<Leaving> {
    asked += 1;
    const name = `feed${asked}`;
    return new Promise((resolve, reject) => {
      leaving.set(name, (answer) => resolve({ answer, abandon: () => caller.abort(NEVER_MIND) }));
      catalog.feeds.get(name, { lane, signal: caller.signal }).catch(reject);
    });
  }

  /** Sends a request that is answered at once. */
  async function spend(lane: Lane = 'background', answer: Answer = FEED): Promise<void> {
    asked += 1;
    const name = `feed${asked}`;
    leaving.set(name, (reply) => reply(answer));
    await catalog.feeds.get(name, { lane });
  }

  return { catalog, clock, spending, take, spend, status: () => catalog.quota().portal };
}

/** Spending whose writes a test ends, one by one. */
export class SlowSpending extends MemorySpending {
  readonly writes: SpentRecord[] = [];
  readonly #open: (() => void)[] = [];
  #isSlow = true;

  override async save(name: string, record: SpentRecord): Promise<void> {
    this.writes.push(record);
    if (this.#isSlow) await new Promise<void>((resolve) => this.#open.push(resolve));
    await super.save(name, record);
  }

  endWrite(): void {
    this.#open.shift()?.();
  }

  /** Ends every write, and those that come. */
  endAll(): void {
    this.#isSlow = false;
    for (const end of this.#open.splice(0)) end();
  }
}
