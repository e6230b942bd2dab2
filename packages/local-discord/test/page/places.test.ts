import { describe, expect, test } from 'vitest';
import { type Action, emptyView, PAGE_OF_MESSAGES, reduce, type View, visibleMessages } from '../../src/page/state.ts';
import { ada, ben, channel, message, pageState } from './page-data.ts';

const play = (view: View, ...actions: Action[]): View => actions.reduce(reduce, view);
const loaded = (fields = {}): Action => ({ type: 'loaded', server: pageState(fields) });
const start = (fields: Partial<View>) => ({ ...emptyView, ...fields });
const hundred = Array.from({ length: 100 }, (_, index) => message(index + 1));

describe('a page that begins', () => {
  test('opens the channel and the person that it is given', () => {
    expect(play(start({ channelId: '100', personId: ben.id }), loaded())).toMatchObject({
      channelId: '100',
      personId: ben.id,
      notice: '',
    });
  });

  test('says so where the channel is gone, and opens the first', () => {
    const view = play(start({ channelId: '999', linkedId: '1' }), loaded());
    expect(view).toMatchObject({ channelId: '101', linkedId: null, notice: "That channel isn't here any more." });
  });

  test("opens nobody else's direct messages", () => {
    const direct = channel('300', { type: 1, recipients: [ben] });
    const channels = [...pageState().channels, direct];
    expect(play(start({ channelId: '300', personId: ben.id }), loaded({ channels })).channelId).toBe('300');
    expect(play(start({ channelId: '300', personId: ada.id }), loaded({ channels })).channelId).toBe('101');
  });

  test('shows no ephemeral answer of before; one that comes later stays over a broken connection', () => {
    const messages = { '100': [message(1), message(2, { visible_to: ada.id })] };
    const view = play(start({ channelId: '100' }), loaded({ messages }));
    expect(visibleMessages(view).map(({ id }) => id)).toEqual(['1']);
    const later = { '100': [...messages['100'], message(3, { visible_to: ada.id })] };
    const again = play(view, { type: 'connection', connection: 'reconnecting' }, loaded({ messages: later }));
    expect(visibleMessages(again).map(({ id }) => id)).toEqual(['1', '3']);
  });
});

describe('a linked message', () => {
  test('is shown with some before it, however old it is', () => {
    const view = play(start({ channelId: '100', linkedId: '20' }), loaded({ messages: { '100': hundred } }));
    expect(view).toMatchObject({ linkedId: '20', notice: '' });
    const shown = visibleMessages(view).slice(-view.limit);
    expect(shown[0]?.id).toBe('1');
    const recent = play(view, { type: 'channel-opened', channelId: '100', messageId: '99' });
    expect(recent).toMatchObject({ linkedId: '99', limit: PAGE_OF_MESSAGES });
  });

  test('that is gone is told of, and the channel opens at its end', () => {
    const view = play(start({ channelId: '100', linkedId: '777' }), loaded({ messages: { '100': hundred } }));
    expect(view).toMatchObject({
      channelId: '100',
      linkedId: null,
      limit: PAGE_OF_MESSAGES,
      notice: "That message isn't here any more.",
    });
  });

  test('is one no longer once a channel is opened', () => {
    const view = play(start({ channelId: '100', linkedId: '20' }), loaded({ messages: { '100': hundred } }));
    expect(play(view, { type: 'channel-opened', channelId: '100' }).linkedId).toBeNull();
  });
});

test('a channel that is marked as read has nothing unread, nor have the posts of a forum', () => {
  const channels = [channel('200', { type: 15 }), channel('201', { type: 11, parent_id: '200' }), channel('100')];
  const view = play({ ...emptyView, unread: { '200': 1, '201': 2, '100': 3 } }, loaded({ channels }), {
    type: 'channel-opened',
    channelId: '200',
  });
  const unread = { ...view, unread: { '201': 2, '100': 3 } };
  expect(play(unread, { type: 'marked-read', channelId: '200' }).unread).toEqual({ '100': 3 });
});
