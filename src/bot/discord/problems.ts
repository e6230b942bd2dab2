import { randomUUID } from 'node:crypto';
import { UserError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { CatalogError, CatalogHttpError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../catalog/errors.ts';
import { timestamp } from './format.ts';
import type { Words } from './i18n/translator.ts';

/**
 * One plain sentence about what went wrong, for the person who asked; the cause goes to the log. What nobody expected
 * gets a reference that stands in both.
 */
export function sentenceFor(error: unknown, words: Words, log: Log): string {
  const sentence = expectedSentence(error, words);
  if (sentence === null) {
    const reference = randomUUID().slice(0, 8);
    log.error({ err: error, reference }, 'an interaction failed');
    return words.t('failure.unexpected', { reference });
  }
  if (error instanceof CatalogError) log.warn({ err: error }, 'the catalog had no answer for a person');
  else if (error instanceof Error && error.cause !== undefined) {
    log.warn({ err: error }, 'a person was told of a failure');
  }
  return sentence;
}

/** The sentence for a failure that is to be expected; null for any other. */
export function expectedSentence(error: unknown, words: Words): string | null {
  if (error instanceof UserError) return error.saying ? words.say(error.saying) : error.message;
  return error instanceof CatalogError ? catalogSentence(error, words) : null;
}

function catalogSentence(error: CatalogError, words: Words): string {
  if (error instanceof CatalogQuotaSpentError) {
    return words.t('catalog.quotaSpent', { at: timestamp(error.resetsAtMs, 'R') });
  }
  if (error instanceof CatalogRateLimitedError) return words.t('catalog.busy');
  if (error instanceof CatalogHttpError && (error.status === 401 || error.status === 403)) {
    return words.t('catalog.refusesKey');
  }
  if (error instanceof CatalogHttpError && !error.retryable) return words.t('catalog.doesNotKnow');
  return words.t('catalog.silent');
}
