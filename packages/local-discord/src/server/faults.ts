import type { DiscordErrorName } from './discord-error.ts';

/** A fault in the handling of one REST request. */
export type Fault =
  /** Answers with this 5xx, before the request is carried out or (`accepted`) after it was. */
  | { kind: 'error'; status: 500 | 502 | 503 | 504; accepted: boolean }
  /** Breaks the connection, before the request is carried out or (`accepted`) after it was. */
  | { kind: 'drop'; accepted: boolean }
  /** Never answers, and leaves the connection open; the request is carried out (`accepted`) or not. */
  | { kind: 'silence'; accepted: boolean }
  /** Answers with a 429 although no limit was used up. */
  | { kind: 'rate-limit'; retryAfterMs: number; scope: 'user' | 'global' | 'shared' }
  /** Answers with one of Discord's own errors, for cases whose real cause would be tedious to set up. */
  | { kind: 'refused'; error: DiscordErrorName }
  /** Delays the request by so many milliseconds, and carries it out as usual. */
  | { kind: 'latency'; ms: number };

interface FaultyRequest {
  method: string;
  /** The path below `/api/v10`, for instance `/channels/1/messages`. */
  path: string;
}

/** Chooses the fault of each REST request; undefined for none. */
export type FaultHook = (request: FaultyRequest) => Fault | undefined;

/** A request with its content: JSON, also where it came with files. */
export interface ReadRequest extends FaultyRequest {
  content: unknown;
}

/** A fault by what a request holds. */
export type ContentFaultHook = (request: ReadRequest) => Fault | undefined;

export interface Faults {
  /** Gives the fault to the next `times` (default 1) requests that `matches` accepts. */
  failNext(matches: (request: FaultyRequest) => boolean, fault: Fault, times?: number): void;
  /**
   * Asks `hook` for the fault of each request from now on, for instance one that draws from a seeded generator; null
   * ends it.
   */
  use(hook: FaultHook | null): void;
  /** Gives the fault to each request that `matches` accepts by its content, until the returned function is called. */
  failWhere(matches: (request: ReadRequest) => boolean, fault: Fault): () => void;
  /**
   * Breaks every HTTP connection at once, as a server does with connections that have been idle for minutes. A request
   * that has not arrived whole is never carried out. The gateway's connections stay.
   */
  breakConnections(): void;
  /** Closes every gateway connection with this close code. With `forget` no session can be resumed. */
  closeGateway(code: number, options?: { forget?: boolean }): void;
  /** Asks every connection to reconnect (opcode 7). */
  reconnectGateway(): void;
  /** Tells every connection that its session is invalid (opcode 9), and whether it may be resumed all the same. */
  invalidateSessions(options: { resumable: boolean }): void;
}

type ServerFaults = Pick<Faults, 'breakConnections' | 'closeGateway' | 'reconnectGateway' | 'invalidateSessions'>;

/** Creates the faults, with `decide` as the hook for the REST API. */
export function createFaults(server: ServerFaults): Faults & { decide: FaultHook; decideByContent: ContentFaultHook } {
  const planned: { matches: (request: FaultyRequest) => boolean; fault: Fault; times: number }[] = [];
  const lasting = new Set<{ matches: (request: ReadRequest) => boolean; fault: Fault }>();
  let asked: FaultHook | null = null;
  return {
    failNext(matches, fault, times = 1) {
      planned.push({ matches, fault, times });
    },
    use(hook) {
      asked = hook;
    },
    failWhere(matches, fault) {
      const one = { matches, fault };
      lasting.add(one);
      return () => void lasting.delete(one);
    },
    ...server,
    decideByContent: (request) => [...lasting].find(({ matches }) => matches(request))?.fault,
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
