import { randomUUID } from 'node:crypto';
import { CatalogError, CatalogHttpError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../catalog/errors.ts';
import { UserError } from '../errors.ts';
import type { Log } from '../log.ts';
import { timestamp } from './format.ts';

/**
 * One plain sentence about what went wrong, for the person who asked; the cause goes to the log. What nobody expected
 * gets a reference that stands in both.
 */
export function sentenceFor(error: unknown, log: Log): string {
  if (error instanceof UserError) {
    if (error.cause !== undefined) log.warn({ err: error }, 'a person was told of a failure');
    return error.message;
  }
  if (error instanceof CatalogError) {
    log.warn({ err: error }, 'the catalog had no answer for a person');
    return catalogSentence(error);
  }
  const reference = randomUUID().slice(0, 8);
  log.error({ err: error, reference }, 'an interaction failed');
  return `Something went wrong here. Whoever runs the bot finds it in the log under ${reference}.`;
}

function catalogSentence(error: CatalogError): string {
  if (error instanceof CatalogQuotaSpentError) {
    return `Today’s requests to the catalog are used up; they return ${timestamp(error.resetsAtMs, 'R')}.`;
  }
  if (error instanceof CatalogRateLimitedError) return 'The catalog is busy. Please try again in a minute.';
  if (error instanceof CatalogHttpError && (error.status === 401 || error.status === 403)) {
    return 'The catalog refuses the bot’s key. Whoever runs the bot has to look at it.';
  }
  if (error instanceof CatalogHttpError && !error.retryable) return 'The catalog does not know what was asked for.';
  return 'The catalog does not answer right now. Please try again in a few minutes.';
}
