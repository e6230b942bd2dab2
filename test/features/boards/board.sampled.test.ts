import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { IDS } from '../../../packages/local-discord/src/index.ts';
import type { App } from '../../../src/app/app.ts';
import type { Feature } from '../../../src/app/feature.ts';
import { boards as feature } from '../../../src/features/boards/index.ts';
import { isFirstRetry, retryMs } from '../../helpers/back-offs.ts';
import { aCatalogFolder, event, eventOffer } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { adaGets } from '../../helpers/panel.ts';
import { sampled } from '../../helpers/sampled.ts';
import { aSchedule } from '../../helpers/schedule.ts';

/** A feature that has every post mention a role. */
const mentioning = (roleId: string): Feature => ({
  name: 'mentioning',
  start: () => ({
    post: { mentions: { begin: () => () => [roleId], asks: () => false, has: () => true, explain: () => [] } },
  }),
});

/** A little more than the time for which an answer counts as fresh. */
const LOOK_MS = 61_000;
/** So that each minute has its poll. */
const PLENTY = { CATALOG_V2_QUOTA: '100000' };
const START = '2026-11-21T12:00:00Z';
const DEAL_OFF = {
  Type: 'DealOff',
  Title: 'Big sale',
  Site: 'www.example.com',
  Subtitle: 'One deal at a time',
  StartDate: START,
  EndDate: null,
};
const ABOUT = /Big sale/;

/** A Deal-off, of which a test says which items are for sale and how much is left of them, and a channel with boards. */
async function aDealOff({
  options = 'board:True',
  channel = 'deals',
  others = [] as readonly Feature[],
  schedule = aSchedule().schedule,
} = {}) {
  const clock = new ManualClock(START);
  const folder = aCatalogFolder();
  /** @param left percent, by the item's number */
  const show = (left: Readonly<Record<number, number>>, ...others: object[]) =>
    folder.writeEvents([
      event(1, {
        ...DEAL_OFF,
        Offers: Object.entries(left).map(([number, percent]) =>
          eventOffer(Number(number), { PercentageRemaining: percent, SoldOut: percent === 0 }),
        ),
      }),
      ...others,
    ]);
  show({ 1: 80 });
  const house = await aHouse({ clock, content: () => folder.content, features: [feature, ...others] });
  const app = await house.startBot(PLENTY, { schedule });
  const panel = await house.asAda(channel, `/subscription add events type:DealOff catch-up:0 ${options}`);
  await app.settled();
  return { house, app, clock, folder, show, panel, end: () => folder.writeEvents([]) };
}

/** Lets a minute pass, in which the bot looks at the events. */
async function look({ clock }: House, app: App, minutes = 1): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await clock.advance(LOOK_MS);
    await app.tick();
    await app.settled();
  }
}

/** The same, where Discord denies a message at first: one answer proves nothing. */
async function lookAt(house: House, app: App): Promise<void> {
  await house.clock.advance(LOOK_MS);
  await app.tick();
  await house.clock.untilSleeping(isFirstRetry);
  await house.clock.advance(retryMs());
  await app.settled();
}

/** The bot's posts about the Deal-off, without what Discord itself says of pins. */
function boards(house: House, channel = 'deals'): PageMessage[] {
  return house.announcements(channel).filter((message) => ABOUT.test(textOf(message)));
}

const pinned = ({ discord }: House, channel = 'deals') => discord.pins(discord.channel(channel).id).map(({ id }) => id);

