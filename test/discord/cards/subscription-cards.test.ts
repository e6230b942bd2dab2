import { expect, test } from 'vitest';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { SETTINGS } from '../../../src/deals/settings.ts';
import type { Source } from '../../../src/deals/subscription.ts';
import { form, mistakeCard, typedOn } from '../../../src/discord/cards/form.ts';
import { card, text } from '../../../src/discord/cards/parts.ts';
import {
  duplicateCard,
  removeCard,
  removedCard,
  type SubscriptionView,
  subscriptionCard,
} from '../../../src/discord/cards/subscription-card.ts';
import { subscriptionsCard } from '../../../src/discord/cards/subscriptions-card.ts';
import { message, translatorFor } from '../../../src/discord/i18n/translator.ts';
import { customIdsOf, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';

const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };

function aView(changes: Partial<SubscriptionView> = {}): SubscriptionView {
  return {
    subscription: aSubscription(uuid(1)),
    settings: SETTINGS,
    flagButtons: [],
    tags: [],
    isPublishable: false,
    menus: [],
    warnings: [],
    limit: null,
    matches: { matching: 9, all: 54, readAtMs: NOW_MS },
    added: [],
    ...changes,
  };
}

test('the panel says every setting in words', () => {
  const subscription = aSubscription(uuid(1), {
    kinds: ['new-offer', 'price-drop'],
    filter: 'ssd price:<50',
    priceDropPercent: 15,
    timing: {
      mode: 'daily',
      dailyAtMinute: 1290,
      timeZone: 'Europe/Berlin',
      quiet: { fromMinute: 1320, toMinute: 420 },
    },
    mostPerHour: 1,
    tagIds: ['7'],
    isPublished: true,
    pausedBy: 'person',
  });
  const view = aView({ subscription, tags: [{ id: '7', name: 'De*al' }], warnings: [message('panel.tagRequired')] });
  const shown = textOf(subscriptionCard(view, 'Saved.', CONTEXT));
  for (const line of [
    'Saved.',
    '⏸ Paused',
    '⚠ This forum requires a tag',
    '**Posts** New offer and Price drop',
    '**Filter** `ssd price:<50`',
    '**Price drops** of 15% or more',
    '**When** daily digest at 21:30 (Europe/Berlin)',
    '**Quiet hours** 22:00–07:00 (Europe/Berlin)',
    '**Limit** 1 post per hour',
    '**Tags** De\\*al',
    '**Publishes** every post',
  ]) {
    expect(shown).toContain(line);
  }
});

const SOURCES: Source[] = [
  { kind: 'feed', feed: 'F'.repeat(64) },
  { kind: 'events', sites: ['home'], types: ['Daily'] },
  { kind: 'dealcasts' },
  { kind: 'polls' },
  { kind: 'monkeychats' },
];

test.each(['en-US', 'de', 'fr', 'es-ES'])('Discord takes every card of a subscription in %s', (locale) => {
  const context = { translator: translatorFor(locale), nowMs: NOW_MS };
  for (const source of SOURCES) {
    const subscription = aSubscription(uuid(1), {
      source,
      kinds: [...KINDS_OF[source.kind].all],
      filter: '`*_'.repeat(333),
      problem: 'tag-required',
      pausedBy: 'gone',
      tagIds: ['1'],
    });
    const tags = Array.from({ length: 20 }, (_, index) => ({
      id: String(index),
      name: `tag ${index} ${'x'.repeat(99)}`,
    }));
    const view = aView({ subscription, tags, isPublishable: true, warnings: [message('panel.tagRequired')] });
    expectTakenByDiscord(subscriptionCard(view, 'x'.repeat(300), context));
    expectTakenByDiscord(removeCard(view, context));
    expectTakenByDiscord(removedCard(view, NOW_MS, context));
    expectTakenByDiscord(duplicateCard(view, { channelTypes: [0, 15] }, context));
    expectTakenByDiscord(duplicateCard(view, { channelId: '1100000000000000999', tags: view.tags }, context));
    const many = Array.from({ length: 200 }, (_, index) => ({ ...subscription, id: uuid(index) }));
    expectTakenByDiscord(
      subscriptionsCard(
        {
          settings: SETTINGS,
          subscriptions: many,
          page: 2,
          channelName: () => 'c'.repeat(100),
          troublesOf: () => [message('catalog.silent')],
        },
        context,
      ),
    );
    expectTakenByDiscord(
      subscriptionsCard(
        { settings: SETTINGS, subscriptions: [], page: 1, channelName: () => undefined, troublesOf: () => [] },
        context,
      ),
    );
  }
});

test('the list opens the settings of each that the page shows', () => {
  const subscriptions = Array.from({ length: 7 }, (_, index) => aSubscription(uuid(index)));
  const list = subscriptionsCard(
    { settings: SETTINGS, subscriptions, page: 2, channelName: () => 'deals', troublesOf: () => [] },
    CONTEXT,
  );
  expect(customIdsOf(list)).toContain('menu:open');
  expect(JSON.stringify(list)).toContain(`subscription:open:${uuid(6)}`);
  expect(JSON.stringify(list)).not.toContain(`subscription:open:${uuid(4)}`);
  expect(textOf(list)).toContain('7 subscriptions · page 2 of 2');
});

