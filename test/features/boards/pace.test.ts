import { expect, test } from 'vitest';
import { Boards } from '../../../src/features/boards/posts.ts';
import { WORDS } from '../../../src/features/boards/words/index.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { anEvent, anEventOffer, anOffer, eventStartedOf, NOW_MS, newOfferOf } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

test('a board tells when an offer sells out at its pace; nothing but an event has one', async () => {
  const boards: Boards[] = [];
  const { run } = await aScriptedDeliverer(undefined, undefined, {
    words: WORDS,
    of: (parts) => {
      const made = new Boards({ ...parts, isThere: async () => true, lagMs: () => null });
      boards.push(made);
      return made;
    },
  });
  const { currentState } = await run();
  const event = (left: number) =>
    anEvent(1, { endDateMs: null, offers: [anEventOffer(1, { percentageRemaining: left })] });
  for (const [minute, left] of [100, 90, 80, 70].entries())
    currentState.stock.note([event(left)], NOW_MS + minute * 60_000);
  const context = {
    translator: translatorFor('en-US'),
    nowMs: NOW_MS + 3 * 60_000,
    deliveryId: 'd',
    matched: [],
    style: 'compact',
  } as const;
  const [board] = boards;
  const card = board?.card(eventStartedOf(event(70)), context, null);
  expect(card && textOf(card)).toContain('at this pace');
  expect(() => board?.card(newOfferOf(anOffer(1)), context, null)).toThrow('no board');
});
