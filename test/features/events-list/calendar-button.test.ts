import { expect, test } from 'vitest';
import { eventsList } from '../../../src/features/events-list/index.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouseOfDeals } from '../../helpers/panel.ts';

test('a button of /events hands out the calendar of what it lists', async () => {
  const { house } = await aHouseOfDeals({}, [eventsList]);
  const list = await house.asBen('deals', '/events');
  const button = /"custom_id":"([^"]*events-calendar[^"]*)"/.exec(JSON.stringify(list.components))?.[1];
  expect(button).toBeDefined();
  const answer = await house.click(list, button ?? '');
  expect(textOf(answer)).toContain('Add this file to your calendar app.');
  const [file] = answer.attachments;
  expect(file?.filename).toBe('events.ics');
  const text = await (await fetch(file?.url ?? '')).text();
  expect(text.match(/^UID:/gm)).toHaveLength(2);
});
