import { randomUUID } from 'node:crypto';
import { CatalogError, CatalogHttpError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../catalog/errors.ts';
import { UserError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { timestamp } from './format.ts';
import type { Translator } from './i18n/translator.ts';

/**
 * One plain sentence about a failure for the person; the cause goes to the log. Unexpected errors get a reference that
 * appears in both.
 */
export function sentenceFor(error: unknown, translator: Translator, log: Log): string {
  const sentence = expectedSentence(error, translator);
  if (sentence === null) {
    const reference = randomUUID().slice(0, 8);
    log.error({ err: error, reference }, 'an interaction failed');
    return translator.t('failure.unexpected', { reference });
  }
  if (error instanceof CatalogError) log.warn({ err: error }, "the catalog failed a user's request");
  else if (error instanceof Error && error.cause !== undefined) {
    log.warn({ err: error }, 'a user was shown an error');
  }
  return sentence;
}

/** The sentence for an expected failure; null for any other. */
export function expectedSentence(error: unknown, translator: Translator): string | null {
  if (error instanceof UserError) return error.localized ? translator.translate(error.localized) : error.message;
  return error instanceof CatalogError ? catalogSentence(error, translator) : null;
}

function catalogSentence(error: CatalogError, translator: Translator): string {
  if (error instanceof CatalogQuotaSpentError) {
    return translator.t('catalog.quotaSpent', { at: timestamp(error.resetsAtMs, 'R') });
  }
  if (error instanceof CatalogRateLimitedError) return translator.t('catalog.busy');
  if (error instanceof CatalogHttpError && (error.status === 401 || error.status === 403)) {
    return translator.t('catalog.refusesKey');
  }
  if (error instanceof CatalogHttpError && !error.retryable) return translator.t('catalog.doesNotKnow');
  return translator.t('catalog.silent');
}
