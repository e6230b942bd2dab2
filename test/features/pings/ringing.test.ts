import { expect, test } from 'vitest';
import { Ringing } from '../../../src/features/pings/mentions.ts';
import type { Ping } from '../../../src/features/pings/ping.ts';
import { anOffer, NOW_MS, newOfferOf } from '../../helpers/things.ts';

const announcement = newOfferOf(anOffer(1, { title: 'A fast SSD', isSoldOut: false }));
const ping = (roleId: string, filter: string): Ping => ({ roleId, filter, kinds: [] });

test('a filter that asks about what is not known yet rings nobody, in whichever way it asks', () => {
  const pings = [
    ping('all', ''),
    ping('word', 'ssd'),
    ping('asks', 'ssd price:<1000'),
    ping('not', '-price:>1000'),
    ping('or', 'ssd OR price:<1000'),
    ping('other', 'kettle'),
  ];
  const ringing = new Ringing();
  expect(ringing.rolesFor(pings, announcement, { nowMs: NOW_MS, undecided: ['salePrice'] })).toEqual(['all', 'word']);
  const known = newOfferOf(anOffer(1, { title: 'A fast SSD' }));
  expect(ringing.rolesFor(pings, known, { nowMs: NOW_MS })).toEqual(['all', 'word', 'asks', 'not', 'or']);
});

test('a filter that can not be read any more rings nobody, and spoils no other', () => {
  const pings = [ping('broken', 'price:<<'), ping('whole', 'ssd'), ping('broken too', '"ssd')];
  expect(new Ringing().rolesFor(pings, announcement, { nowMs: NOW_MS })).toEqual(['whole']);
});

test('the kinds of a ping are those of the announcement, whatever its filter says', () => {
  const pings: Ping[] = [
    { roleId: 'drops', filter: 'ssd', kinds: ['price-drop'] },
    { roleId: 'new', filter: 'ssd', kinds: ['new-offer'] },
  ];
  expect(new Ringing().rolesFor(pings, announcement, { nowMs: NOW_MS })).toEqual(['new']);
  expect(new Ringing().rolesFor([], announcement, { nowMs: NOW_MS })).toEqual([]);
});
