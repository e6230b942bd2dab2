import { describe, expect, test } from 'vitest';
import {
  type Action,
  componentUse,
  currentModal,
  directChannels,
  emptyView,
  PAGE_OF_MESSAGES,
  pendingCommands,
  reduce,
  type StartedInteraction,
  threadsOf,
  topChannels,
  type View,
  visibleMessages,
} from '../../src/page/state.ts';
import type { PageEvent, PageUpdate } from '../../src/server/page-api.ts';
import { ada, ben, channel, message, pageState } from './page-data.ts';

const play = (view: View, ...actions: Action[]): View => actions.reduce(reduce, view);
const updated = (update: PageUpdate, reading = true): Action => ({ type: 'updated', update, reading });
const posted = (id: number, fields = {}): Action => updated({ type: 'message', message: message(id, fields) });
const loaded = (fields = {}): Action => ({ type: 'loaded', server: pageState(fields) });
const inDeals = (...actions: Action[]) =>
  play(emptyView, loaded(), { type: 'channel-opened', channelId: '100' }, ...actions);
const shownIds = (view: View) => visibleMessages(view).map(({ id }) => id);

const command: StartedInteraction = {
  id: '900',
  personId: ada.id,
  channelId: '100',
  startedMs: 0,
  origin: { type: 'command', text: '/feed feed:Tools' },
};

describe('loading', () => {
  test('opens the first channel by position, as the first person', () => {
    expect(play(emptyView, loaded())).toMatchObject({ connection: 'live', channelId: '101', personId: ada.id });
  });

  test('keeps the open channel and the person when loaded anew', () => {
    const view = inDeals(
      { type: 'person-chosen', personId: ben.id },
      { type: 'connection', connection: 'reconnecting' },
    );
    expect(play(view, loaded())).toMatchObject({ connection: 'live', channelId: '100', personId: ben.id });
  });

  test('leaves a channel that is gone', () => {
    expect(play(inDeals(), loaded({ channels: [channel('101')] })).channelId).toBe('101');
    const gone = updated({ type: 'channels', channels: [channel('101')] });
    expect(play(inDeals(), gone).channelId).toBe('101');
  });

  test('counts what other channels got while the connection was away', () => {
    const before = play(inDeals(), posted(1, { channel_id: '101' }));
    const messages = { '101': [1, 2, 3].map((id) => message(id, { channel_id: '101' })) };
    expect(play(before, loaded({ messages })).unread).toEqual({ '101': 3 });
  });

  test('forgets interactions whose end it may have missed', () => {
    const view = inDeals({ type: 'started', interaction: command });
    expect(pendingCommands(view)).toHaveLength(1);
    expect(pendingCommands(play(view, loaded()))).toEqual([]);
  });

  test('ignores updates before the first state', () => {
    expect(play(emptyView, posted(1))).toBe(emptyView);
  });
});

