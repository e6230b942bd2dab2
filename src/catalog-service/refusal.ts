import { AppError } from '../shared/errors.ts';

/** A request that is answered with something else than 200. */
export class Refusal extends AppError {
  readonly code = 'REFUSAL';
  readonly status: number;
  /** JSON value. */
  readonly body: object | string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: object | string, headers: Readonly<Record<string, string>> = {}) {
    super(`Refused with status ${status}.`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export const badRequest = (message: string) => new Refusal(400, { message });

/** A missing, wrong or unapproved key. */
export const forbidden = () => new Refusal(403, { message: 'Forbidden' });

/** An id, page or path that leads nowhere; the body is a JSON string. */
export const notFound = () => new Refusal(404, 'NotFound');

export const methodNotAllowed = (allowed: readonly string[]) =>
  new Refusal(405, { message: 'Method Not Allowed' }, { allow: allowed.join(', ') });

/** More than the rate and the burst allow: a token comes in `waitSeconds`. */
export const tooManyRequests = (waitSeconds: number) =>
  new Refusal(429, { message: 'Too Many Requests' }, { 'retry-after': String(waitSeconds) });

/** The day's quota is spent: it comes back in `waitSeconds`, at 00:00 UTC. */
export const limitExceeded = (waitSeconds: number) =>
  new Refusal(429, { message: 'Limit Exceeded' }, { 'retry-after': String(waitSeconds) });
