import fc from 'fast-check';
import { expect, test } from 'vitest';
import { statusCard } from '../../../src/discord/cards/status-card.ts';
import { statusLine } from '../../../src/features/audit/index.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

test('an audit is made at once, and its result is still there after a restart', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const app = await house.startBot();
  const owner = async (job: string) => textOf(await house.asAda('deals', `/owner ${job}`));
  expect(await owner('status')).toMatch(/No audit yet\nNo backup yet/);
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.tick(app);
  await house.clock.advance(2 * MINUTE_MS);
  folder.writeFeed('Home', [feedItem(1), feedItem(7)]);
  await house.tick(app);
  await app.settled();
  await house.clock.advance(120 * MINUTE_MS);
  expect(await owner('audit')).toBe(
    '1 of 1 posts of the last eight days are there, 0 doubled, 0 missing, 0 outdated, in 1 channels. Couldn’t be read: 0.',
  );
  await app.stop();
  await house.startBot();
  expect(await owner('status')).toMatch(/1 of 1 there.* 1 of 1 channels checked this week/);
  expect(textOf(await house.asAda('deals', '/status'))).toContain('1 of 1 there');
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('1 of 1 there');
});

const count = fc.nat(1e9);
const figures = fc.record({
  atMs: fc.integer({ min: 0, max: 4e12 }),
  owed: count,
  there: count,
  twice: count,
  missing: count,
  untrue: count,
  channels: count,
  all: count,
});

test.each(['en-US', 'de', 'fr', 'es-ES'])(
  'Discord takes the status with the line in %s, whatever it says',
  (locale) => {
    const translator = translatorFor(locale);
    const view = { isWell: true, usedUp: [], stateProblem: null, pausedSinceMs: null, places: null, isManager: true };
    fc.assert(
      fc.property(figures, (one) =>
        expectTakenByDiscord(
          statusCard({ ...view, more: [statusLine(one, translator)] }, { translator, nowMs: NOW_MS }),
        ),
      ),
      { numRuns: 50, seed: 20_261_122 },
    );
  },
);