test('a Deal-off of 40 items has one pinned board that is true after each poll, and sums up at its end', async () => {
  const { house, app, show, end, panel } = await aDealOff();
  expect(textOf(panel)).toContain('**Live board**: the post of each event is pinned');
  const [board, ...others] = boards(house);
  expect(others).toEqual([]);
  expect(textOf(board ?? panel)).toMatch(/🎪 \*\*Live board\*\* · Deal\\-off · www\.example\.com/);
  expect(pinned(house)).toEqual([board?.id]);
  for (let item = 1; item <= 40; item += 1) {
    for (const left of item % 10 === 7 ? [5] : [60, 5]) {
      show({ [item]: left });
      await look(house, app);
      const text = textOf(boards(house)[0] ?? panel);
      expect(text).toMatch(new RegExp(`Blender ${item}\\b[\\s\\S]*${left}% left`));
      if (item > 2) expect(text).toMatch(new RegExp(`\\*\\*(${item - 2}|${item - 1}) sold out\\*\\*`));
    }
  }
  // A look that lacks an item is no proof yet.
  show({});
  await look(house, app, 2);
  expect(textOf(boards(house)[0] ?? panel)).toContain('Nothing is on sale right now.');
  end();
  await look(house, app, 2);
  const [over, ...more] = boards(house);
  expect(more).toEqual([]);
  expect(over?.id).toBe(board?.id);
  expect(textOf(over ?? panel)).toMatch(/🏁 \*\*Ended after \d hours?\*\*/);
  expect(textOf(over ?? panel)).toContain('**40 sold out** · the fastest within 4 minutes');
  expect(textOf(over ?? panel)).toMatch(/~~\[Blender 40\]\(.*\)~~ · \$30\.00 · within 5 minutes/);
  expect(textOf(over ?? panel)).toContain('and 25 more');
  expect(pinned(house)).toEqual([]);
  await look(house, app, 3);
  expect(boards(house)).toHaveLength(1);
});

test('the board of an event that began before, and a post that stands already, come with the setting at the next tick', async () => {
  const { house, app, show, panel } = await aDealOff({ options: '' });
  expect(textOf(panel)).not.toContain('Live board**');
  expect(boards(house)).toEqual([]);
  const on = await adaGets(house, panel, 'board');
  expect(textOf(on)).toContain('**Live board**');
  await app.tick();
  await app.settled();
  const [board] = boards(house);
  expect(textOf(board ?? panel)).toContain('**Live board** ·');
  expect(pinned(house)).toEqual([board?.id]);
  const off = await adaGets(house, on, 'no-board');
  await look(house, app);
  expect(boards(house).map(textOf)).toEqual([expect.stringContaining('**Event started** · Deal')]);
  expect(pinned(house)).toEqual([]);
  await adaGets(house, off, 'board');
  show({ 1: 0, 2: 90 });
  await look(house, app);
  expect(boards(house).map(({ id }) => id)).toEqual([board?.id]);
  expect(textOf(boards(house)[0] ?? panel)).toMatch(/90% left[\s\S]*\*\*1 sold out\*\*\n~~\[Blender 1\]/);
  expect(pinned(house)).toEqual([board?.id]);
});

test('a board that was deleted is made again while nothing changes: the bot looks twice a minute', async () => {
  const { jobs, schedule } = aSchedule();
  const { house, app } = await aDealOff({ schedule });
  const { expression, run } = jobs.get('boards') ?? { run: () => expect.unreachable('There is no such job.') };
  expect(expression).toBe('*/30 * * * * *');
  await look(house, app);
  const [first] = boards(house);
  await run();
  await app.settled();
  expect(boards(house)).toEqual([first]);
  house.discord.deleteMessage(first?.id ?? '');
  await run();
  await house.clock.untilSleeping(isFirstRetry);
  await house.clock.advance(retryMs());
  await app.settled();
  const [second, ...others] = boards(house);
  expect(others).toEqual([]);
  expect(second?.id).not.toBe(first?.id);
  expect(pinned(house)).toEqual([second?.id]);
});

test('where Discord does not say whether a board stands, nothing is done', async () => {
  const { jobs, schedule } = aSchedule();
  const { house, app } = await aDealOff({ schedule });
  await look(house, app);
  const [board] = boards(house);
  for (const error of ['missingAccess', 'unknownChannel'] as const) {
    const isLook = ({ method, path }: { method: string; path: string }) =>
      method === 'GET' && /messages\/\d+$/.test(path);
    house.discord.faults.failNext(isLook, { kind: 'refused', error });
    await jobs.get('boards')?.run();
    await app.settled();
  }
  expect(boards(house)).toEqual([board]);
});

