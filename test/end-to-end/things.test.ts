import { ButtonStyle, ComponentType, MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { type CatalogContent, type CatalogMoment, FEED_NAMES } from '../../packages/catalog-service/src/index.ts';
import { EVENT_TYPES } from '../../src/deals/event.ts';
import { pollSubject } from '../../src/deals/poll.ts';
import { encodeAction } from '../../src/discord/custom-id.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, dealcast, event, eventOffer, feedItem, monkeychat, poll } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { fix, fixForm, inputsOf } from '../helpers/mistake-form.ts';
import { aHouseOfDeals } from '../helpers/panel.ts';
import { uuid } from '../helpers/things.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** A catalog folder in a house, and how often each of its lists was asked for. */
async function aRunningHouse(changes: Record<string, string> = {}) {
  const folder = aCatalogFolder();
  folder.writeEvents([event(1)]);
  folder.writeDealcasts([dealcast(1)]);
  folder.writePolls(numbers(7).map((number) => poll(number)));
  folder.writeMonkeychats(numbers(6).map(monkeychat));
  const asked: string[] = [];
  const house = await aHouse({ content: () => counted(folder.content, asked) });
  const app = await house.startBot(changes);
  return { house, app, folder, asked };
}

function counted(content: CatalogContent, asked: string[]): CatalogContent {
  return {
    ...content,
    at(nowMs, origin) {
      const moment = content.at(nowMs, origin);
      const counting = (list: 'events' | 'dealcasts' | 'polls' | 'monkeychats') => () => {
        asked.push(list);
        return moment[list]();
      };
      return {
        ...moment,
        events: counting('events'),
        dealcasts: counting('dealcasts'),
        polls: counting('polls'),
        monkeychats: counting('monkeychats'),
      } satisfies CatalogMoment;
    },
  };
}

test('/polls shows bars and totals, five on a page, and a menu opens one of them', async () => {
  const { house } = await aRunningHouse();
  const list = await house.asBen('deals', '/polls');
  const shown = textOf(list);
  expect(shown).toContain('### [Question 1?](<https://forums.example.com/t/poll-1>)');
  expect(shown).toContain('▰▰▰▰▰▰▰▱▱▱ 75% Answer 1\n▰▰▱▱▱▱▱▱▱▱ 25% Answer 2\n4 votes');
  expect(shown).toContain('7 polls · page 1 of 2 · as of <t:');
  expect(shown).not.toContain('Question 6');
  const last = await house.click(list, 'last>polls:2');
  expect(textOf(last)).toContain('Question 7');
  const first = await house.click(last, 'first>polls:1');
  const [subject] = [pollSubject({ discussionUrl: null, site: 'www.example.com', questions: asQuestions(poll(2)) })];
  const opened = await house.choose(first, 'menu:open', encodeAction({ do: 'poll', subject, deliveryId: null }));
  expect(opened.id).not.toBe(first.id);
  expect(opened.visible_to).toBe(house.discord.people.ben.id);
  expect(textOf(opened)).toContain('Question 2?');
  expect(textOf(opened)).toContain('-# Poll · www.example.com · as of <t:');
});

/** A question as the client reads it. */
function asQuestions(wire: Record<string, unknown>) {
  const questions = wire['Questions'] as { Text: string; Responses: { Text: string; VoteCount: number }[] }[];
  return questions.map(({ Text, Responses }) => ({
    text: Text,
    responses: Responses.map((response) => ({ text: response.Text, voteCount: response.VoteCount })),
  }));
}

test('/monkeychats turns its pages, and opens one of them', async () => {
  const { house } = await aRunningHouse();
  const list = await house.asBen('deals', '/monkeychats');
  expect(textOf(list)).toContain('**Pip** Is it a lamp?\n**Mortimer** It is off.');
  expect(textOf(list)).toContain('6 monkeychats · page 1 of 2');
  const next = await house.click(list, 'next>monkeychats:2');
  expect(textOf(next)).toContain('### [Chat 6]');
  // The only one of its page has a button in place of the menu.
  const details = customIdsOf(next).find((id) => id.startsWith('monkeychat:')) ?? '';
  expect(textOf(await house.click(next, details))).toContain('Chat 6');
});

test('a poll and a monkeychat that are gone between two clicks are said to be gone', async () => {
  const { house, folder } = await aRunningHouse();
  folder.writePolls([poll(1)]);
  folder.writeMonkeychats([monkeychat(1)]);
  const polls = await house.asBen('deals', '/polls');
  const chats = await house.asBen('deals', '/monkeychats');
  const buttonOf = (message: typeof polls, name: string) =>
    customIdsOf(message).find((id) => id.startsWith(`${name}:`)) ?? '';
  folder.writePolls([poll(2)]);
  folder.writeMonkeychats([]);
  // One answer that lacks them may be wrong.
  for (const isGone of [false, true]) {
    await house.clock.advance(2 * 60 * MINUTE_MS);
    const poller = await house.click(polls, buttonOf(polls, 'poll'));
    expect(textOf(poller).includes('This poll has closed.')).toBe(isGone);
    expect(poller.visible_to).toBe(house.discord.people.ben.id);
    const chatter = await house.click(chats, buttonOf(chats, 'monkeychat'));
    expect(textOf(chatter).includes('This monkeychat is no longer available.')).toBe(isGone);
  }
  expect(textOf(await house.asBen('deals', '/monkeychats'))).toContain('No monkeychats right now.');
});

test('what was seen lately is shown again without a request, and says how old it is', async () => {
  const { house, app, asked } = await aRunningHouse();
  await house.asAda('deals', '/subscription add events');
  await app.tick();
  await app.settled();
  const before = [...asked];
  const seenAt = `as of <t:${Math.floor(house.clock.now() / 1000)}:R>`;
  await house.clock.advance(10 * MINUTE_MS);
  expect(textOf(await house.asBen('deals', '/events'))).toContain(seenAt);
  expect(asked).toEqual(before);
  await house.clock.advance(10 * MINUTE_MS);
  expect(textOf(await house.asBen('deals', '/events'))).not.toContain(seenAt);
  expect(asked).toEqual([...before, 'events']);
});

test('after a restart all that runs is shown, not only what was announced', async () => {
  const { house, app, folder, asked } = await aRunningHouse();
  folder.writeEvents([event(1), event(2)]);
  await house.asAda('deals', '/subscription add events catch-up:1');
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(1);
  await app.stop();
  await (await house.startBot()).tick();
  const before = asked.length;
  expect(textOf(await house.asBen('deals', '/events'))).toContain('2 events · as of');
  expect(asked.length - before).toBe(1);
});

test('with the day’s requests used up, what is known is shown, with its age and when they return', async () => {
  const { house, asked } = await aRunningHouse({ CATALOG_V2_QUOTA: '2' });
  await house.asBen('deals', '/polls');
  await house.clock.advance(60 * MINUTE_MS);
  await house.asBen('deals', '/polls');
  expect(asked).toEqual(['polls', 'polls']);
  const seenAtS = Math.floor(house.clock.now() / 1000);
  await house.clock.advance(60 * MINUTE_MS);
  const shown = textOf(await house.asBen('deals', '/polls'));
  expect(shown).toContain('Question 1?');
  const midnightS = Math.ceil(house.clock.now() / 86_400_000) * 86_400;
  expect(shown).toContain(`used up until <t:${midnightS}:t>; as of <t:${seenAtS}:R>`);
  // Nothing is known of a resource that was never polled, and nobody pays for asking.
  for (const _ of numbers(13)) {
    const unknown = await house.asBen('deals', '/dealcasts');
    expect(textOf(unknown)).toContain(`Today’s catalog quota is used up. It resets <t:${midnightS}:R>.`);
  }
  expect(asked).toEqual(['polls', 'polls']);
});

test('on a spent day an offer is shown as it was last told, with when the requests return', async () => {
  const { house, folder } = await aRunningHouse({ CATALOG_PORTAL_QUOTA: '1' });
  folder.writeFeed('Home', [feedItem(1)]);
  const ask = async () => (await Promise.all([house.asBen('deals', `/offer offer:${uuid(1)}`), house.gather()]))[0];
  await ask();
  await house.clock.advance(60 * MINUTE_MS);
  const shown = textOf(await ask());
  expect(shown).toContain('Kettle 1');
  expect(shown).toMatch(/used up until <t:\d+:t>; as of <t:/);
});

test('who has asked a lot is shown what is known', async () => {
  const { house, asked } = await aRunningHouse();
  await house.asBen('deals', '/polls');
  const seenAt = `as of <t:${Math.floor(house.clock.now() / 1000)}:R>`;
  await house.clock.advance(60 * MINUTE_MS);
  for (const feed of FEED_NAMES) await house.asBen('deals', `/feed feed:${feed}`);
  await house.asBen('deals', '/dealcasts');
  expect(textOf(await house.asBen('deals', '/monkeychats'))).toContain('You’re going a bit fast');
  expect(textOf(await house.asBen('deals', '/polls'))).toContain(seenAt);
  expect(asked).toEqual(['polls', 'dealcasts']);
});

test('/event shows an event that was found by its title, and turns the pages of its offers', async () => {
  const { house, folder } = await aRunningHouse();
  const offers = numbers(7).map((number) =>
    eventOffer(number, { Rank: 8 - number, OriginalStartDate: '2026-08-01T05:00:00Z' }),
  );
  folder.writeEvents([
    event(1),
    event(2, { Type: 'Reckoning', Title: 'The Reckoning', Site: 'shirt.example.com', Offers: offers }),
  ]);
  const found = await house.asBen('deals', '/event event:reckoning');
  const shown = textOf(found);
  expect(shown).toContain('## [The Reckoning](');
  expect(shown).toContain('**Reckoning** · shirt.example.com');
  expect(shown.match(/#\d \[Blender \d/g)).toEqual(
    [7, 6, 5, 4, 3].map((number) => `#${8 - number} [Blender ${number}`),
  );
  expect(shown).toMatch(/first sold [A-Z][a-z]{2} \d+, \d{4}/);
  expect(shown).toContain('7 offers · page 1 of 2 · as of <t:');
  const next = await house.click(found, `next>event-page:${uuid(2)}:2`);
  expect(next.id).toBe(found.id);
  expect(textOf(next).match(/#\d \[Blender \d/g)).toEqual(['#6 [Blender 2', '#7 [Blender 1']);
});

test('/event shows one of each type', async () => {
  const { house, folder } = await aRunningHouse();
  const Offers = [eventOffer(1, { SoldOut: true, PercentageRemaining: 0 }), eventOffer(2)];
  const texts = { Subtitle: 'All day', WriteUp: '<p>Hurry.</p>', Text: '<p>Hurry.</p>' };
  folder.writeEvents(EVENT_TYPES.map((Type, index) => event(index + 1, { Type, Offers, ...texts })));
  for (const [index, type] of EVENT_TYPES.entries()) {
    const shown = textOf(await house.asBen('deals', `/event event:${uuid(index + 1)}`));
    expect(shown).toContain(`Event ${index + 1}`);
    expect(shown, type).toContain('▰▰▰▰▱▱▱▱▱▱ 40% left');
    expect(shown.includes('**happening now**'), type).toBe(type === 'DealOff');
    expect(shown, type).toContain('Hurry.');
  }
});

test('/event offers the known events by title, site and type, and spends nothing for that', async () => {
  const { house, folder, asked } = await aRunningHouse();
  folder.writeEvents([
    event(1, { Title: 'Kettles', Site: 'home.example.com' }),
    event(2, { Title: 'Mugs', Site: 'wine.example.com', Type: 'DealOff' }),
    event(3, { Title: 'Over', EndDate: '2026-11-21T07:00:00Z' }),
  ]);
  const complete = async (typed: string) => {
    const choices = await house.discord.autocomplete({
      personId: house.discord.people.ben.id,
      channelId: house.discord.channel('deals').id,
      text: `/event event:${typed}`,
      focused: 'event',
    });
    return choices.map(({ name }) => name);
  };
  expect(await complete('')).toEqual([]);
  await house.asBen('deals', '/events');
  expect(await complete('')).toEqual(['Kettles · Daily · home.example.com', 'Mugs · Deal-off · wine.example.com']);
  expect(await complete('"wine mug"')).toEqual(['Mugs · Deal-off · wine.example.com']);
  expect(await complete('deal-off')).toHaveLength(1);
  expect(await complete('"kettles wine"')).toEqual([]);
  expect(asked).toEqual(['events']);
});

test('/events narrows down with its menus, and opens one of what it shows', async () => {
  const { house, folder } = await aRunningHouse();
  folder.writeEvents([
    event(1),
    event(2, { Type: 'DealOff', Site: 'wine.example.com', Offers: [eventOffer(1)] }),
    event(3, { EndDate: '2026-11-21T07:00:00Z' }),
  ]);
  const list = await house.asBen('deals', '/events');
  expect(textOf(list)).toContain('2 events');
  expect(JSON.stringify(list.components)).toContain('Deal-off (1)');
  const narrowed = await house.choose(list, 'menu:type', 'events::DealOff:1');
  expect(narrowed.id).toBe(list.id);
  expect(textOf(narrowed)).toContain('## Events · Deal-off');
  expect(textOf(narrowed)).not.toContain('Event 1');
  const opened = await house.click(narrowed, `event:${uuid(2)}:`);
  expect(textOf(opened)).toContain('Blender 1');
  expect(opened.visible_to).toBe(house.discord.people.ben.id);
});

test('an event that has not begun is none that runs, and shown to whoever has its id', async () => {
  const { house, folder } = await aRunningHouse();
  folder.writeEvents([event(1, { StartDate: '2026-11-22T06:00:00Z', EndDate: null, Offers: [eventOffer(1)] })]);
  expect(textOf(await house.asBen('deals', '/events'))).toContain('No matching events right now.');
  const shown = textOf(await house.asBen('deals', `/event event:${uuid(1)}`));
  expect(shown).toContain('## [Event 1](');
  expect(shown).toContain('· start <t:');
  expect(shown).toContain('Blender 1');
});

test('an event that is over since is shown as over, and one that nobody remembers is said to be', async () => {
  const { house, folder, asked } = await aRunningHouse();
  const list = await house.asBen('deals', '/events');
  folder.writeEvents([event(9)]);
  for (const name of ['Event 1', '~~Event 1~~']) {
    await house.clock.advance(20 * MINUTE_MS);
    expect(textOf(await house.click(list, `event:${uuid(1)}:`))).toContain(name);
  }
  expect(asked).toEqual(['events', 'events', 'events']);
  expect(textOf(await house.asBen('deals', `/event event:${uuid(5)}`))).toContain('This event has ended');
  expect(textOf(await house.asBen('deals', '/event event:nonsense'))).toContain('No current event has that name.');
});

test('forged buttons are answered plainly', async () => {
  const { house } = await aRunningHouse();
  for (const [customId, sentence] of [
    ['poll:AAAA:', 'This poll has closed.'],
    ['poll:__proto__:', 'This poll has closed.'],
    ['monkeychat:AAAA:', 'This monkeychat is no longer available.'],
    ['dealcast:AAAA:', 'This dealcast is no longer featured.'],
    ['event:AAAA:', 'This event has ended'],
    [`event:${uuid(77)}:`, 'This event has ended'],
    ['event-page:AAAA:3', 'This event has ended'],
    [`event-page:${uuid(1)}:99999`, 'This event has no offers right now.'],
    ['polls:99999', 'page 2 of 2'],
    ['events:cellar:Sale:1', '1 event · as of'],
    ['events:wine:DealOff:1', 'No matching events right now.'],
    ['polls:1e3', 'This button no longer works. Run the command again.'],
    ['monkeychats:-1', 'This button no longer works. Run the command again.'],
  ] as const) {
    const button = { type: ComponentType.Button, style: ButtonStyle.Secondary, label: 'Forged', custom_id: customId };
    const posted = await house.post(house.discord.channel('deals').id, {
      flags: MessageFlags.IsComponentsV2,
      components: [{ type: ComponentType.ActionRow, components: [button] }],
    });
    expect(textOf(await house.click(posted, customId)), customId).toContain(sentence);
  }
});

test('an event that there is none of can be fixed in place', async () => {
  const { house } = await aHouseOfDeals();
  const told = await house.asAda('deals', '/event event:nonsense');
  expect(textOf(told)).toContain('⚠ **event** · No current event has that name.');
  expect(inputsOf(await fixForm(house, told))).toEqual([{ name: 'event', value: 'nonsense' }]);
  expect(textOf(await fix(house, told, { event: 'Event 1' }))).toContain('Event 1');
});
