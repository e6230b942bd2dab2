import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { Audience, type News } from '../../../src/announcements/match/match.ts';
import { enqueue } from '../../../src/announcements/outbox/enqueue.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import { USUAL_TIMING } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { MENTIONS } from '../../../src/features/pings/mentions.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { createLog } from '../../../src/shared/log.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { isInFull } from '../../helpers/sampled.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { anOffer, aSubscription, uuid } from '../../helpers/things.ts';

const WORDS = ['alpha', 'bravo', 'delta', 'omega', 'sigma'];
const KINDS = ['new-offer', 'restocked', 'price-drop', 'ending-soon'] as const;
type Kind = (typeof KINDS)[number];
/** What one poll may find of a deal: the first kind is the one that is posted. */
const FOUND: readonly (readonly Kind[])[] = [
  ['new-offer'],
  ['restocked'],
  ['price-drop'],
  ['price-drop', 'ending-soon'],
  ['ending-soon'],
];

interface Deal {
  number: number;
  words: readonly string[];
  price: number;
  kinds: readonly Kind[];
}

/** Deals with one of these words, below this price. Empty or null asks nothing. */
interface Want {
  words: readonly string[];
  below: number | null;
}

interface WantedPing {
  roleId: string;
  want: Want;
  kinds: readonly Kind[];
}

interface Wanted {
  channelId: string;
  want: Want;
  kinds: readonly Kind[];
  pings: readonly WantedPing[];
  mode: 'at-once' | 'hourly';
  /** From 22:00 to 7:00 UTC. */
  isQuietAtNight: boolean;
}

/** The model: which roles a post in a channel mentions for a deal, at a moment. It reads nothing of the bot's. */
function rolesOf(all: readonly Wanted[], channelId: string, deal: Deal, atMs: number): Set<string> {
  const isIn = ({ words, below }: Want) =>
    (words.length === 0 || words.some((word) => deal.words.includes(word))) && (below === null || deal.price < below);
  const hour = new Date(atMs).getUTCHours();
  const roles = new Set<string>();
  for (const one of all) {
    const told = deal.kinds.filter((kind) => one.kinds.includes(kind));
    const isNight = one.isQuietAtNight && (hour >= 22 || hour < 7);
    if (one.channelId !== channelId || told.length === 0 || !isIn(one.want) || isNight) continue;
    for (const { roleId, want, kinds } of one.pings) {
      if (isIn(want) && (kinds.length === 0 || told.some((kind) => kinds.includes(kind)))) roles.add(roleId);
    }
  }
  return roles;
}

function isWanted(all: readonly Wanted[], channelId: string, deal: Deal): boolean {
  const deaf = all.map((one) => ({
    ...one,
    isQuietAtNight: false,
    pings: [{ roleId: 'any', want: { words: [], below: null }, kinds: [] }],
  }));
  return rolesOf(deaf, channelId, deal, 0).size > 0;
}

const filterOf = ({ words, below }: Want) =>
  [words.length > 0 && `(${words.join(' OR ')})`, below !== null && `price:<${below}`].filter(Boolean).join(' ');

function subscriptionOf(one: Wanted, index: number, guildId: string): Subscription {
  const quiet = one.isQuietAtNight ? { fromMinute: 22 * 60, toMinute: 7 * 60 } : null;
  return aSubscription(`s${index}`, {
    guildId,
    channelId: one.channelId,
    filter: filterOf(one.want),
    kinds: [...one.kinds],
    pings: one.pings.map(({ roleId, want, kinds }) => ({ roleId, filter: filterOf(want), kinds: [...kinds] })),
    timing: { ...USUAL_TIMING, mode: one.mode, quiet },
    mostPerHour: 600,
  });
}

/** Choices that are the same for the same seed. */
function choicesOf(seed: number) {
  const random = seededRandom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const chance = (share: number) => random() < share;
  const some = <T>(all: readonly T[], share: number) => all.filter(() => chance(share));
  const one = <T>(all: readonly [T, ...T[]] | readonly T[]) => all[below(all.length)] as T;
  const want = (): Want => ({ words: chance(0.4) ? [] : some(WORDS, 0.3), below: chance(0.6) ? null : 5 + below(40) });
  return { below, chance, some, one, want };
}

function announcementsOf({ number, words, price, kinds }: Deal, nowMs: number): Announcement[] {
  const item = anOffer(number, {
    title: `Deal ${number} ${words.join(' ')}`,
    salePrice: { minimum: price, maximum: price },
    startDateMs: nowMs,
    endDateMs: nowMs + 48 * HOUR_MS,
  });
  const about = { subject: item.id, item, occurrence: '' };
  return kinds.map((kind): Announcement => {
    if (kind !== 'price-drop') return { ...about, kind };
    return { ...about, kind, before: { minimum: price * 2, maximum: price * 2 } };
  });
}

/** What a poll does once it has found these deals. */
async function poll(run: Run, { clock }: PostOffice, deals: readonly Deal[], foundAtMs: number): Promise<void> {
  const news = deals.map((deal): News => {
    const [first, ...others] = announcementsOf(deal, foundAtMs);
    if (!first) throw new Error('A deal has a kind.');
    return { announcements: [first, ...others], resources: ['feed:home'] };
  });
  const audience = new Audience(run.store.subscriptions, [], createLog('silent'));
  const matches = await audience.of(news, clock.now(), { clock: systemClock });
  const occasion = { nowMs: clock.now(), isLate: false, clock, signal: new AbortController().signal };
  await run.store.transact((changes) => enqueue({ ...run.store, mentions: MENTIONS }, changes, matches, occasion));
}

