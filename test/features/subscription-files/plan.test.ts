import { expect, test } from 'vitest';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { Preview } from '../../../src/deals/preview.ts';
import { SETTINGS } from '../../../src/deals/settings.ts';
import type { Source, Subscription } from '../../../src/deals/subscription.ts';
import { usualSettings } from '../../../src/features/subscription-files/entry.ts';
import { forecast, MOST_CHANNELS } from '../../../src/features/subscription-files/forecast.ts';
import { changesOf, isCurrent, isEmpty, planOf, planOfServer } from '../../../src/features/subscription-files/plan.ts';
import type { Wanted, WantedServer } from '../../../src/features/subscription-files/schema.ts';
import { planText } from '../../../src/features/subscription-files/terminal/plan-text.ts';
import { anOffer, aSubscription, NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';
import { storing } from './storing.ts';

const HOME: Source = { kind: 'feed', feed: 'Home' };
const TOOLS: Source = { kind: 'feed', feed: 'Tools' };
const one = aSubscription('one', { guildId: '1', channelId: '11', source: HOME, problem: 'forbidden', catchUp: 2 });
const other = aSubscription('other', { guildId: '1', channelId: '12', source: TOOLS });
const elsewhere = aSubscription('elsewhere', { guildId: '2', channelId: '21' });
const STORED = [one, other, elsewhere];

function wanting(
  subscription: Subscription,
  changes: Partial<Wanted['settings']> = {},
  id: string | null = null,
): Wanted {
  const { channelId, target, source, kinds, filter, pausedBy } = subscription;
  const said = { channelId, target, source, kinds, filter, isPaused: pausedBy === 'person' };
  return { path: '', id, settings: { ...usualSettings(SETTINGS), ...said, ...changes }, catchUp: 0 };
}
const server = (...subscriptions: Wanted[]): WantedServer[] => [{ at: 0, written: null, guildId: '1', subscriptions }];

function plan(servers: WantedServer[], stored: readonly Subscription[] = STORED) {
  const ids = ['new-1', 'new-2', 'new-3'];
  const newId = () => ids.shift() ?? '';
  return planOf(servers, { nowMs: NOW_MS, createdBy: '9', newId, settings: SETTINGS, stored: storing(stored) });
}

test('what a file does not name of its servers is removed; other servers are left alone', () => {
  expect(plan(server(wanting(one)))).toMatchObject({ added: [], changed: [], removed: [other], unchanged: [one] });
  expect(plan(server())).toMatchObject({ removed: [one, other] });
  expect(isEmpty(plan([]))).toBe(true);
  expect(isEmpty(plan(server()))).toBe(false);
});

test('a change keeps what the bot noted, and says which settings differ', () => {
  const { changed } = plan(server(wanting(one, { filter: 'ssd', isPaused: true }), wanting(other)));
  expect(changed).toEqual([
    {
      before: one,
      after: { ...one, filter: 'ssd', pausedBy: 'person', changedAtMs: NOW_MS },
      fields: ['filter', 'paused'],
    },
  ]);
});

test('an id finds its subscription whatever changes; without one, the same request comes before the same source', () => {
  const twin = aSubscription('twin', { guildId: '1', channelId: '11', source: HOME, filter: 'ssd' });
  const stored = [one, twin];
  const ids = (servers: WantedServer[]) => plan(servers, stored).changed.map(({ before }) => before.id);
  expect(ids(server(wanting(one, { source: TOOLS }, 'one'), wanting(twin)))).toEqual(['one']);
  expect(ids(server(wanting(one, { filter: 'nvme' }), wanting(twin, { mostPerHour: 3 })))).toEqual(['one', 'twin']);
});

test('a move to another channel is a removal and an addition, and the next run of the same file finds nothing to do', () => {
  const file = server(wanting(one, { channelId: '13' }, 'one'), wanting(other));
  const moved = plan(file);
  expect(moved.removed).toEqual([one]);
  expect(moved.added).toMatchObject([{ id: 'new-1', channelId: '13', problem: null, createdBy: '9' }]);
  const { saved, removed } = changesOf(moved);
  const after = [...STORED.filter(({ id }) => !removed.includes(id)), ...saved];
  expect(isEmpty(plan(file, after))).toBe(true);
});

test('an id that nobody has is given to what is added, and one that another server has is not', () => {
  const added = (id: string) => plan(server(wanting(one), wanting(other), wanting(one, { source: TOOLS }, id))).added;
  expect(added('former')).toMatchObject([{ id: 'former', guildId: '1' }]);
  expect(added('elsewhere')).toMatchObject([{ id: 'new-1', guildId: '1' }]);
});

test('the digest names what is done to what: it changes with either, and with nothing else', () => {
  const file = server(wanting(one, { filter: 'ssd' }));
  const { digest } = plan(file);
  expect(plan(file).digest).toBe(digest);
  expect(plan(server(wanting(one, { filter: 'nvme' }))).digest).not.toBe(digest);
  expect(plan(file, [{ ...one, mostPerHour: 4 }, other]).digest).not.toBe(digest);
  expect(plan(file, [one]).digest).not.toBe(digest);
  // The bot's notes of the meantime are no part of it.
  expect(plan(file, [{ ...one, problem: null, catchUp: 0 }, other]).digest).toBe(digest);
});

test('a subscription whose channel is gone stays paused for that, whatever the file says', () => {
  const gone = { ...one, pausedBy: 'gone' as const };
  expect(isEmpty(plan(server(wanting(gone), wanting(other)), [gone, other]))).toBe(true);
  expect(plan(server(wanting(gone, { filter: 'ssd' }), wanting(other)), [gone, other]).changed).toMatchObject([
    { after: { pausedBy: 'gone' } },
  ]);
});

const newOffer = (number: number): Announcement => ({
  kind: 'new-offer',
  subject: anOffer(number).id,
  occurrence: '',
  item: anOffer(number),
});

/** Previews in which a source has the offers of these numbers; null for one that was never read. */
function previews(offers: (subscription: Subscription) => number[] | null) {
  return async (subscription: Subscription): Promise<Preview> => ({
    subscription,
    days: [],
    entries: (offers(subscription) ?? []).map((number) => ({
      announcement: newOffer(number),
      atMs: NOW_MS,
      isNews: true,
      roleIds: [],
    })),
    knownSinceMs: offers(subscription) === null ? null : NOW_MS,
    lastReadMs: NOW_MS,
    isCutOff: false,
    onlyListed: false,
    isReadable: true,
  });
}

test('the forecast counts a post once in a channel, and nothing of what is paused', async () => {
  const both = server(wanting(one), wanting(other, { channelId: '11' }), wanting(other, { isPaused: true }));
  const offers = ({ source, filter }: Subscription) =>
    source.kind !== 'feed' || filter ? null : source.feed === 'Home' ? [1, 2] : [2, 3];
  expect(await forecast(plan(both), storing(STORED), previews(offers))).toEqual([
    { channelId: '11', before: 2, after: 3, isPartial: false },
    { channelId: '12', before: 2, after: 0, isPartial: false },
  ]);
  const unknown = server(wanting(one, { filter: 'ssd' }), wanting(other));
  expect(await forecast(plan(unknown), storing(STORED), previews(offers))).toEqual([
    { channelId: '11', before: 2, after: 0, isPartial: true },
  ]);
});

test('the text of a plan has a line for each subscription, and each setting below it', () => {
  const shown = planText(
    plan(server(wanting(one, { filter: 'ssd' }), wanting(one, { channelId: '13', mostPerHour: 5 }))),
    [{ channelId: '11', before: 5, after: 2, isPartial: false }],
    translatorFor('en-US'),
  );
  expect(shown).toBe(`  + add     Home feed in channel 13 of server 1
      most-per-hour: 5
  ~ change  Home feed in channel 11 of server 1 (one)
      filter: not set → "ssd"
  - remove  Tools feed in channel 12 of server 1 (other)
1 to add, 1 to change, 1 to remove, 0 unchanged.
The last seven days would have posted:
  channel 11: 5 before, 2 after (-3)
  in 2 more channels: not counted`);
  expect(planText(plan([]), [], translatorFor('en-US'))).toBe('Nothing to do: 0 unchanged.');
});

test('an id that another server has stays theirs: the new subscription gets one of its own', () => {
  const { added } = plan(server(wanting(one, { channelId: '13' }, elsewhere.id), wanting(other)));
  expect(added).toMatchObject([{ id: 'new-1', guildId: '1' }]);
});

test('of a plan for very many channels, the first are compared', async () => {
  const many = Array.from({ length: MOST_CHANNELS + 1 }, (_, index) =>
    wanting(one, { channelId: String(1000 + index) }),
  );
  const compared = await forecast(
    plan(server(...many), []),
    storing([]),
    previews(() => [1]),
  );
  expect(compared.map(({ channelId }) => channelId)).toEqual(
    Array.from({ length: MOST_CHANNELS }, (_, index) => String(1000 + index)),
  );
});

test('the plan of a server is outdated once any of its subscriptions has come, gone or changed', () => {
  const options = { nowMs: NOW_MS, createdBy: '', newId: () => 'new', settings: SETTINGS };
  const [wanted] = server(wanting(one));
  const planned = wanted && planOfServer(wanted, { ...options, stored: storing(STORED) });
  const now = (...stored: Subscription[]) => planned && isCurrent(planned, { stored: storing(stored) });
  expect(now(one, other)).toBe(true);
  expect(now(one, other, elsewhere)).toBe(true);
  expect(now(one)).toBe(false);
  expect(now(one, { ...other })).toBe(false);
  expect(now(one, other, aSubscription('more', { guildId: '1' }))).toBe(false);
});
