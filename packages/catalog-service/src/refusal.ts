/** A request that is answered with a status other than 200. */
export class Refusal extends Error {
  readonly status: number;
  /** A JSON value. */
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

/** An id, page or path that does not exist; the body is a JSON string. */
export const notFound = () => new Refusal(404, 'NotFound');

export const methodNotAllowed = (allowed: readonly string[]) =>
  new Refusal(405, { message: 'Method Not Allowed' }, { allow: allowed.join(', ') });

/** The token bucket is empty: the next token comes in `waitSeconds`. */
export const tooManyRequests = (waitSeconds: number) =>
  new Refusal(429, { message: 'Too Many Requests' }, { 'retry-after': String(waitSeconds) });

/** The day's quota is spent: the next one begins in `waitSeconds`, at 00:00 UTC. */
export const limitExceeded = (waitSeconds: number) =>
  new Refusal(429, { message: 'Limit Exceeded' }, { 'retry-after': String(waitSeconds) });
