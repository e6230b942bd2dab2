import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Core, OperatorJob, SubscriptionForm } from '../../../app/feature.ts';
import { UserError } from '../../../shared/errors.ts';
import { flatMapInTurns } from '../../../shared/turns.ts';
import { readFile, serverReader, withoutProblems } from '../document.ts';
import { changesOf, channelsOf, isCurrent, isEmpty, type Plan, planFrom, planOf, planOfServer } from '../plan.ts';
import { ENGLISH } from './english.ts';
import { problemsText } from './plan-text.ts';
import { APPLIED, APPLIED_SERVER, type ApplyReply } from './protocol.ts';

/** How many servers are checked before the operator is told. */
const TOLD_SERVERS = 500;

/**
 * Applies the servers of a file in the running bot: exactly the plan of the digest, in one commit. What is applied already
 * counts as applied. People's commands are answered meanwhile. Resolves with null for what is no request for that.
 */
export async function applyForOperator(
  asked: readonly unknown[],
  { tell }: Pick<Parameters<OperatorJob['run']>[1], 'tell'>,
  { config, store: { subscriptions }, settings, deliverer, clock, log }: Core,
): Promise<ApplyReply | null> {
  const { data: applied } = APPLIED.safeParse(asked[0]);
  const { data: given } = z.array(APPLIED_SERVER).safeParse(asked.slice(1));
  if (!applied || given?.length !== applied.servers) return null;
  const { catalog, mostSubscriptionsPerServer: most } = config;
  const readServer = serverReader({ feeds: catalog.feeds, most, settings });
  const options = { nowMs: clock.now(), createdBy: '', newId: randomUUID, settings, stored: subscriptions };

  const read = await flatMapInTurns(
    given.entries(),
    ([index, { at, written }]) => {
      if (index % TOLD_SERVERS === 0) tell({ result: 'checked', servers: index });
      return [readServer(written, at)];
    },
    { clock },
  );
  const file = withoutProblems(read);
  if (!file.ok) return { result: 'refused', problems: problemsText(file.problems, ENGLISH) };
  const parts = await flatMapInTurns(file.servers, (server) => [planOfServer(server, options)], { clock });
  const planned = planFrom(parts, options);
  await nextTurn();
  const changes = changesOf(planned);
  await nextTurn();

  let plan: Plan | null = null;
  await subscriptions.apply(() => {
    // Somebody may have changed some of them meanwhile.
    const isOutdated = parts.some((part) => !isCurrent(part, options));
    const now = isOutdated ? planOf(file.servers, options) : planned;
    if (now.digest !== applied.digest && !isEmpty(now)) return { saved: [], removed: [] };
    plan = now;
    return isOutdated ? changesOf(now) : changes;
  });
  // The compiler doesn't see that the function above has run.
  const done = plan as Plan | null;
  if (done === null) return { result: 'outdated' };
  const { added, changed, removed } = done;
  log.info({ added: added.length, changed: changed.length, removed: removed.length }, 'a file was applied');
  // A change may fix what blocked a channel's posts.
  const retry = (channelId: string) => {
    deliverer.retry(channelId);
    return [];
  };
  await flatMapInTurns(channelsOf(done).keys(), retry, { clock });
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
  const stored = { ofGuild: () => [], get: () => undefined };
  return changesOf(planOf(read.servers, { nowMs: clock.now(), createdBy, newId: randomUUID, settings, stored })).saved;
};
