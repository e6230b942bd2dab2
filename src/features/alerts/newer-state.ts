import type { StartParts } from '../../app/feature.ts';
import { noticeCard } from '../../discord/cards/parts.ts';
import { createTranslators } from '../../discord/i18n/translator.ts';
import { inlineCode } from '../../discord/markdown.ts';
import { within } from '../../shared/clock.ts';
import { NewerStateError } from '../../shared/errors.ts';
import { createOwnerMessagesByToken } from './owner-messages.ts';
import { WORDS } from './words/index.ts';

/** How long Discord may take, in milliseconds: the process ends after that. */
const TOLD_WITHIN_MS = 10_000;

/**
 * Tells the owner, by Discord's REST API alone, where this version can't read the state. There is no state that could
 * remember it, and a supervisor starts the process again and again: the message itself is looked for, so that one
 * stands there for each day. In English, as the owner's language is in the state. Never rejects.
 */
export async function tellOfNewerState(error: unknown, parts: StartParts): Promise<void> {
  if (!(error instanceof NewerStateError)) return;
  const { config, clock, networkClock, log } = parts;
  const { token, api } = config.discord;
  if (token === null) return;
  const stopping = new AbortController();
  const messages = createOwnerMessagesByToken({ token, api }, config.alertChannel, stopping.signal);
  const translator = createTranslators(() => undefined, [WORDS])('en-US');
  const title = `⚠ **${translator.t('alert.newer')}**`;
  const card = noticeCard(
    `${title}\n${translator.t('alert.newer.means', { version: inlineCode(error.writer || '?') })}`,
  );
  const alert = { alert: 'newer' };
  try {
    const refused = await within(networkClock, TOLD_WITHIN_MS, messages.sendOnceADay(card, title, clock.now()));
    if (refused === null) log.info(alert, 'told the owner');
    else if (refused === 'told') log.info(alert, 'the owner was told within the last day');
    else log.warn({ ...alert, err: refused.error }, 'the owner could not be told');
  } catch (failure) {
    stopping.abort(failure);
    log.warn({ ...alert, err: failure }, 'the owner could not be told');
  }
}
