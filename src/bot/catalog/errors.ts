import { AppError } from '../../shared/errors.ts';

/** Base of everything that can go wrong between a call and its answer. No message ever holds a key. */
export abstract class CatalogError extends AppError {
  /** Whether the same call may succeed when tried again soon. */
  abstract readonly retryable: boolean;
}

/** The catalog answered with a status that is not a success. */
export class CatalogHttpError extends CatalogError {
  readonly code = 'CATALOG_HTTP';
  readonly status: number;

  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }

  get retryable(): boolean {
    return this.status >= 500;
  }
}

/** No answer: refused, reset, unreachable, cut short. */
export class CatalogNetworkError extends CatalogError {
  readonly code = 'CATALOG_NETWORK';
  readonly retryable = true;
}

/** No answer in time: the attempt, the whole call, or the wait in the queue took too long. */
export class CatalogTimeoutError extends CatalogError {
  readonly code = 'CATALOG_TIMEOUT';
  readonly retryable = true;
}

/** The catalog said "too many requests" and the call's time ran out before it let us in again. */
export class CatalogRateLimitedError extends CatalogError {
  readonly code = 'CATALOG_RATE_LIMITED';
  readonly retryable = true;
}

/** The day's requests are used up (or what is left is reserved for people). */
export class CatalogQuotaSpentError extends CatalogError {
  readonly code = 'CATALOG_QUOTA_SPENT';
  readonly retryable = false;
  /** When the quota returns: epoch milliseconds. */
  readonly resetsAtMs: number;

  constructor(message: string, resetsAtMs: number, options?: ErrorOptions) {
    super(message, options);
    this.resetsAtMs = resetsAtMs;
  }
}

/** What is spent could not be read or saved. A request that can't be counted does not leave. */
export class CatalogSpendingError extends CatalogError {
  readonly code = 'CATALOG_SPENDING';
  readonly retryable = true;
}

/** The answer arrived and is not what was asked for: not JSON, cut short, too large, of another shape. */
export class CatalogSchemaError extends CatalogError {
  readonly code = 'CATALOG_SCHEMA';
  readonly retryable = false;
}
