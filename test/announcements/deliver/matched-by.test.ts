import { expect, test } from 'vitest';
import { matchedBy } from '../../../src/announcements/deliver/matched-by.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { aSubscription } from '../../helpers/things.ts';

const MATCHES = [
  { subscriptionId: 'home', terms: ['kettle', 'under $20'] },
  { subscriptionId: 'removed', terms: ['steel'] },
  { subscriptionId: 'tools', terms: [] },
];
const HOME = aSubscription('home');

/** The subscriptions and terms of a post in channel 10 of a server that has these. */
function namesOf(...all: Subscription[]): string[] {
  const subscriptions = { get: (id: string) => all.find((one) => one.id === id), ofGuild: () => all };
  return matchedBy(MATCHES, { guildId: '1', channelId: '10' }, subscriptions, translatorFor('en-US'));
}

test('each subscription is named with the terms of its filter, and one that was removed is not', () => {
  const tools = aSubscription('tools', { source: { kind: 'feed', feed: 'Tools' } });
  expect(namesOf(HOME, tools)).toEqual(['Home feed · kettle · under $20', 'Tools feed']);
});

test('a channel’s only subscription is not named, whatever other channels have', () => {
  expect(namesOf(HOME, aSubscription('elsewhere', { channelId: '11' }))).toEqual([]);
});
