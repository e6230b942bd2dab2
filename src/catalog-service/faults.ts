import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { createRandom, type Random } from './random.ts';
import { limitExceeded, Refusal, tooManyRequests } from './refusal.ts';
import { sendJson } from './reply.ts';

/** What can go wrong with an answer, by the name that `--faults` takes. */
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
  malformed: 'a broken item stands in the list',
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

/** Spoils good answers at given rates. Which ones follows from the seed and the order of the requests. */
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
          withExtraItem(text, random, (item) => item),
        );
      case 'malformed':
        return sendJson(request, reply, withExtraItem(text, random, broken));
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

  /** Rejects when the connection is closed meanwhile: nobody waits for the answer any more. */
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

/** The text with one more item in its list: at the top level, or in `Items`. A text without a list stays as it is. */
function withExtraItem(text: string, random: Random, change: (item: unknown) => unknown): string {
  const value: unknown = JSON.parse(text);
  const list = listIn(value);
  if (!list || list.length === 0) return text;
  const index = random.int(0, list.length - 1);
  list.splice(index, 0, change(list[index]));
  return JSON.stringify(value);
}

function listIn(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || !('Items' in value)) return undefined;
  return Array.isArray(value.Items) ? value.Items : undefined;
}

/** An item in which nothing is of the kind that it should be. */
function broken(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return null;
  return Object.fromEntries(Object.keys(item).map((name) => [name, { broken: true }]));
}
