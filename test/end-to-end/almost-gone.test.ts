import { expect, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { aCatalogFolder, event, eventOffer } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { adaGets } from '../helpers/panel.ts';

/** A channel that is told what is almost gone of an event with two offers. */
async function aFollowedEvent(filter = '') {
  const folder = aCatalogFolder();
  const show = (...left: number[]) =>
    folder.writeEvents([
      event(1, {
        Offers: left.map((percent, index) =>
          eventOffer(index + 1, { PercentageRemaining: percent, SoldOut: percent === 0 }),
        ),
      }),
    ]);
  show(60, 5);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  const panel = await house.asAda('deals', `/subscription add events catch-up:0 ${filter}`);
  expect(textOf(panel)).toContain('**Posts** Event started');
  const changed = await adaGets(house, panel, 'kinds', ['almost-gone']);
  expect(textOf(changed)).toContain('**Posts** Almost gone');
  expect(textOf(changed)).toContain('**Almost gone** at 10% left or less');
  return { show, house, app };
}

async function look(house: House, app: App): Promise<void> {
  await house.clock.advance(30 * 60_000);
  await app.tick();
  await app.settled();
}

test('an offer that is almost gone is posted once, and kept right', async () => {
  const { show, house, app } = await aFollowedEvent();
  show(9, 4);
  await look(house, app);
  const texts = () => house.announcements('deals').map(textOf);
  expect(texts()).toHaveLength(1);
  expect(texts()[0]).toContain('Blender 1');
  expect(texts()[0]).toContain('⚠️ **Almost gone** · only 9% left');
  show(40, 4);
  await look(house, app);
  await app.stop();
  const next = await house.startBot();
  show(7, 4);
  await look(house, next);
  expect(texts()).toHaveLength(1);
  show(0, 4);
  await look(house, next);
  expect(texts()).toHaveLength(1);
  expect(texts()[0]).toContain('🚫 **Sold out**');
});

test('a filter that does not take the offer keeps it back', async () => {
  const { show, house, app } = await aFollowedEvent('max-price:20');
  show(9, 4);
  await look(house, app);
  expect(house.announcements('deals')).toEqual([]);
});
