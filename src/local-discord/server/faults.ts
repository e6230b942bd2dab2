import type { DiscordErrorName } from './discord-error.ts';

/** Something that goes wrong with one REST request. */
export type Fault =
  /** Answered with this 5xx, before the request is carried out or (`accepted`) after it was. */
  | { kind: 'error'; status: 500 | 502 | 503 | 504; accepted: boolean }
  /** The connection breaks, before the request is carried out or (`accepted`) after it was. */
  | { kind: 'drop'; accepted: boolean }
  /** Refused with a 429 although nothing was used up. */
  | { kind: 'rate-limit'; retryAfterMs: number; scope: 'user' | 'global' | 'shared' }
  /** Refused with one of Discord's own errors, where making what it is about true would be tedious. */
  | { kind: 'refused'; error: DiscordErrorName }
  /** Nothing goes wrong, but the request is taken up so much later, as over a long way. */
  | { kind: 'latency'; ms: number };

interface FaultyRequest {
  method: string;
  /** Below `/api/v10`, for instance `/channels/1/messages`. */
  path: string;
}

/** Decides for each REST request whether something goes wrong; undefined when nothing does. */
export type FaultHook = (request: FaultyRequest) => Fault | undefined;

export interface Faults {
  /** Lets the next `times` (default 1) requests that `matches` picks go wrong. */
  failNext(matches: (request: FaultyRequest) => boolean, fault: Fault, times?: number): void;
  /** Asks `hook` for each request from now on, for instance one that draws from a seeded generator; null ends it. */
  use(hook: FaultHook | null): void;
  /**
   * Breaks every HTTP connection at once, as a server does with those that bring nothing for minutes: a request that has not
   * arrived whole is never carried out. The gateway's connections stay.
   */
  breakConnections(): void;
  /** Closes every gateway connection with this close code. With `forget` no session can be resumed. */
  closeGateway(code: number, options?: { forget?: boolean }): void;
  /** Asks every connection to come back (opcode 7). */
  reconnectGateway(): void;
  /** Tells every connection that its session has become invalid (opcode 9), and whether it may be resumed all the same. */
  invalidateSessions(options: { resumable: boolean }): void;
}

type ServerFaults = Pick<Faults, 'breakConnections' | 'closeGateway' | 'reconnectGateway' | 'invalidateSessions'>;

/** Faults as asked for, with `decide` for the REST room. */
export function createFaults(server: ServerFaults): Faults & { decide: FaultHook } {
  const planned: { matches: (request: FaultyRequest) => boolean; fault: Fault; times: number }[] = [];
  let asked: FaultHook | null = null;
  return {
    failNext(matches, fault, times = 1) {
      planned.push({ matches, fault, times });
    },
    use(hook) {
      asked = hook;
    },
    ...server,
    decide(request) {
      const index = planned.findIndex((plan) => plan.matches(request));
      const plan = planned[index];
      if (!plan) return asked?.(request);
      plan.times -= 1;
      if (plan.times <= 0) planned.splice(index, 1);
      return plan.fault;
    },
  };
}
