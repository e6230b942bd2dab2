import { expect, test } from 'vitest';
import { deleteDataCard, exportCard } from '../../../src/features/watches/my-data.ts';
import { expectTakenByDiscord } from '../../helpers/discord-form.ts';
import { NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

test.each(['en-US', 'de', 'fr', 'es-ES'])('Discord takes the cards of /my-data in %s', (locale) => {
  const context = { translator: translatorFor(locale), nowMs: NOW_MS };
  expectTakenByDiscord(deleteDataCard(context));
  expectTakenByDiscord(exportCard({ watches: [] }, context));
});

test('the file holds what is kept, and when it was made', () => {
  const { files } = exportCard({ watches: ['kettles'] }, { translator: translatorFor('en-US'), nowMs: NOW_MS });
  expect(files?.map(({ content }) => JSON.parse(content.toString()))).toEqual([
    { exportedAt: '2026-10-06T12:00:00.000Z', watches: ['kettles'] },
  ]);
});
