import type { Subscription } from '../../src/bot/deals/subscription.ts';
import { dueAt } from '../../src/bot/deals/timing.ts';
import { timestamp } from '../../src/bot/discord/format.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { Delivery } from '../../src/bot/store/delivery.ts';
import type { CommandServices } from '../shared.ts';

/**
 * When a subscription posts next, in one sentence: at once, with the first digest, after its quiet hours, or once it or
 * all posting is resumed.
 * @param enqueued its deliveries from the poll that was just made
 */
export function outlookOf(
  { timing, pausedBy }: Subscription,
  translator: Translator,
  { clock, postingPause }: Pick<CommandServices, 'clock' | 'postingPause'>,
  enqueued: readonly Pick<Delivery, 'dueAtMs'>[] = [],
): string {
  if (pausedBy !== null) return translator.t('outlook.paused');
  if (postingPause.sinceMs() !== null) return translator.t('outlook.postingPaused');
  const nowMs = clock.now();
  const count = enqueued.length;
  // Where another subscription of the channel wants the same earlier, the post comes earlier.
  const dueAtMs = count > 0 ? Math.min(...enqueued.map((delivery) => delivery.dueAtMs)) : dueAt(timing, nowMs).dueAtMs;
  if (dueAtMs <= nowMs) {
    return count > 0 ? translator.t('subscription.comes', { count }) : translator.t('subscription.fromHereOn');
  }
  const at = timestamp(dueAtMs, 'f');
  if (timing.mode === 'at-once') {
    return count > 0
      ? translator.t('outlook.comesAfterQuiet', { count, at })
      : translator.t('outlook.afterQuiet', { at });
  }
  return count > 0 ? translator.t('outlook.comesInDigest', { count, at }) : translator.t('outlook.inDigest', { at });
}
