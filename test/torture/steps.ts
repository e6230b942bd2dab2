import type { Arena, Place, Run } from './arena.ts';
import type { Tally } from './tally.ts';

/** Shorter and longer than Discord remembers a nonce. */
const OUTAGES_MS = [60_000, 30 * 60_000] as const;
const NEW_OFFERS = 2;
/** So many an hour that nothing waits for the next. */
const MOST_PER_HOUR = 1_000;
const PLACES: readonly Place[] = [
  { channel: 'deals', mostPerHour: MOST_PER_HOUR },
  { channel: 'forum', target: 'forum', mostPerHour: MOST_PER_HOUR },
  { channel: '@ben', mostPerHour: MOST_PER_HOUR },
];
/** No run takes that many; where one does, its steps do not come to an end. */
const MOST_STEPS = 1_000;

/** The fault that a run meets: none, or a first post whose answer is lost, so that it has to check whether the post is there. */
const PASSES = ['an undisturbed run', 'a run whose first post gets no answer'] as const;

/**
 * Kills a run at its first step, another one at its second, and so on until one goes through, and after each kill lets
 * a run go through and counts. Resolves with a line for each problem.
 */
export async function killAtEachStep(arena: Arena): Promise<string[]> {
  const tally = await arena.subscribe(PLACES);
  for (const pass of PASSES) {
    const problems = await killThrough(arena, tally, pass);
    if (problems.length > 0) return problems;
  }
  return [];
}

async function killThrough(arena: Arena, tally: Tally, pass: (typeof PASSES)[number]): Promise<string[]> {
  const { random, say } = arena;
  for (let step = 1; step <= MOST_STEPS; step += 1) {
    for (let offer = 0; offer < NEW_OFFERS; offer += 1) arena.shop.addOffer();
    arena.leap(outageMs(random));
    if (pass !== PASSES[0]) loseFirstAnswer(arena);
    const run = await arena.runOnce({ killAt: step });
    if (run.code === 0) {
      say(`${pass}: killed at each of ${step - 1} steps; then one went through, ${countsOf(run)}.`);
      return [...missingSteps(run), ...(await tally.problems())];
    }
    const place = `${pass}, step ${step}: ${run.said}`;
    if (run.signal !== 'SIGKILL') return [`${place}: it ended with ${run.code ?? run.signal}, see its log.`];
    arena.leap(outageMs(random));
    const next = await arena.runOnce();
    if (next.code !== 0) return [`${place}: the next run ended with ${next.code ?? next.signal}, see its log.`];
    const problems = await tally.problems();
    if (problems.length > 0) return [place, ...problems];
    if (step % 25 === 0) say(place);
  }
  return [`${pass}: no end after ${MOST_STEPS} steps.`];
}

function outageMs(random: () => number): number {
  return OUTAGES_MS[random() < 0.5 ? 0 : 1];
}

function loseFirstAnswer({ discord }: Arena): void {
  let isLost = false;
  discord.faults.use(({ method, path }) => {
    if (isLost || method !== 'POST' || !path.endsWith('/messages')) return undefined;
    isLost = true;
    return { kind: 'drop', accepted: true };
  });
}

/** A run that wrote and called nothing has proved nothing: then the steps are not seen any more. */
function missingSteps(run: Run): string[] {
  const { writes, calls } = JSON.parse(countsOf(run)) as { writes: number; calls: number };
  return writes > 0 && calls > 0 ? [] : ['Steps of the run were not seen: see steps-of-run.ts.'];
}

function countsOf({ said }: Run): string {
  return said.slice('through '.length);
}
