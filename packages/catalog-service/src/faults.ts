import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from './clock.ts';
import { createRandom, type Random } from './random.ts';
import { limitExceeded, Refusal, tooManyRequests } from './refusal.ts';
import { sendJson } from './reply.ts';

/** The faults that can spoil an answer, by the name that `--faults` takes. */
export const FAULTS = {
  latency: 'the answer comes up to 3 s late',
  rate: '429 "Too Many Requests"',
  quota: '429 "Limit Exceeded"',
  500: '500 with a JSON message',
  504: '504 with a JSON message',
  truncated: 'the second half of the body is missing',
  'content-type': 'the body is called text/plain',
  html: 'an HTML error page with status 502',
  drip: 'the body comes a little at a time, over 5 s',
  reset: 'the connection is reset',
  duplicate: 'an item of the list comes twice',
  malformed: 'a broken item stands in the place of a good one; half of them still have their ids',
  missing: 'an item of the list is left out, and nothing says so',
  empty: 'the list is whole and empty',
} as const;
export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS).filter((name): name is `${FaultName}` => name in FAULTS);

export interface FaultSettings {
  seed: string;
  /** Share of the good answers that get the fault, 0 to 1, by its name. An answer gets one fault at most. */
  rates: Readonly<Partial<Record<`${FaultName}`, number>>>;
}

const MAX_LATENCY_MS = 3000;
const DRIP_MS = 5000;
const DRIPS = 20;

/** Spoils good answers at given rates. The seed and the order of the requests determine which ones. */
export class Faults {
  readonly #settings: FaultSettings;
  readonly #clock: Clock;
  #answers = 0;

  constructor(settings: FaultSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Sends the JSON, or spoils it. @throws Refusal where the fault is an error answer */
  async send(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
    this.#answers += 1;
    const random = createRandom(this.#settings.seed, 'fault', this.#answers);
    switch (this.#draw(random)) {
      case 'latency':
        await this.#wait(random.int(1, MAX_LATENCY_MS), request);
        return sendJson(request, reply, text);
      case 'rate':
        throw tooManyRequests(1);
      case 'quota':
        throw limitExceeded(random.int(1, 86_400));
      case '500':
        throw new Refusal(500, { message: 'Internal server error' });
      case '504':
        throw new Refusal(504, { message: 'Endpoint request timed out' });
      case 'truncated':
        return sendJson(request, reply, text.slice(0, text.length / 2));
      case 'content-type':
        return reply.type('text/plain').send(text);
      case 'html':
        return reply.code(502).type('text/html').send('<!DOCTYPE html><title>502</title><h1>Bad Gateway</h1>');
      case 'drip':
        return reply.type('application/json').send(Readable.from(this.#drip(text, request)));
      case 'reset':
        request.raw.socket.resetAndDestroy();
        return reply.hijack();
      case 'duplicate':
        return sendJson(
          request,
          reply,
          withOneReplaced(text, random, (item) => [item, item]),
        );
      case 'malformed':
        return sendJson(
          request,
          reply,
          withOneReplaced(text, random, (item) => [broken(item, random)]),
        );
      case 'missing':
        return sendJson(
          request,
          reply,
          withOneReplaced(text, random, () => []),
        );
      case 'empty':
        return sendJson(
          request,
          reply,
          withList(text, () => []),
        );
      case undefined:
        return sendJson(request, reply, text);
    }
  }

  #draw(random: Random): `${FaultName}` | undefined {
    let left = random.next();
    return FAULT_NAMES.find((name) => {
      left -= this.#settings.rates[name] ?? 0;
      return left < 0;
    });
  }

  async *#drip(text: string, request: FastifyRequest): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    const size = Math.ceil(bytes.length / DRIPS);
    for (let from = 0; from < bytes.length; from += size) {
      yield bytes.subarray(from, from + size);
      await this.#wait(DRIP_MS / DRIPS, request);
    }
  }

  /**
   * Waits `ms` milliseconds. Rejects when the client closes the connection, since nobody waits for the answer any more.
   */
  async #wait(ms: number, request: FastifyRequest): Promise<void> {
    const { socket } = request.raw;
    const closed = new AbortController();
    const abort = () => closed.abort(new Refusal(499, { message: 'Client Closed Request' }));
    socket.once('close', abort);
    try {
      await this.#clock.sleep(ms, closed.signal);
    } finally {
      socket.off('close', abort);
    }
  }
}

/** Replaces one item of the text's list by `others` of it. A text whose list has no items stays as it is. */
function withOneReplaced(text: string, random: Random, others: (item: unknown) => unknown[]): string {
  return withList(text, (list) => {
    const index = random.int(0, list.length - 1);
    return list.flatMap((item, at) => (at === index ? others(item) : [item]));
  });
}

/** Changes the text's list, at the top level or in `Items`. A text without a list stays as it is. */
function withList(text: string, change: (list: unknown[]) => unknown[]): string {
  const value: unknown = JSON.parse(text);
  const list = listIn(value);
  if (!list || list.length === 0) return text;
  const changed = change(list);
  return JSON.stringify(Array.isArray(value) ? changed : { ...(value as object), Items: changed });
}

function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || !('Items' in value)) return undefined;
  return Array.isArray(value.Items) ? value.Items : undefined;
}

/** The fields that hold an item's id, as the two interfaces spell them. */
const ID_FIELDS = ['Id', 'OfferId'];

/** Gives each field of the item a value of a wrong type; half of the items keep their id. */
function broken(item: unknown, random: Random): unknown {
  if (typeof item !== 'object' || item === null) return null;
  const keepsId = random.next() < 0.5;
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, keepsId && ID_FIELDS.includes(name) ? value : { broken: true }]),
  );
}
