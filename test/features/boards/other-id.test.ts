import { expect, test } from 'vitest';
import { boards } from '../../../src/features/boards/index.ts';
import { aCatalogFolder, event, eventOffer } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { uuid } from '../../helpers/things.ts';
import { lookAgain } from '../../helpers/watching-ben.ts';
import { isAnnouncement } from '../../model/reading.ts';

test('a Deal-off under another id keeps its one board, which shows the offers that follow', async () => {
  const folder = aCatalogFolder();
  const write = (id: number, offer: number) =>
    folder.writeEvents([
      event(1, { Id: uuid(id), Title: 'Big day', Type: 'DealOff', EndDate: null, Offers: [eventOffer(offer)] }),
    ]);
  write(1, 1);
  const house = await aHouse({ content: () => folder.content, features: [boards] });
  const app = await house.startBot();
  await app.tick();
  await house.asAda('deals', '/subscription add events catch-up:1 board:True');
  await app.settled();
  for (const offer of [1, 2, 3]) {
    write(2, offer);
    for (let look = 0; look < 3; look += 1) await lookAgain(house, app, 600_000);
  }
  const [board = '', ...others] = house.announcements('deals').filter(isAnnouncement).map(textOf);
  expect(others).toEqual([]);
  expect(board).toContain('Live board');
  expect(board).toContain('Blender 3');
});