test('a board that was deleted is made again once, and rings nobody; when that is deleted, the event has none any more', async () => {
  const { house, app, show, panel } = await aDealOff({ others: [mentioning(IDS.dealHunters)] });
  const [first] = boards(house);
  expect(textOf(first ?? panel)).toMatch(/^<@&/);
  house.discord.deleteMessage(first?.id ?? '');
  show({ 1: 50 });
  await lookAt(house, app);
  const [second, ...others] = boards(house);
  expect(others).toEqual([]);
  expect(textOf(second ?? panel)).toContain('50% left');
  expect(textOf(second ?? panel)).not.toContain('<@&');
  expect(pinned(house)).toEqual([second?.id]);
  house.discord.deleteMessage(second?.id ?? '');
  show({ 1: 40 });
  await lookAt(house, app);
  await look(house, app, 2);
  expect(boards(house)).toEqual([]);
  const again = await adaGets(house, panel, 'mode', ['at-once']);
  expect(textOf(again)).toContain('**Live board**:');
  const ada = house.discord.directChannel(house.discord.people.ada.id).id;
  expect(house.discord.messages(ada).map(textOf)).toEqual([
    expect.stringContaining('was deleted twice, so I don’t post it again'),
  ]);
  const off = await adaGets(house, again, 'no-board');
  await adaGets(house, off, 'board');
  await look(house, app, 2);
  expect(boards(house), 'this event had two').toEqual([]);
});

test('without Pin Messages, a board stands without a pin and without a word in the channel, and the panel says so', async () => {
  const { house, app, clock, end } = await aDealOff({ options: '' });
  const { id } = house.discord.channel('deals');
  house.discord.setPermissions(id, { deny: ['pinMessages'] });
  const requests: string[] = [];
  house.discord.faults.use(({ method, path }) => {
    if (path.includes('/pins/')) requests.push(`${method} ${path}`);
    return undefined;
  });
  const panel = await house.asAda('deals', '/subscription add events type:DealOff site:www board:True catch-up:0');
  expect(textOf(panel)).toContain('⚠ I can’t pin the live board there: **Pin Messages** is missing.');
  await app.settled();
  await look(house, app);
  expect(boards(house)).toHaveLength(1);
  expect([requests, pinned(house)]).toEqual([[], []]);
  expect((await house.health(app)).status).toBe('ok');
  house.discord.setPermissions(id, {});
  await clock.advance(1);
  await look(house, app);
  expect(pinned(house)).toEqual([boards(house)[0]?.id]);
  house.discord.setPermissions(id, { deny: ['pinMessages'] });
  end();
  await look(house, app, 2);
  expect(pinned(house), 'it can’t be taken away').toHaveLength(1);
  house.discord.setPermissions(id, {});
  await look(house, app);
  expect(pinned(house)).toEqual([]);
});

test('a board is a post of its own: it waits for no digest, joins no roll-up, and comes after quiet hours', async () => {
  const others = [2, 3, 4].map((number) =>
    event(number, { Title: `Other ${number}`, StartDate: START, EndDate: null, Offers: [eventOffer(number)] }),
  );
  const { house, app, show } = await aDealOff({ options: 'board:True mode:daily quiet-hours:11:00-13:00' });
  const daily = await house.asAda('deals', '/subscription add events type:Daily mode:hourly catch-up:0');
  show({ 1: 80 }, ...others);
  await look(house, app, 2);
  expect(boards(house)).toEqual([]);
  await look(house, app, 61);
  expect(boards(house)).toHaveLength(1);
  expect(textOf(boards(house)[0] as PageMessage)).toContain('**Live board**');
  const rollUps = house.announcements('deals').filter((message) => textOf(message).includes('3 events'));
  expect(rollUps).toHaveLength(1);
  expect(textOf(rollUps[0] as PageMessage)).not.toContain('Big sale');
  // What came in a roll-up has no post that could become a board.
  await adaGets(house, daily, 'board');
  await look(house, app, 2);
  const own = house.announcements('deals').filter((message) => /Live board[\s\S]*Other \d/.test(textOf(message)));
  expect(own).toHaveLength(3);
});