const FIX = { do: 'subscription', step: 'edit-again', subscriptionId: uuid(1) } as const;

test.each([
  { filter: 'ssd price:<abc' },
  { filter: 'a ``` b ` c' },
  { filter: '' },
  { filter: 'price:< '.repeat(250) },
  { filter: 'two\nlines' },
  { 'quiet-hours': '25-7' },
  { at: '', mode: 'hourly', words: 'a ` **b** <@&1>', role: '1100000000000000999', channel: '1100000000000000998' },
  { 'time-zone': '**at** `9`', at: '<#1100000000000000998>' },
])('a card of a mistake keeps %j as it was typed, in its order', (typed) => {
  const written = new Map(Object.entries(typed) as [string, string][]);
  const view = { sentence: 'It can’t be read.', typed: written, fix: FIX, subscriptionId: uuid(1), ways: [] };
  const mistake = mistakeCard(view, CONTEXT.translator);
  expectTakenByDiscord(mistake);
  expect([...typedOn(mistake.components)]).toEqual([...written]);
  const empty = [...written].filter(([, text]) => text === '').map(([option]) => option);
  for (const option of empty) expect(textOf(mistake)).not.toContain(`**${option}** —`);
  if (empty.includes('filter')) expect(textOf(mistake)).not.toMatch(/```|You wrote/);
});

test('a card of a mistake keeps the most that can be typed', () => {
  const most = { words: 'w'.repeat(500), filter: 'f'.repeat(2000), 'time-zone': 'z'.repeat(100), tag: 't'.repeat(100) };
  const others = { at: 'a'.repeat(20), 'quiet-hours': 'q'.repeat(40), 'max-price': '123456789', publish: 'true' };
  const typed = new Map(Object.entries({ ...most, ...others, role: '1'.repeat(20), channel: '1'.repeat(20) }));
  const mistake = mistakeCard(
    { sentence: 's'.repeat(3000), typed, fix: FIX, subscriptionId: null, ways: [] },
    CONTEXT.translator,
  );
  expectTakenByDiscord(mistake);
  expect([...typedOn(mistake.components)]).toEqual([...typed]);
});

test('the card of a mistake that an earlier version posted still holds its filter', () => {
  const posted = card(0, [text('You wrote:'), { ...text('```\nssd prise:<50\n```'), id: 7001 }]);
  expect([...typedOn(posted.components)]).toEqual([['filter', 'ssd prise:<50']]);
  const unset = card(0, [text('⚠ **tag** · This forum requires a tag.'), { ...text('**tag** —'), id: 7002 }]);
  expect([...typedOn(unset.components)]).toEqual([['tag', '']]);
});

test('a card that is none of a mistake holds nothing that was typed', () => {
  expect([...typedOn(subscriptionCard(aView(), '', CONTEXT).components)]).toEqual([]);
  expect([...typedOn([])]).toEqual([]);
});

test('the panel says how much matches now, and when its posts come', () => {
  const panelOf = (changes: Partial<SubscriptionView>) => textOf(subscriptionCard(aView(changes), '', CONTEXT));
  const timing = { mode: 'hourly', dailyAtMinute: 0, timeZone: 'UTC', quiet: null } as const;
  expect(panelOf({})).toContain(`**Matches now** 9 of 54 live offers · checked <t:${NOW_MS / 1000}:R>`);
  expect(panelOf({ matches: { matching: 1, all: 1, readAtMs: NOW_MS } })).toContain('1 of 1 live offer ·');
  expect(panelOf({ matches: null })).toContain('**Matches now** not known yet');
  expect(panelOf({})).not.toContain('⏰');
  const hourly = aSubscription(uuid(1), { timing });
  expect(panelOf({ subscription: hourly })).toContain(`⏰ Next digest at <t:${NOW_MS / 1000 + 3600}:f>.`);
  expect(panelOf({ subscription: { ...hourly, pausedBy: 'person' } })).not.toContain('⏰');
  const quiet = { ...timing, mode: 'at-once', quiet: { fromMinute: 720, toMinute: 721 } } as const;
  const shown = panelOf({ subscription: aSubscription(uuid(1), { timing: quiet }) });
  expect(shown).toContain(`⏰ Quiet hours: posts wait until <t:${NOW_MS / 1000 + 60}:f>.`);
});

test('a form keeps within what Discord takes', () => {
  const action = { do: 'subscription', step: 'times', subscriptionId: uuid(1) } as const;
  const inputs = Array.from({ length: 7 }, (_, index) => ({
    name: String(index),
    takes: 'text' as const,
    label: 'l'.repeat(90),
    example: 'e'.repeat(200),
    value: 'v'.repeat(5000),
    most: 5000,
  }));
  const { modal } = form(action, 't'.repeat(90), inputs);
  expect(modal.title).toHaveLength(45);
  expect(modal.components).toHaveLength(5);
  for (const component of modal.components) {
    expect(component).toMatchObject({ label: expect.stringMatching(/^.{45}$/) });
    expect(component).toMatchObject({
      component: { placeholder: expect.stringMatching(/^.{100}$/), max_length: 4000 },
    });
    expect(component).toMatchObject({ component: { value: expect.stringMatching(/^.{4000}$/) } });
  }
});
