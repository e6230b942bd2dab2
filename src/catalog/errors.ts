import { AppError } from '../shared/errors.ts';

/** The base of every error between a call and its answer. No message ever contains a key. */
export abstract class CatalogError extends AppError {
  /** Whether a retry of the same call may succeed soon. */
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

  /** Whether the catalog doesn't have what was asked for. */
  get isUnknown(): boolean {
    return this.status === 400 || this.status === 404;
  }
}

/** No answer: refused, reset, unreachable, cut short. */
export class CatalogNetworkError extends CatalogError {
  readonly code = 'CATALOG_NETWORK';
  readonly retryable = true;
}

/** There was no answer in time: the attempt, the whole call, or the wait in the queue took too long. */
export class CatalogTimeoutError extends CatalogError {
  readonly code = 'CATALOG_TIMEOUT';
  readonly retryable = true;
}

/** The catalog answered "too many requests", and the call's deadline came before the next permitted attempt. */
export class CatalogRateLimitedError extends CatalogError {
  readonly code = 'CATALOG_RATE_LIMITED';
  readonly retryable = true;
}

/** The daily quota is spent (or what is left of it is reserved for people). */
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

/** The spending could not be read or saved. A request that can't be counted is not sent. */
export class CatalogSpendingError extends CatalogError {
  readonly code = 'CATALOG_SPENDING';
  readonly retryable = true;
}

/** The answer is not in the expected form: not JSON, truncated, too large, or of another shape. */
export class CatalogSchemaError extends CatalogError {
  readonly code = 'CATALOG_SCHEMA';
  readonly retryable = false;
}