test('what is coming is told as far as it is announced', async () => {
  const { house, app, show, panel } = await aDealOff();
  const next = { ...DEAL_OFF, Title: 'The next one', StartDate: '2026-11-21T18:00:00Z' };
  show({ 1: 80 }, event(9, next), event(8, { ...next, Site: 'wine.example.com', Title: 'Elsewhere' }));
  await look(house, app);
  const text = textOf(boards(house)[0] ?? panel);
  expect(text).toMatch(/\*\*Coming up\*\*\nThe next one · starts <t:1795284000:R>/);
  expect(text).not.toContain('Elsewhere');
  show({ 1: 80 });
  await look(house, app, 2);
  expect(textOf(boards(house)[0] ?? panel)).not.toContain('Coming up');
});

/** The requests at which a bot ends, whether Discord carries them out, and which of them in its life that is. */
const ENDS: [request: RegExp, isCarriedOut: boolean, turn: number][] = [
  /^POST \/channels\/\d+\/messages$/,
  /^PUT .*\/pins\/\d+$/,
  /^PATCH \/channels\/\d+\/messages\/\d+$/,
  /^DELETE .*\/pins\/\d+$/,
].flatMap((request) =>
  [true, false].flatMap((isCarriedOut) =>
    (String(request).includes('PATCH') ? [1, 2, 3] : [1]).map(
      (turn) => [request, isCarriedOut, turn] as [RegExp, boolean, number],
    ),
  ),
);

test.each(sampled(ENDS, 3))(
  'a bot that ends at %s (carried out: %s, turn %i) leaves one true board, and no pin at the end',
  async (request, accepted, turn) => {
    const { house, app, show, end, panel } = await aDealOff({ options: '' });
    let current = app;
    let turns = 0;
    let hasEnded = false;
    house.discord.faults.use(({ method, path }) => {
      if (hasEnded) return { kind: 'drop', accepted: false };
      if (!request.test(`${method} ${path}`)) return undefined;
      turns += 1;
      if (turns < turn) return undefined;
      hasEnded = true;
      return { kind: 'drop', accepted };
    });
    /** A look, after which a bot that has ended starts again. */
    async function lookOn(): Promise<void> {
      await house.clock.advance(LOOK_MS);
      await current.tick();
      await Promise.race([current.settled(), house.clock.untilSleeping(isFirstRetry)]);
      if (!hasEnded) return;
      await current.stop();
      house.discord.faults.use(null);
      hasEnded = false;
      current = await house.startBot(PLENTY);
      await current.tick();
      await current.settled();
    }
    await adaGets(house, panel, 'board');
    for (const left of [{ 1: 60 }, { 1: 5 }, { 1: 0, 2: 80 }, { 2: 70, 3: 90 }]) {
      show(left);
      await lookOn();
      expect(boards(house)).toHaveLength(1);
      const text = textOf(boards(house)[0] ?? panel);
      for (const percent of Object.values(left)) if (percent > 0) expect(text).toContain(`${percent}% left`);
    }
    expect(pinned(house)).toEqual([boards(house)[0]?.id]);
    end();
    await lookOn();
    await lookOn();
    await lookOn();
    expect(boards(house)).toHaveLength(1);
    expect(textOf(boards(house)[0] ?? panel)).toMatch(/🏁 \*\*Ended after .*\n\*\*1 sold out\*\*/);
    expect(pinned(house)).toEqual([]);
    expect(turns, 'the request was made').toBeGreaterThanOrEqual(turn);
  },
);
