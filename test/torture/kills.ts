import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../src/local-discord/faults.ts';
import type { Arena } from './arena.ts';

/** The bot is killed at a moment up to this long after its start: before the login, while posting, while idle. */
const LONGEST_LIFE_MS = 2_500;
/** Longer than Discord remembers a nonce: what keeps a repeat away is reading the channel. */
const OUTAGE_MS = 30 * 60_000;
/** Longer than a day that is closed by the catalog's quota. */
const LAST_OUTAGE_MS = 25 * 3_600_000;
/** Share of the requests to Discord that go wrong. */
const FAULT_RATE = 0.15;
/** Share of the catalog's answers that each of its faults spoils. */
const CATALOG_FAULT_RATE = 0.01;
const MOST_NEW_OFFERS = 3;
const GIVE_UP_MS = 120_000;

/**
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes, and how a
 * connection ends without one of those.
 */
const CLOSE_CODES = [
  1000, 1001, 1006, 4000, 4001, 4002, 4003, 4004, 4005, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014,
];

/** Kills the bot at random moments. Resolves with what became of the promise: a line for each problem. */
export async function killAtRandom(arena: Arena, kills: number): Promise<string[]> {
  const { discord, random, say } = arena;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const problems: string[] = [];
  let offers = 0;

  await arena.subscribe();
  // Posts and the readings that look for them go wrong; a login that fails would only end the bot sooner.
  discord.faults.use(({ path }) => (path.endsWith('/messages') ? drawFault(arena.randomFault) : undefined));
  arena.spoilCatalog(CATALOG_FAULT_RATE);

  for (let round = 1; round <= kills; round += 1) {
    arena.leap(OUTAGE_MS);
    const lifeMs = upTo(LONGEST_LIFE_MS);
    const fresh = upTo(MOST_NEW_OFFERS);
    const disturb = drawDisturbance(arena);
    const bot = arena.startBot();
    const moments = [...Array.from({ length: fresh }, () => arena.addOffer), disturb];
    for (const happen of moments) {
      await sleep(lifeMs / (moments.length + 1));
      happen();
    }
    await sleep(lifeMs / (moments.length + 1));
    if (bot.process.exitCode !== null) problems.push(`Round ${round}: the bot ended by itself, see its log.`);
    await bot.kill();
    offers += fresh;
    if (round % 25 === 0) say(`${round} kills, ${offers} offers`);
  }

  discord.faults.use(null);
  arena.spoilCatalog(0);
  arena.leap(LAST_OUTAGE_MS);
  const last = arena.startBot();
  const deadlineMs = Date.now() + GIVE_UP_MS;
  while (Date.now() < deadlineMs && !arena.isComplete()) await sleep(250);
  // Whatever would come twice comes now.
  await sleep(3_000);
  await last.kill();
  problems.push(...arena.problems());
  say(`${kills} kills, ${offers} offers to each channel, ${problems.length} problems.`);
  return problems;
}

/** What happens to the gateway in a round: half of the time nothing. */
function drawDisturbance({ discord: { faults }, random }: Arena): () => void {
  const drawn = random();
  const code = CLOSE_CODES[Math.floor(random() * CLOSE_CODES.length)] ?? 4000;
  if (drawn < 0.4) return () => faults.closeGateway(code, { forget: drawn < 0.1 });
  if (drawn < 0.45) return () => faults.reconnectGateway();
  if (drawn < 0.5) return () => faults.invalidateSessions({ resumable: drawn < 0.475 });
  return () => undefined;
}

function drawFault(random: () => number): Fault | undefined {
  if (random() >= FAULT_RATE) return undefined;
  const accepted = random() < 0.5;
  const drawn = random();
  if (drawn < 0.4) return { kind: 'drop', accepted };
  if (drawn < 0.8) return { kind: 'error', status: random() < 0.5 ? 500 : 502, accepted };
  return { kind: 'rate-limit', retryAfterMs: 50, scope: 'shared' };
}
