import { noticeCard } from '../discord/cards/parts.ts';
import { translatorFor } from '../discord/i18n/translator.ts';
import { inlineCode } from '../discord/markdown.ts';
import { createOwnerMessagesByToken } from '../discord/owner-messages.ts';
import { type Clock, within } from '../shared/clock.ts';
import type { NewerStateError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Config } from './config.ts';

/** How long Discord may take, in milliseconds: the process ends after that. */
const TOLD_WITHIN_MS = 10_000;

/**
 * Tells the owner, by Discord's REST API alone, that this version can't read the state. There is no state that could
 * remember it, and a supervisor starts the process again and again: the message itself is looked for, so that one
 * stands there for each day. In English, as the owner's language is in the state. Never rejects.
 */
export async function tellOfNewerState(
  { writer }: NewerStateError,
  { discord, alertChannel }: Pick<Config, 'discord' | 'alertChannel'>,
  { clock, networkClock, log }: { clock: Clock; networkClock: Clock; log: Log },
): Promise<void> {
  const { token, api } = discord;
  if (token === null) return;
  const stopping = new AbortController();
  const messages = createOwnerMessagesByToken({ token, api }, alertChannel, stopping.signal);
  const translator = translatorFor('en-US');
  const title = `⚠ **${translator.t('alert.newer')}**`;
  const card = noticeCard(`${title}\n${translator.t('alert.newer.means', { version: inlineCode(writer || '?') })}`);
  const alert = { alert: 'newer' };
  try {
    const told = await within(networkClock, TOLD_WITHIN_MS, messages.sendOnceADay(card, title, clock.now()));
    if (told === null) log.info(alert, 'told the owner');
    else if (told === 'told') log.info(alert, 'the owner was told within the last day');
    else log.warn({ ...alert, err: told.error }, 'the owner could not be told');
  } catch (error) {
    stopping.abort(error);
    log.warn({ ...alert, err: error }, 'the owner could not be told');
  }
}