describe('messages', () => {
  test('stand in the order of their ids, whatever the order of arrival', () => {
    expect(shownIds(inDeals(posted(10), posted(9), posted(100)))).toEqual(['9', '10', '100']);
  });

  test('are replaced in place by an edit, which is not news', () => {
    const view = inDeals(
      posted(1),
      posted(2),
      updated({ type: 'message', message: message(1, { content: 'new' }) }, false),
    );
    expect(visibleMessages(view).map(({ content }) => content)).toEqual(['new', 'message 2']);
    expect(view.below).toBe(0);
  });

  test('go when deleted', () => {
    const gone = updated({ type: 'message-deleted', channelId: '100', messageId: '1' });
    expect(shownIds(inDeals(posted(1), posted(2), gone))).toEqual(['2']);
    expect(shownIds(inDeals(gone))).toEqual([]);
  });

  test('are counted below for a reader further up, until caught up', () => {
    const away = (id: number) => updated({ type: 'message', message: message(id) }, false);
    const view = inDeals(away(1), away(2));
    expect(view.below).toBe(2);
    expect(view.limit).toBe(PAGE_OF_MESSAGES + 2);
    expect(play(view, { type: 'caught-up' }).below).toBe(0);
  });

  test('make another channel unread until it is opened, where the first of them is marked', () => {
    const view = inDeals(posted(1, { channel_id: '101' }), posted(2, { channel_id: '101' }));
    expect(view.unread).toEqual({ '101': 2 });
    expect(play(view, { type: 'channel-opened', channelId: '101' })).toMatchObject({ unread: {}, firstUnreadId: '1' });
  });

  test('for one person show to that person alone, until dismissed', () => {
    const view = inDeals(posted(1, { visible_to: ada.id }), posted(2));
    expect(shownIds(view)).toEqual(['1', '2']);
    expect(shownIds(play(view, { type: 'person-chosen', personId: ben.id }))).toEqual(['2']);
    expect(shownIds(play(view, { type: 'dismissed', id: '1' }))).toEqual(['2']);
  });

  test('for another person are no news', () => {
    expect(inDeals(posted(1, { visible_to: ben.id, channel_id: '101' })).unread).toEqual({});
  });

  test('that are direct show to their person alone', () => {
    const direct = channel('200', { type: 1, name: null, recipients: [ada] });
    const view = play(
      inDeals(updated({ type: 'channels', channels: [channel('100'), direct] })),
      posted(1, { channel_id: '200' }),
    );
    expect(topChannels([channel('100'), direct]).map(({ id }) => id)).toEqual(['100']);
    expect(directChannels([channel('100'), direct], ada.id)).toEqual([direct]);
    expect(directChannels([direct], ben.id)).toEqual([]);
    expect(view.unread).toEqual({ '200': 1 });
    const open = play(view, { type: 'channel-opened', channelId: '200' });
    expect(play(open, { type: 'person-chosen', personId: ben.id }).channelId).toBe('100');
    const asBen = play(inDeals({ type: 'person-chosen', personId: ben.id }), loaded({ channels: [direct] }));
    expect(play(asBen, posted(1, { channel_id: '200' })).unread).toEqual({});
  });

  test('are kept up to a number', () => {
    const many = Array.from({ length: 1005 }, (_, index) => posted(index + 1));
    const messages = inDeals(...many).server?.messages['100'] ?? [];
    expect([messages.length, messages.at(-1)?.id]).toEqual([1000, '1005']);
  });
});

describe('interactions', () => {
  const outcome = (state: 'answered' | 'deferred' | 'failed', problem?: string): Action =>
    updated({ type: 'interaction', interactionId: '900', state, ...(problem === undefined ? {} : { problem }) });
  const started: Action = { type: 'started', interaction: command };

  test('a command pends until it is answered', () => {
    expect(pendingCommands(inDeals(started))).toMatchObject([{ id: '900', outcome: null }]);
    expect(pendingCommands(inDeals(started, outcome('deferred')))).toMatchObject([{ outcome: { state: 'deferred' } }]);
    expect(pendingCommands(inDeals(started, outcome('answered')))).toEqual([]);
  });

  test('an answer that is quicker than the start counts', () => {
    expect(pendingCommands(inDeals(outcome('answered'), started))).toEqual([]);
  });

  test('a command whose message is there does not pend beside it', () => {
    const metadata = { id: '900', type: 2, user: ada, authorizing_integration_owners: {} } as const;
    expect(
      pendingCommands(inDeals(started, outcome('deferred'), posted(1, { interaction_metadata: metadata }))),
    ).toEqual([]);
  });

  test('a failed command stays with its problem until dismissed', () => {
    const view = inDeals(started, outcome('failed', 'No answer.'));
    expect(pendingCommands(view)).toMatchObject([{ outcome: { state: 'failed', problem: 'No answer.' } }]);
    expect(pendingCommands(play(view, { type: 'dismissed', id: '900' }))).toEqual([]);
  });

  test('a command pends for its person and in its channel only', () => {
    const view = inDeals(started);
    expect(pendingCommands(play(view, { type: 'person-chosen', personId: ben.id }))).toEqual([]);
    expect(pendingCommands(play(view, { type: 'channel-opened', channelId: '101' }))).toEqual([]);
  });

  test('a component waits, fails, and is used again', () => {
    const use = (id: string, customId: string): Action => ({
      type: 'started',
      interaction: { ...command, id, origin: { type: 'component', messageId: '1', customId } },
    });
    expect(componentUse(inDeals(), '1')).toBeUndefined();
    expect(componentUse(inDeals(use('900', 'next')), '1')).toEqual({ customId: 'next', outcome: null });
    expect(componentUse(inDeals(use('900', 'next'), outcome('answered')), '1')).toBeUndefined();
    const failed = inDeals(use('900', 'next'), outcome('failed'));
    expect(componentUse(failed, '1')).toEqual({ customId: 'next', outcome: { state: 'failed' } });
    expect(componentUse(play(failed, use('901', 'back')), '1')).toEqual({ customId: 'back', outcome: null });
  });

  test("a modal shows for this page's own interaction, in the channel it came from, until closed", () => {
    const modal = { custom_id: 'm', title: 'Ask', components: [] };
    const asked = updated({ type: 'modal', interactionId: '900', personId: ada.id, modal });
    expect(currentModal(inDeals(asked))).toBeUndefined();
    const view = inDeals(asked, started);
    expect(currentModal(view)).toMatchObject({ interactionId: '900', channelId: '100', modal });
    expect(pendingCommands(view)).toEqual([]);
    expect(currentModal(play(view, { type: 'modal-closed', interactionId: '900' }))).toBeUndefined();
  });
});