/** The deals that a post tells of. */
async function dealsIn(post: PageMessage, deals: readonly Deal[], run: Run): Promise<Deal[]> {
  const rollUpId = customIdsOf(post)
    .find((id) => id.startsWith('roll-up:'))
    ?.split(':')[1];
  if (rollUpId === undefined) return deals.filter(({ number }) => new RegExp(`Deal ${number}\\b`).test(textOf(post)));
  const rollUp = await run.store.deliveries.findRollUp(rollUpId);
  const subjects = rollUp?.members.map(({ announcement }) => announcement.subject);
  return deals.filter(({ number }) => subjects?.includes(uuid(number)));
}

/** Holds the line of each role against the deals that concern it. */
function expectLines(post: PageMessage, told: readonly Deal[], rolesFor: (deal: Deal) => Set<string>): void {
  for (const roleId of new Set(told.flatMap((deal) => [...rolesFor(deal)]))) {
    const [, line = ''] = new RegExp(`^<@&${roleId}> · (.*)$`, 'm').exec(textOf(post)) ?? [];
    const own = told.filter((deal) => rolesFor(deal).has(roleId)).map(({ number }) => number);
    const named = [...line.matchAll(/Deal (\d+)/g)].map(([, number]) => Number(number));
    const unnamed = Number(/ \+(\d+)$/.exec(line)?.[1] ?? 0);
    expect(own).toEqual(expect.arrayContaining(named));
    expect(named.length + unnamed, line).toBe(own.length);
    expect(named.length).toBeGreaterThan(0);
  }
}

const POLLS = isInFull ? 15 : 4;
const DEALS_OF_POLL = 20;
const MOST_WRITES = 40;

test(`of ${POLLS * DEALS_OF_POLL} deals, 20 roles and 10 subscriptions, every post rings exactly its roles, though the bot is killed between`, async () => {
  const { below, chance, some, one, want } = choicesOf(1);
  const office = await aPostOffice({ mentions: MENTIONS });
  const { discord, clock } = office;
  const roleIds = Array.from({ length: 20 }, (_, index) => discord.createRole(`R${index}`, { mentionable: true }).id);
  const channelIds = ['first', 'second'].map((name) => discord.createChannel(name).id);
  const wanted = Array.from(
    { length: 10 },
    (_, index): Wanted => ({
      channelId: channelIds[index % channelIds.length] ?? '',
      want: want(),
      kinds: chance(0.4) ? KINDS : [KINDS[below(3)] ?? 'new-offer', 'ending-soon'],
      pings: some(roleIds, 0.35)
        .slice(0, 10)
        .map((roleId) => ({ roleId, want: want(), kinds: chance(0.5) ? [] : some(KINDS, 0.5) })),
      mode: index % 2 === 1 || index === 8 ? 'hourly' : 'at-once',
      isQuietAtNight: chance(0.5),
    }),
  );
  /** Whom each message has rung: an edit rings nobody, and Discord says so of the message from then on. */
  const heard = new Map<string, string[]>();
  discord.onUpdate((update) => {
    if (update.type !== 'message') return;
    const { id, mention_roles: roles } = update.message;
    heard.set(id, [...(heard.get(id) ?? []), ...roles]);
  });
  const first = await office.run();
  for (const [index, each] of wanted.entries()) {
    await first.store.subscriptions.save(subscriptionOf(each, index, discord.guildId));
  }
  await first.stop();

  const deals: Deal[] = [];
  for (let round = 0; round < POLLS; round += 1) {
    const found = Array.from(
      { length: DEALS_OF_POLL },
      (_, index): Deal => ({
        number: round * DEALS_OF_POLL + index + 1,
        words: some(WORDS, 0.4),
        price: 1 + below(60),
        kinds: one(FOUND),
      }),
    );
    deals.push(...found);
    const foundAtMs = clock.now();
    const dieAt = 1 + below(MOST_WRITES);
    const killed = await office.run((backend) => mortal(backend, dieAt));
    await poll(killed, office, found, foundAtMs).catch(() => undefined);
    killed.deliverer.kick();
    await Promise.race([killed.deliverer.settled(), clock.untilSleeping(isFirstRetry)]);
    await killed.stop();
    const after = await office.run();
    await poll(after, office, found, foundAtMs);
    await after.settle();
    await after.stop();
    await clock.advance(HOUR_MS);
  }
  // Until the night is over, and the last digest out.
  const last = await office.run();
  for (let hour = 0; hour < 10; hour += 1) {
    await clock.advance(HOUR_MS);
    await last.settle();
  }

  let rung = 0;
  let together = 0;
  for (const channelId of channelIds) {
    const posted: number[] = [];
    for (const post of office.posts(channelId)) {
      const told = await dealsIn(post, deals, last);
      const rolesFor = (deal: Deal) => rolesOf(wanted, channelId, deal, Date.parse(post.timestamp));
      const expected = new Set(told.flatMap((deal) => [...rolesFor(deal)]));
      expect(heard.get(post.id)?.toSorted(), textOf(post)).toEqual([...expected].toSorted());
      expect([...textOf(post).matchAll(/<@&(\d+)>/g)].map(([, id = '']) => id).toSorted()).toEqual(
        [...expected].toSorted(),
      );
      if (told.length > 1) expectLines(post, told, rolesFor);
      posted.push(...told.map(({ number }) => number));
      rung += expected.size;
      together += Number(told.length > 1);
    }
    const owed = deals.filter((deal) => isWanted(wanted, channelId, deal)).map(({ number }) => number);
    expect(posted.toSorted((a, b) => a - b)).toEqual(owed);
  }
  // The test would prove nothing where little rings.
  expect(rung).toBeGreaterThan(POLLS * DEALS_OF_POLL);
  expect(together).toBeGreaterThan(POLLS / 3);
});
