import { expect, test } from 'vitest';
import type { DemoAction, DemoState, PageMessage } from '../../local-discord/src/index.ts';
import { createStory } from '../src/story.ts';
import { aPost } from './a-post.ts';

const DEALS = 'deals';

/** A channel of posts, a process and outages, as the test sets them. */
function aStory() {
  const standing: PageMessage[] = [];
  const state = { bot: 'running' as DemoState['bot']['state'], outages: new Set<string>(), nowMs: 0 };
  const story = createStory({
    channelId: DEALS,
    messages: () => standing,
    bot: () => state.bot,
    outages: { has: (name) => state.outages.has(name) },
    nowMs: () => state.nowMs,
  });
  /** Posts news of an offer, or edits the message that stands at the id. */
  function show(id: string, text: string, editedAt: string | null = null): void {
    const message = Object.assign(aPost(text), { id, type: 0, channel_id: DEALS, edited_timestamp: editedAt });
    const at = standing.findIndex((one) => one.id === id);
    standing.splice(at < 0 ? standing.length : at, 1, message);
    story.update({ type: 'message', message });
  }
  return {
    story,
    state,
    show,
    news: (id: string, name: string) => show(id, `🆕 **New offer**\n### [${name}](https://a.example/${name})`),
    pass: (ms: number): void => {
      state.nowMs += ms;
      story.look();
    },
    told: () => story.told()?.lines.map(({ afterMs, is }) => `${afterMs} ${is}`),
  };
}

test.each([
  ['once', ['x'], ['800 killed-taken', '3900 runs-again', '5000 not-repeated']],
  ['twice', ['x', 'x'], ['800 killed-taken', '3900 runs-again', '5000 repeated']],
])('a post in whose middle the bot was killed is told to stand %s', (_what, posts, lines) => {
  const { story, state, news, pass, told } = aStory();
  story.begin({ do: 'kill' });
  pass(800);
  // Discord's update comes while the kill is on its way.
  story.broke('killed-taken');
  for (const [index, name] of posts.entries()) news(`m${index}`, name);
  pass(100);
  state.bot = 'killed';
  pass(1_000);
  state.bot = 'running';
  pass(2_000);
  state.nowMs = 5_000;
  news('next', 'y');
  expect(told()).toEqual(lines);
  news('more', 'z');
  pass(1_000);
  expect(told()).toEqual(lines);
});

test('of a post that Discord has not taken, and of an outage, it tells that posts go on', () => {
  const killed = aStory();
  killed.story.begin({ do: 'kill' });
  killed.story.broke('killed-not-taken');
  killed.state.bot = 'starting';
  killed.pass(10);
  killed.state.bot = 'running';
  killed.pass(10);
  killed.news('a', 'a');
  expect(killed.told()).toEqual(['0 killed-not-taken', '20 runs-again', '20 went-on']);

  const { story, state, news, pass, told } = aStory();
  state.outages.add('catalog');
  story.begin({ do: 'cut-catalog' });
  pass(5_000);
  news('a', 'a');
  state.outages.clear();
  pass(5_000);
  news('b', 'b');
  expect(told()).toEqual(['0 catalog-away', '10000 back', '10000 went-on']);
});

test('of an offer that was changed it tells when its post was, and when the news came', () => {
  const { story, state, news, show, told } = aStory();
  news('m', 'x');
  news('other', 'y');
  const action: DemoAction = { do: 'offer', messageId: 'm', change: 'drop-price' };
  story.begin(action);
  expect(story.told()).toMatchObject({ part: 'offer', lines: [] });
  state.nowMs = 900;
  show('m', '🆕 **New offer**\n### [x](https://a.example/x)\n$5', '2026-11-22');
  news('third', 'z');
  state.nowMs = 1_400;
  show('drop', '📉 **Price drop**\n### [x](https://a.example/x)');
  expect(told()).toEqual(['900 edited', '1400 news']);
});

test('a lever that breaks nothing leaves the story, the next one that does begins another, and one without an end ends', () => {
  const { story, pass, told } = aStory();
  story.begin({ do: 'time', to: 'pause' });
  expect(told()).toBeUndefined();
  story.begin({ do: 'kill' });
  story.broke('killed-between');
  story.begin({ do: 'person-locale', personId: 'p', locale: 'fr' });
  expect(told()).toEqual(['0 killed-between']);
  pass(90_001);
  // What happens so late is another matter.
  story.broke('killed-taken');
  expect(told()).toEqual(['0 killed-between']);
  story.begin({ do: 'fail-requests' });
  expect(told()).toEqual(['0 requests-fail']);
});