test('threads live in their forum, the newest first', () => {
  const channels = [
    channel('9', { type: 15, position: 2 }),
    channel('10', { type: 11, parent_id: '9' }),
    channel('11', { type: 11, parent_id: '9' }),
    channel('12', { type: 11, parent_id: '8' }),
    channel('8', { position: 1 }),
  ];
  expect(topChannels(channels).map(({ id }) => id)).toEqual(['8', '9']);
  expect(threadsOf(channels, '9').map(({ id }) => id)).toEqual(['11', '10']);
});

test('messages stand in the order of their ids, which are numbers', () => {
  const ids = inDeals(posted(100), posted(1000), posted(99)).server?.messages['100']?.map(({ id }) => id);
  expect(ids).toEqual(['99', '100', '1000']);
});

test('a pinned message stays, however many come after it', () => {
  const pinned = posted(1, { pinned: true, pinned_at: '2026-03-05T12:00:00.000000+00:00' });
  const view = inDeals(pinned, ...Array.from({ length: 1001 }, (_, index) => posted(index + 2)));
  expect(view.server?.messages['100']).toHaveLength(1001);
  expect(view.server?.messages['100']?.slice(0, 2).map(({ id }) => id)).toEqual(['1', '3']);
});

describe('panels', () => {
  test('one is open until it is closed, or a channel is opened', () => {
    const opened = inDeals({ type: 'panel-opened', panel: 'pins' });
    expect(opened.panel).toBe('pins');
    expect(play(opened, posted(1)).panel).toBe('pins');
    expect(play(opened, { type: 'panel-opened', panel: null }).panel).toBeNull();
    expect(play(opened, { type: 'channel-opened', channelId: '101' }).panel).toBeNull();
  });

  test('the events are as the server last told them', () => {
    const events = [{ id: '1' }] as PageEvent[];
    expect(play(inDeals(), updated({ type: 'events', events })).server?.events).toBe(events);
  });
});

test('whoever typed counts as typing until they post there', () => {
  const bot = message(1).author.id;
  const typing = (userId: string): Action => ({ type: 'typed', channelId: '100', userId, atMs: 5 });
  expect(inDeals(typing(bot)).typing).toEqual({ 100: { userId: bot, atMs: 5 } });
  expect(inDeals(typing(bot), posted(1)).typing).toEqual({});
  expect(inDeals(typing(ada.id), posted(1)).typing).toEqual({ 100: { userId: ada.id, atMs: 5 } });
  expect(inDeals(posted(1), typing(bot), posted(1, { content: 'edited' })).typing).not.toEqual({});
});
