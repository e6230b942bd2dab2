import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aPoller } from '../../helpers/poller.ts';
import { anEvent, anEventOffer, anOffer, anOfferDetail, aSubscription, uuid } from '../../helpers/things.ts';

const NONE_ENDED = { answer: 0, asked: 0, refuted: 0 };
const NONE_LASTING = { offers: 0, fields: [] };

type Parts = Awaited<ReturnType<typeof aPoller>>;
type Kettle = NonNullable<Parameters<typeof anOffer>[1]>;

/** A poller that has shown kettle 1 twice, whose requests are so scarce that `look` alone polls. */
async function aKnownKettle() {
  const parts = await aPoller();
  parts.scarce();
  /** Shows the kettle a minute later. */
  const show = async (kettle: Kettle, feed = 'Home') => {
    parts.put([anOffer(1, kettle)], feed);
    await parts.clock.advance(MINUTE_MS);
    return parts.look(feed);
  };
  await show({});
  await show({});
  const doubts = () => parts.poller.doubts();
  return { ...parts, show, doubts, today: () => doubts().today };
}

const follow = ({ store }: Pick<Parts, 'store'>, feed: string) =>
  store.subscriptions.save(aSubscription('t', { channelId: '11', source: { kind: 'feed', feed } }));

test('what one answer says alone is counted by resource and field, and waits until a second answer confirms it', async () => {
  const { show, doubts, today, clock } = await aKnownKettle();
  const startMs = clock.now() - 2 * MINUTE_MS;
  const untouched = { sinceMs: startMs, began: 0, ended: NONE_ENDED };
  expect(doubts()).toEqual({
    today: untouched,
    sinceStart: { fields: [], ended: NONE_ENDED },
    waiting: 0,
    lasting: NONE_LASTING,
  });
  await show({ title: 'Pot' });
  expect(doubts()).toMatchObject({ today: { began: 1, ended: NONE_ENDED }, waiting: 1 });
  await show({ title: 'Pot' });
  expect(doubts().waiting).toBe(0);
  expect(today()).toEqual({ ...untouched, began: 1, ended: { ...NONE_ENDED, answer: 1 } });
  expect(doubts().sinceStart.fields).toMatchObject([
    { resource: 'feed:Home', field: 'Title', contradicted: 1, confirmed: 1 },
  ]);
});

test('what the next answer takes back is refuted', async () => {
  const { show, doubts, today } = await aKnownKettle();
  await show({ title: 'Pot', url: 'https://www.example.com/odd' });
  await show({});
  expect(doubts().waiting).toBe(0);
  expect(today()).toMatchObject({ began: 2, ended: { ...NONE_ENDED, refuted: 2 } });
});

test('a doubt ends where the offer itself says the same', async () => {
  const { show, poller, doubts, today, details } = await aKnownKettle();
  await show({ title: 'Pot' });
  details.set(uuid(1), anOfferDetail(1, { title: 'Pot' }));
  await poller.tick();
  expect(today()).toMatchObject({ began: 1, ended: { ...NONE_ENDED, asked: 1 } });
  expect(doubts().waiting).toBe(0);
});

test('a doubt waits on where the offer itself says what is believed, until the feed takes it back', async () => {
  const { show, poller, doubts, today, details } = await aKnownKettle();
  await show({ title: 'Pot' });
  details.set(uuid(1), anOfferDetail(1, { title: anOffer(1).title }));
  await poller.tick();
  expect(today()).toMatchObject({ began: 1, ended: NONE_ENDED });
  expect(doubts().waiting).toBe(1);
  await show({});
  expect(today()).toMatchObject({ began: 1, ended: { ...NONE_ENDED, refuted: 1 } });
  expect(doubts().waiting).toBe(0);
});

test('an answer that could not be stored counts once it is', async () => {
  const { show, look, today, failNext } = await aKnownKettle();
  failNext();
  await expect(show({ title: 'Pot' })).rejects.toThrow('The disk is full.');
  expect(today().began).toBe(0);
  await look();
  expect(today().began).toBe(1);
});

test('what a feed says that nobody follows any more waits for no answer', async () => {
  const { show, doubts, store, poller } = await aKnownKettle();
  await show({ photo: 'https://example.com/odd.png' });
  expect(doubts().waiting).toBe(1);
  await store.subscriptions.remove('s');
  await poller.tick();
  expect(doubts()).toMatchObject({ waiting: 0, today: { began: 1, ended: NONE_ENDED } });
});

test('a feed that says something else for more than an hour contradicts what is believed, until it doesn’t', async () => {
  const { show, doubts, clock, ...parts } = await aKnownKettle();
  await follow(parts, 'Tools');
  await show({ title: 'Pot' }, 'Tools');
  expect(doubts().waiting, 'the first statement of a feed is no change').toBe(0);
  await clock.advance(HOUR_MS - MINUTE_MS);
  await show({ title: 'Pot' }, 'Tools');
  expect(doubts().lasting).toEqual(NONE_LASTING);
  await show({ title: 'Pot' }, 'Tools');
  expect(doubts().lasting).toEqual({
    offers: 1,
    fields: [{ resource: 'feed:Tools', field: 'Title', offers: 1 }],
  });
  expect(doubts().today).toMatchObject({ began: 0, ended: NONE_ENDED });
  await show({}, 'Tools');
  expect(doubts().lasting).toEqual(NONE_LASTING);
});

test('doubts about events and their offers are counted as those of feeds are', async () => {
  const parts = await aKnownKettle();
  const { store, poller, events, clock, doubts, today } = parts;
  await store.subscriptions.save(
    aSubscription('e', { channelId: '12', source: { kind: 'events', sites: [], types: [] } }),
  );
  const show = async (title: string, offer: string, shown = true) => {
    events.splice(
      0,
      events.length,
      ...(shown ? [anEvent(1, { title, offers: [anEventOffer(1, { title: offer })] })] : []),
    );
    await clock.advance(MINUTE_MS);
    await poller.poll('events', 'announcement');
  };
  await show('Sale', 'Kettle');
  await show('Sale of pots', 'Pot');
  expect(doubts()).toMatchObject({ today: { began: 2, ended: NONE_ENDED }, waiting: 2 });
  await show('Sale', 'Pot');
  expect(doubts()).toMatchObject({ today: { began: 2, ended: { ...NONE_ENDED, answer: 1, refuted: 1 } }, waiting: 0 });
  expect(doubts().sinceStart.fields).toEqual([
    { resource: 'events', field: 'Title', contradicted: 1, confirmed: 0 },
    { resource: 'events', field: 'Offers.Title', contradicted: 1, confirmed: 1 },
  ]);
  await show('Clearance', 'Pot');
  expect(doubts().waiting).toBe(1);
  await store.subscriptions.remove('e');
  await poller.tick();
  expect(doubts()).toMatchObject({ waiting: 0 });
  expect(today().began).toBe(3);
});

test('a feed that has not been read since another one changed contradicts nothing', async () => {
  const { show, doubts, clock, ...parts } = await aKnownKettle();
  await follow(parts, 'Tools');
  await show({}, 'Tools');
  await show({ title: 'Pot' });
  await show({ title: 'Pot' });
  await clock.advance(2 * HOUR_MS);
  await show({ title: 'Pot' });
  expect(doubts().lasting).toEqual(NONE_LASTING);
});
