import { randomUUID } from 'node:crypto';
import type { Deliverer } from '../announcements/deliver/deliverer.ts';
import type { Setting } from '../deals/settings.ts';
import { translatorFor } from '../discord/i18n/translator.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Store } from '../store/store.ts';
import { readFile } from '../subscription-files/document.ts';
import { changesOf, channelsOf, isEmpty, type Plan, planOf } from '../subscription-files/plan.ts';
import { problemsText } from '../subscription-files/plan-text.ts';
import type { Config } from './config.ts';
import type { ApplyReply, FileToApply } from './operator-socket.ts';

interface ApplyParts {
  config: Pick<Config, 'catalog' | 'mostSubscriptionsPerServer'>;
  store: Pick<Store, 'subscriptions'>;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  deliverer: Pick<Deliverer, 'retry'>;
  clock: Clock;
  log: Log;
}

/**
 * Applies a file with subscriptions in the running bot: exactly the plan of the digest, in one commit. A file that is
 * applied already counts as applied.
 */
export async function applyFile(
  { text, format, digest }: FileToApply,
  { config, store: { subscriptions }, settings, deliverer, clock, log }: ApplyParts,
): Promise<ApplyReply> {
  const { catalog, mostSubscriptionsPerServer: most } = config;
  const read = readFile(text, format, { feeds: catalog.feeds, most, settings });
  if (!read.ok) return { result: 'refused', problems: problemsText(read.problems, translatorFor('en-US')) };
  let applied: Plan | null = null;
  await subscriptions.apply(() => {
    const plan = planOf(read.servers, subscriptions.ofServers(), {
      nowMs: clock.now(),
      createdBy: '',
      newId: randomUUID,
      settings,
    });
    if (plan.digest !== digest && !isEmpty(plan)) return { saved: [], removed: [] };
    applied = plan;
    return changesOf(plan);
  });
  // The compiler doesn't see that the function above has run.
  const plan = applied as Plan | null;
  if (plan === null) return { result: 'outdated' };
  // A change may fix what blocked a channel's posts.
  for (const channelId of channelsOf(plan)) deliverer.retry(channelId);
  const { added, changed, removed } = plan;
  log.info({ added: added.length, changed: changed.length, removed: removed.length }, 'a file was applied');
  return { result: 'applied' };
}
