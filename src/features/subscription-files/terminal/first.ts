import { randomUUID } from 'node:crypto';
import type { SubscriptionForm } from '../../../app/feature.ts';
import { UserError } from '../../../shared/errors.ts';
import { readFile } from '../document.ts';
import { changesOf, planOf } from '../plan.ts';
import { ENGLISH } from './english.ts';
import { problemsText } from './plan-text.ts';

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
