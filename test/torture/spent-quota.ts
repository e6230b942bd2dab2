import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { DAY_MS } from '../../src/shared/time.ts';
import { openSpending } from '../../src/store/catalog-records.ts';
import { openState } from '../../src/store/open-state.ts';
import { until } from './arena.ts';
import { happen, type ProcessEvent, type Run, untilUndisturbed } from './process-events.ts';

/** The day's requests: more than one leader's people may cause, fewer than those of all leaders. */
const QUOTA = 60;
/** The events while people spend the quota, in turns; and how many of them come once it is spent. */
const EVENTS: readonly ProcessEvent[] = ['killed', 'upgraded', 'cut', 'stopped', 'killed', 'restarted', 'paused'];
const MOST_EVENTS = 4 * EVENTS.length;
const EVENTS_ONCE_SPENT = 4;
/** A person may cause so many requests at once; then the leader refuses them more. */
const ASKED_BY_EACH = 12;
const ANSWERED_WITHIN_MS = 60_000;
const ASKED_WITHIN_MS = 20_000;
/** Longer than a leader that lives takes for an answer. */
const ANSWER_MS = 5_000;

/**
 * A day with a quota that people's commands spend while leaders come and go: all of them together may ask the catalog no
 * more than that. Begins with the processes' restart; from its end on, nothing is polled on this day.
 */
export async function spendQuota(run: Run): Promise<void> {
  const { arena, processes, problems } = run;
  arena.leap(DAY_MS);
  for (const { start } of processes) start.environment = { ...start.environment, CATALOG_PORTAL_QUOTA: String(QUOTA) };
  const former = processes.map(({ bot }) => bot);
  for (const { process } of former) process.kill('SIGTERM');
  await Promise.all(former.map(({ ended }) => ended));
  const before = arena.shop.requests();
  let events = 0;
  let onceSpent = 0;
  for (; events < MOST_EVENTS && onceSpent < EVENTS_ONCE_SPENT; events += 1) {
    await untilAnswered(run);
    if ((await spentRequests(arena.stateUrl)) >= QUOTA) onceSpent += 1;
    const asked = askAround(run);
    await happen(run, EVENTS[events % EVENTS.length] ?? 'killed', 'without posts');
    await asked;
  }
  await untilUndisturbed(run);
  const requests = arena.shop.requests() - before;
  const spent = await spentRequests(arena.stateUrl);
  arena.say(
    `A day's quota of ${QUOTA}: ${requests} requests reached the catalog and ${spent} were counted, in ${events} events.`,
  );
  if (requests > QUOTA) problems.push(`${requests} requests on a quota of ${QUOTA}.`);
  if (onceSpent < EVENTS_ONCE_SPENT) problems.push(`The quota of ${QUOTA} was not spent: that proves nothing.`);
}

/** The requests of the day that the state counts: each before it leaves. */
export async function spentRequests(stateUrl: string): Promise<number> {
  const { backend, state } = openState(stateUrl);
  const { spent = 0 } = (await openSpending(state).load('portal')) ?? {};
  await backend.close();
  return spent;
}

/** Resolves when a command is answered; after a minute without an answer, that is a problem. */
async function untilAnswered({ arena: { discord }, problems }: Run): Promise<void> {
  let isAnswered = false;
  await until(async () => {
    isAnswered = await ask(discord, discord.people.ben.id, '/help');
    return isAnswered;
  }, AbortSignal.timeout(ANSWERED_WITHIN_MS));
  if (!isAnswered) problems.push(`No command was answered for ${ANSWERED_WITHIN_MS / 1000} seconds.`);
}

/** Two people look at one offer after another, whether or not they are answered. */
async function askAround({ arena: { discord } }: Run): Promise<void> {
  const { ada, ben } = discord.people;
  const signal = AbortSignal.timeout(ASKED_WITHIN_MS);
  async function askOften(personId: string): Promise<void> {
    for (let count = 0; count < ASKED_BY_EACH && !signal.aborted; count += 1) {
      // An offer that nobody has seen costs a request, whatever was asked before.
      await ask(discord, personId, `/offer offer:${randomUUID()}`);
    }
  }
  await Promise.all([askOften(ada.id), askOften(ben.id)]);
}

/** Whether a command is answered. One that the leader deferred before its end never is. */
function ask(discord: LocalDiscord, personId: string, text: string): Promise<boolean> {
  const asked = discord.runCommand({ personId, channelId: discord.channel('deals').id, text });
  return Promise.race([
    asked.then(
      ({ message }) => message !== null,
      () => false,
    ),
    sleep(ANSWER_MS, false),
  ]);
}
