import { expect, onTestFinished, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { deliveriesOf, putIn } from '../../../src/announcements/outbox/enqueue.ts';
import { Audit } from '../../../src/features/audit/audit.ts';
import type { Finding } from '../../../src/features/audit/compare.ts';
import { RECORDS } from '../../../src/features/audit/records.ts';
import { keyOf, Repair, type Repaired } from '../../../src/features/audit/repair.ts';
import { createLog } from '../../../src/shared/log.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { backendAt } from '../../helpers/opened-state.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { sampled } from '../../helpers/sampled.ts';
import { aKnownOffer, anOffer, newOfferOf, uuid } from '../../helpers/things.ts';

const WATCHING = { onReading: () => undefined, signal: new AbortController().signal };

/** The audit of a run, and the repair of what it finds. */
function auditOf({ store, courier, deliverer, currentState }: Run, { book: offers, clock }: PostOffice) {
  const log = createLog('silent');
  const { signal } = WATCHING;
  const audit = new Audit({ settings: [], store, courier, deliverer, offers, currentState, clock, log, signal });
  return { audit, repair: new Repair({ settings: [], store, audit, deliverer, currentState, clock, log }) };
}

/** Repairs all that the audit finds. */
async function repairAll(run: Run, office: PostOffice, withDeleted = true): Promise<Repaired[]> {
  const { audit, repair } = auditOf(run, office);
  const { findings } = await audit.runThrough(null, WATCHING);
  return repair.run(findings.map(keyOf), { ...WATCHING, withDeleted });
}

const became = (all: readonly Repaired[]) =>
  all
    .map((one) => [one.finding.what, 'step' in one ? one.step : one.left])
    .toSorted((one, other) => (one.join() < other.join() ? -1 : 1));

/** The kettles that the posts of #deals tell of, oldest first. */
const kettles = (office: PostOffice) =>
  office
    .posts(office.channelId('deals'))
    .flatMap((post) => [...new Set(textOf(post).match(/(?<=Kettle )\d+/g))].map(Number));

const asBot = ({ discord }: PostOffice, method: string, route: string, body?: unknown) =>
  fetch(`${discord.api}/v10/channels/${route}`, {
    method,
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const deleteIt = (office: PostOffice, post: PageMessage | undefined) =>
  asBot(office, 'DELETE', `${post?.channel_id}/messages/${post?.id}`);
const double = (office: PostOffice, post: PageMessage | undefined) =>
  asBot(office, 'POST', `${post?.channel_id}/messages`, { flags: 32_768, components: post?.components });

/** Posts of these kettles, each by itself, two hours ago. */
async function posted(numbers: readonly number[]) {
  const office = await aPostOffice({ features: [RECORDS] });
  const channelId = office.channelId('deals');
  office.book.put(numbers.map((number) => aKnownOffer(number)));
  const run = await office.run();
  const subscription = await run.subscribe({ channelId, createdAtMs: 0 });
  const ids: string[] = [];
  for (const number of numbers) ids.push(...(await run.enqueue(subscription, [anOffer(number)])));
  await run.settle();
  await office.clock.advance(2 * HOUR_MS);
  return { office, run, subscription, ids, posts: office.posts(channelId) };
}

/** Removes rows of the state that hold one of these, as a defect would. */
async function loseRows(office: PostOffice, kinds: readonly string[], holding: (string | undefined)[]) {
  const file = backendAt(office.stateUrl);
  onTestFinished(() => file.close());
  const rows = await file.under(kinds.map((kind) => `${kind}:`));
  const lost = rows.filter(({ key, value }) => holding.some((text) => text && (key + value).includes(text)));
  expect(lost).not.toHaveLength(0);
  await file.write(new Map(lost.map(({ key }) => [key, null])));
}

/** Deletes post 1, doubles 2, changes the price of 3, loses the ledger's row of 4, and all of 5. */
async function aBrokenChannel() {
  const { office, run, ids, posts } = await posted([1, 2, 3, 4, 5, 6]);
  await run.stop();
  await deleteIt(office, posts[0]);
  await double(office, posts[1]);
  const changed = JSON.parse(JSON.stringify(posts[2]?.components).replaceAll('$20.00', '$25.00')) as unknown;
  await asBot(office, 'PATCH', `${posts[2]?.channel_id}/messages/${posts[2]?.id}`, { components: changed });
  await loseRows(office, ['ledger'], [ids[3]]);
  await loseRows(office, ['ledger', 'post'], [ids[4]]);
  await deleteIt(office, posts[4]);
  await office.clock.advance(2 * HOUR_MS);
  return { office, ids };
}

async function sellOut(number: number, run: Run, { book }: PostOffice) {
  const { store, deliverer } = run;
  const known = aKnownOffer(number, { isSoldOut: true });
  book.put([known]);
  await store.transact((changes) => deliverer.refresh(changes, [{ key: `offer:${uuid(number)}`, item: known.offer }]));
  await run.settle();
}

const FOUND = [
  ['missing', 'post'],
  ['twice', 'delete'],
  ['unposted', 'post'],
  ['unrecorded', 'record'],
  ['untrue', 'edit'],
];

/** More writes than a repair and all that follows from it take. */
const writes = sampled(
  Array.from({ length: 24 }, (_, index) => index + 1),
  4,
);

test.each(writes)('killed before write %i and repeated, a repair leaves each deal there once', async (dieAt) => {
  const { office, ids } = await aBrokenChannel();
  const killed = await office.run((backend) => mortal(backend, dieAt));
  await repairAll(killed, office).catch(() => undefined);
  await Promise.race([killed.deliverer.settled(), office.clock.untilSleeping(isFirstRetry)]);
  await killed.stop();

  // Longer than Discord remembers a nonce, and than the audit leaves what is young alone.
  await office.clock.advance(2 * HOUR_MS);
  const after = await office.run();
  await after.settle();
  await repairAll(after, office);
  await after.settle();
  expect(kettles(office).toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(office.posts(office.channelId('deals')).map(textOf).join()).not.toContain('$25.00');
  for (const id of ids) expect(await after.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted' });
  expect(after.deliverer.status()).toMatchObject({ pending: 0, editsPending: 0 });
  await office.clock.advance(2 * HOUR_MS);
  expect(became(await repairAll(after, office))).toEqual([]);
});

test('a repair makes one step for each finding, and a second one finds nothing', async () => {
  const { office } = await aBrokenChannel();
  const run = await office.run();
  expect(became(await repairAll(run, office))).toEqual(FOUND);
  // What is under way is no finding.
  expect(became(await repairAll(run, office))).toEqual([]);
  await run.settle();
  expect(kettles(office)).toEqual([2, 3, 4, 6, 1, 5]);
  // What was recorded is kept up to date again.
  await sellOut(4, run, office);
  const soldOut = office.posts(office.channelId('deals')).filter((post) => textOf(post).includes('Sold out'));
  expect(soldOut.map(textOf)).toEqual([expect.stringContaining('Kettle 4')]);
});

test('what somebody has deleted is posted again only where that is asked for, and its deal is on and wanted', async () => {
  const { office, run, subscription, posts } = await posted([1, 2]);
  for (const post of posts) await deleteIt(office, post);
  expect(became(await repairAll(run, office, false))).toEqual([
    ['missing', 'deleted'],
    ['missing', 'deleted'],
  ]);
  office.book.put([aKnownOffer(1, { isSoldOut: true })]);
  expect(became(await repairAll(run, office))).toEqual([
    ['missing', 'over'],
    ['missing', 'post'],
  ]);
  await run.settle();
  expect(kettles(office)).toEqual([2]);
  await office.clock.advance(2 * HOUR_MS);
  await deleteIt(office, office.posts(office.channelId('deals'))[0]);
  // Another subscription has the channel audited.
  await run.subscribe({
    id: 'other',
    channelId: subscription.channelId,
    source: { kind: 'polls' },
    kinds: ['new-poll'],
  });
  await run.store.commit((changes) => run.store.subscriptions.delete(changes, subscription.id));
  expect(became(await repairAll(run, office))).toEqual([
    ['missing', 'over'],
    ['missing', 'unwanted'],
  ]);
});

test('of a deleted roll-up, what it told is posted again', async () => {
  const office = await aPostOffice({ features: [RECORDS] });
  const channelId = office.channelId('deals');
  office.book.put([1, 2].map((number) => aKnownOffer(number)));
  const run = await office.run();
  const subscription = await run.subscribe({ channelId, createdAtMs: 0 });
  await run.enqueue(subscription, [anOffer(1), anOffer(2)], true);
  await run.settle();
  const [rollUp, ...others] = office.posts(channelId);
  expect(others).toEqual([]);
  await office.clock.advance(2 * HOUR_MS);
  await deleteIt(office, rollUp);
  expect(became(await repairAll(run, office))).toEqual([
    ['missing', 'post'],
    ['missing', 'post'],
  ]);
  await run.settle();
  const text = office.posts(channelId).map(textOf).join();
  expect([text.match(/Kettle 1/g), text.match(/Kettle 2/g)].map((found) => found?.length)).toEqual([1, 1]);
});

test('a deleted post that stood for two announcements is posted again once', async () => {
  const office = await aPostOffice({ features: [RECORDS] });
  const channelId = office.channelId('deals');
  office.book.put([aKnownOffer(1)]);
  const run = await office.run();
  const subscription = await run.subscribe({ channelId, createdAtMs: 0 });
  const isNew = newOfferOf(anOffer(1));
  const matches = [isNew, { ...isNew, kind: 'restocked' } as typeof isNew].map((announcement) => {
    return { announcement, subscription, terms: [] };
  });
  await run.store.transact((changes) => putIn(run.store, changes, deliveriesOf(matches, office.clock.now())));
  await run.settle();
  await office.clock.advance(2 * HOUR_MS);
  const [post, ...others] = office.posts(channelId);
  expect(others).toEqual([]);
  await deleteIt(office, post);
  expect(became(await repairAll(run, office))).toEqual([
    ['missing', 'post'],
    ['missing', 'post'],
  ]);
  await run.settle();
  expect(kettles(office)).toEqual([1]);
  await office.clock.advance(2 * HOUR_MS);
  expect(became(await repairAll(run, office))).toEqual([]);
});

test('where somebody has deleted the post of the ledger and another one of it stands, that is the post from then on', async () => {
  const { office, run, ids, posts } = await posted([1]);
  await double(office, posts[0]);
  await deleteIt(office, posts[0]);
  await office.clock.advance(2 * HOUR_MS);
  expect(became(await repairAll(run, office))).toEqual([['unrecorded', 'record']]);
  await run.settle();
  const [standing] = office.posts(office.channelId('deals'));
  expect(await run.store.deliveries.ended(ids[0] ?? '')).toMatchObject({ messageId: standing?.id });
  await sellOut(1, run, office);
  expect(textOf(office.posts(office.channelId('deals'))[0] ?? {})).toContain('Sold out');
});

test('a message of which nothing is known is recorded, so that nothing posts it again', async () => {
  const { office, run, ids, posts } = await posted([1]);
  await run.stop();
  await loseRows(office, ['ledger', 'post'], [ids[0]]);
  office.book.remove([uuid(1)]);
  const again = await office.run();
  expect(became(await repairAll(again, office))).toEqual([['unrecorded', 'record']]);
  expect(await again.store.deliveries.ended(ids[0] ?? '')).toMatchObject({ messageId: posts[0]?.id, isFound: true });
});

test('a repair does nothing about what has changed since it was found', async () => {
  const { office, run, posts } = await posted([1]);
  await double(office, posts[0]);
  const { audit, repair } = auditOf(run, office);
  const { findings } = await audit.runThrough(null, WATCHING);
  const copy = office.posts(office.channelId('deals')).at(-1);
  expect(findings).toMatchObject([{ what: 'twice', place: { messageId: copy?.id } }]);
  await deleteIt(office, copy);
  expect(await repair.run(findings.map(keyOf), { ...WATCHING, withDeleted: true })).toEqual([]);
  await run.settle();
  expect(kettles(office)).toEqual([1]);
});

test('a message that is too many is deleted, also where Discord is away at first, and one that is gone counts as done', async () => {
  const { office, run, posts } = await posted([1, 2]);
  await double(office, posts[0]);
  await double(office, posts[1]);
  const [, , first] = office.posts(office.channelId('deals'));
  expect(became(await repairAll(run, office))).toEqual([
    ['twice', 'delete'],
    ['twice', 'delete'],
  ]);
  await deleteIt(office, first);
  office.discord.faults.failNext(({ method }) => method === 'DELETE', { kind: 'drop', accepted: false });
  await run.settle();
  expect(kettles(office)).toEqual([1, 2]);
  expect(run.store.removals.channels()).toEqual([]);
  expect(posts.every((post) => customIdsOf(post).length > 0)).toBe(true);
});

/** A repair to which the audit tells what it has found some time ago. */
function repairOfOld(run: Run, office: PostOffice, findings: readonly Finding[]) {
  const { store, deliverer, currentState } = run;
  const audit = { runThrough: async () => ({ findings }) } as unknown as Audit;
  const repair = new Repair({
    settings: [],
    store,
    audit,
    deliverer,
    currentState,
    clock: office.clock,
    log: createLog('silent'),
  });
  return repair.run(findings.map(keyOf), { ...WATCHING, withDeleted: true });
}

test('what has become so between the reading and the commit is not undone', async () => {
  const { office, run, ids, posts } = await posted([1, 2]);
  const [first, second] = posts;
  await deleteIt(office, second);
  const { findings } = await auditOf(run, office).audit.runThrough(null, WATCHING);
  const [missing] = findings;
  if (!missing || !first) throw new Error('Nothing was found.');
  const place = { channelId: first.channel_id, messageId: first.id };
  // The ledger names this message by now.
  const twice: Finding = { ...missing, what: 'twice', deliveryId: ids[0] ?? '', place, post: null };
  expect(became(await repairOfOld(run, office, [twice]))).toEqual([['twice', 'changed']]);
  // Its edit is about to find that the message is gone.
  await run.store.transact((changes) =>
    run.deliverer.refresh(changes, [{ key: `offer:${uuid(2)}`, item: anOffer(2, { title: 'Kettle 2' }) }]),
  );
  const edits = run.store.edits.pending(missing.channelId);
  expect(edits).toHaveLength(1);
  expect(became(await repairOfOld(run, office, [missing]))).toEqual([['missing', 'changed']]);
  await run.store.commit((changes) => {
    for (const edit of run.store.edits.pending(missing.channelId)) run.store.edits.end(changes, edit);
  });
  await run.store.postingPause.begin(office.clock.now());
  expect(became(await repairOfOld(run, office, [missing]))).toEqual([['missing', 'post']]);
  expect(await run.store.posts.get(`offer:${uuid(2)}`, ids[1] ?? ''), 'its message is gone').toBeUndefined();
  // It waits in the outbox by now.
  expect(became(await repairOfOld(run, office, [missing]))).toEqual([['missing', 'changed']]);
  await run.store.postingPause.end();
  await run.settle();
  expect(kettles(office)).toEqual([1, 2]);
});
