import { randomUUID } from 'node:crypto';
import type { Core, SubscriptionForm } from '../../../app/feature.ts';
import { UserError } from '../../../shared/errors.ts';
import { readFile } from '../document.ts';
import { changesOf, channelsOf, isEmpty, type Plan, planOf } from '../plan.ts';
import { ENGLISH } from './english.ts';
import { problemsText } from './plan-text.ts';
import { type ApplyReply, FILE } from './protocol.ts';

/**
 * Applies a file with subscriptions in the running bot: exactly the plan of the digest, in one commit. A file that is
 * applied already counts as applied. Resolves with null for what is no request for that.
 */
export async function applyForOperator(
  asked: unknown,
  { config, store: { subscriptions }, settings, deliverer, clock, log }: Core,
): Promise<ApplyReply | null> {
  const { data } = FILE.safeParse(asked);
  if (!data) return null;
  const { text, format, digest } = data;
  const { catalog, mostSubscriptionsPerServer: most } = config;
  const read = readFile(text, format, { feeds: catalog.feeds, most, settings });
  if (!read.ok) return { result: 'refused', problems: problemsText(read.problems, ENGLISH) };
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

/** The subscriptions of a new state, from a file as `subscriptions apply` takes it, in JSON. */
export const firstSubscriptions: SubscriptionForm['read'] = ({ text, createdBy }, { config, settings, clock }) => {
  const most = config.mostSubscriptionsPerServer;
  const read = readFile(text, 'json', { feeds: config.catalog.feeds, most, settings });
  if (!read.ok) {
    const problems = problemsText(read.problems, ENGLISH);
    throw new UserError(["The first subscriptions can't be used:", ...problems].join('\n  - '));
  }
  return changesOf(planOf(read.servers, [], { nowMs: clock.now(), createdBy, newId: randomUUID, settings })).saved;
};
