import { describe, expect, test } from 'vitest';
import type { MentionFacts } from '../../../src/announcements/deliver/mentions.ts';
import { deliveriesOf } from '../../../src/announcements/outbox/enqueue.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { MENTIONS } from '../../../src/features/pings/mentions.ts';
import type { Ping } from '../../../src/features/pings/ping.ts';
import type { Delivery } from '../../../src/store/delivery.ts';
import { anOffer, aSubscription, NOW_MS, newOfferOf } from '../../helpers/things.ts';

const OFFER = anOffer(1, { title: 'A kettle', salePrice: { minimum: 20, maximum: 20 } });
const KETTLE = newOfferOf(OFFER);
const ping = (roleId: string, filter = '', kinds: Ping['kinds'] = []): Ping => ({ roleId, filter, kinds });

/** The roles that each delivery rings for the subscription `a`. */
const rung = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ matches }) => matches.find(({ subscriptionId }) => subscriptionId === 'a')?.roleIds);

test('a delivery rings the roles whose filter and kinds it matches, as it was found', () => {
  const subscription = aSubscription('a', {
    pings: [
      { roleId: '1', filter: '', kinds: [] },
      { roleId: '2', filter: 'kettle price:<30', kinds: ['new-offer'] },
      { roleId: '3', filter: 'toaster', kinds: [] },
      { roleId: '4', filter: 'kettle', kinds: ['price-drop'] },
      { roleId: '5', filter: 'prise:<', kinds: [] },
    ],
  });
  const match = { announcement: KETTLE, subscription, terms: [] };
  expect(rung(deliveriesOf([match], NOW_MS, false, { mentions: MENTIONS }))).toEqual([['1', '2']]);
  // Its price is not known yet.
  expect(rung(deliveriesOf([{ ...match, undecided: ['salePrice'] }], NOW_MS, false, { mentions: MENTIONS }))).toEqual([
    ['1'],
  ]);
  expect(
    rung(deliveriesOf([{ ...match, subscription: aSubscription('a') }], NOW_MS, false, { mentions: MENTIONS })),
  ).toEqual([undefined]);
});

test('a role that was decided is rung for as long as a ping of it is there, whatever it is for by then', () => {
  const subscription = aSubscription('a', { pings: [ping('1', 'toaster')] });
  expect(['1', '2'].map((roleId) => MENTIONS.has(subscription, roleId))).toEqual([true, false]);
});

describe('what each ping did', () => {
  const AT_NIGHT = { ...aSubscription('s').timing, quiet: { fromMinute: 0, toMinute: 24 * 60 - 1 } };
  const rings = { pings: [ping('1'), ping('2', 'samovar')] };

  function told(settings: Partial<Subscription>, changes: Partial<MentionFacts> = {}) {
    const posted = { postedAtMs: NOW_MS, decided: ['1'], mentioned: [] };
    const what = { announcement: KETTLE, offer: OFFER, atMs: NOW_MS, ...posted, ...changes };
    const outcomes = MENTIONS.explain(aSubscription('s', settings), what);
    return outcomes.map(({ roleId, isMentioned, because }) => [roleId, isMentioned, because.key]);
  }

  test('is told by what was decided and posted then', () => {
    const pings = [
      ping('1'),
      ping('2', 'samovar'),
      ping('3', '', ['price-drop']),
      ping('4', 'prise:<'),
      ping('5', 'kettle'),
      ping('6'),
    ];
    expect(told({ pings }, { decided: ['1', '6'], mentioned: ['1'] })).toEqual([
      ['1', true, 'why.ping.rang'],
      ['2', false, 'why.ping.filter'],
      ['3', false, 'why.ping.kind'],
      ['4', false, 'why.ping.unreadable'],
      ['5', false, 'why.ping.since'],
      ['6', false, 'why.ping.stopped'],
    ]);
  });

  test.each<[string, Partial<Subscription>, Partial<MentionFacts>, boolean, string]>([
    ['in quiet hours', { ...rings, timing: AT_NIGHT }, {}, false, 'why.ping.quiet'],
    ['while it waits', rings, { postedAtMs: null, mentioned: null }, true, 'why.ping.rings'],
    ['in a roll-up', rings, { mentioned: null }, true, 'why.ping.rang'],
  ])('%s', (_, settings, changes, isMentioned, key) => {
    expect(told(settings, changes)).toEqual([
      ['1', isMentioned, key],
      ['2', false, 'why.ping.filter'],
    ]);
  });

  test('a filter that it did not match is told with the terms that decided', () => {
    const [outcome] = MENTIONS.explain(aSubscription('s', { pings: [ping('2', 'kettle samovar')] }), {
      announcement: KETTLE,
      offer: OFFER,
      atMs: NOW_MS,
      postedAtMs: NOW_MS,
      decided: [],
      mentioned: [],
    });
    expect(outcome?.because.values).toEqual({ filter: '`kettle samovar`' });
    expect(outcome?.terms.map(({ name }) => name)).toEqual(['samovar']);
  });
});
