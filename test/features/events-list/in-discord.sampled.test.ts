import { copyFileSync } from 'node:fs';
import { GuildScheduledEventStatus, Routes } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { IDS, type PageMessage } from '../../../packages/local-discord/src/index.ts';
import type { App } from '../../../src/app/app.ts';
import { parseConfig } from '../../../src/app/config.ts';
import { checkSetup } from '../../../src/app/operator/check-setup.ts';
import { eventsList } from '../../../src/features/events-list/index.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, event, eventOffer } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { adaGets, asBot } from '../../helpers/panel.ts';
import { sampled } from '../../helpers/sampled.ts';
import { aSchedule } from '../../helpers/schedule.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { uuid } from '../../helpers/things.ts';

const PLENTY = { requests: 10_000, perMs: 1_000 };
const { Scheduled, Active } = GuildScheduledEventStatus;
const TALKING = ['viewChannel', 'sendMessages', 'readMessageHistory', 'attachFiles'] as const;

/** A bot in a server that shows the events of the catalog in its list. */
async function aHouseWithCalendar(
  events: Record<string, unknown>[] = [],
  add = 'calendar:True',
  changes: Record<string, string> = {},
) {
  const folder = aCatalogFolder();
  folder.writeEvents(events);
  const house = await aHouse({
    content: () => folder.content,
    features: [eventsList],
    discord: { limits: { createMessage: PLENTY, editMessage: PLENTY, global: PLENTY } },
  });
  const { clock, discord } = house;
  const startMs = clock.now();
  const scheduled = aSchedule();
  const running: { app: App | null } = { app: null };
  const start = async () => {
    running.app = await house.startBot(changes, scheduled);
    await running.app.settled();
  };
  const stop = () => running.app?.stop();
  /** The minute's work. */
  const refresh = () => scheduled.jobs.get('calendar')?.run() ?? Promise.resolve();
  /** Lets time pass, a poll that shows these events, and the minute's work. */
  const look = async (ms: number, shown?: Record<string, unknown>[]) => {
    if (shown) folder.writeEvents(shown);
    await clock.advance(ms);
    await running.app?.tick();
    await running.app?.settled();
    await refresh();
  };
  /** The entries that aren't over: title, status, and times in minutes since the beginning. */
  const listed = (guildId?: string) =>
    discord.events(guildId).map(({ name, status, scheduled_start_time: start, scheduled_end_time: end }) => {
      return [name, status, ...[start, end].map((time) => (Date.parse(time) - startMs) / MINUTE_MS)];
    });
  /** The panel of the only subscription. */
  const panel = async () => {
    const text = '/subscription edit id:';
    const [only] = await discord.autocomplete({ personId: IDS.ada, channelId: IDS.deals, text, focused: 'id' });
    return textOf(await house.asAda('deals', `${text}${only?.value}`));
  };
  await start();
  if (add !== '') await house.asAda('deals', `/subscription add events catch-up:0 ${add}`);
  await running.app?.settled();
  await refresh();
  return { house, folder, discord, clock, startMs, start, stop, refresh, look, listed, panel };
}

/** An event from and until so many minutes after the beginning. */
const at = (number: number, from: number, until: number | null, changes: Record<string, unknown> = {}) => {
  const time = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 12) + minutes * MINUTE_MS).toISOString();
  return event(number, { StartDate: time(from), EndDate: until === null ? null : time(until), ...changes });
};

test('an event stands in the list from its announcement on, runs, moves its end, and is over', async () => {
  const { look, listed, discord } = await aHouseWithCalendar([at(1, 60, 300)]);
  expect(listed(), 'one answer alone has announced it').toEqual([]);
  await look(10 * MINUTE_MS);
  expect(listed()).toEqual([['Event 1', Scheduled, 60, 300]]);
  await look(60 * MINUTE_MS);
  expect(listed()).toEqual([['Event 1', Active, 60, 300]]);
  await look(10 * MINUTE_MS, [at(1, 60, 400)]);
  expect(listed()).toEqual([['Event 1', Active, 60, 400]]);
  await look(10 * MINUTE_MS, []);
  expect(listed(), 'one answer alone lacks it').toEqual([['Event 1', Active, 60, 400]]);
  await look(10 * MINUTE_MS, [at(1, 60, 400)]);
  await look(10 * MINUTE_MS, [at(1, 60, 400)]);
  expect(listed()).toEqual([['Event 1', Active, 60, 400]]);
  for (const _ of [1, 2]) await look(10 * MINUTE_MS, []);
  expect(discord.events()).toEqual([]);
});

test('an event that the catalog lists under another id goes on: one entry, one post, from before its start to its end', async () => {
  const offers = [eventOffer(1), eventOffer(2)];
  const { house, look, discord, stop, start } = await aHouseWithCalendar([at(1, 60, 300, { Offers: offers })]);
  const as = (id: number, changes: Record<string, unknown> = {}) =>
    at(1, 60, 300, { Id: uuid(id), Offers: offers, ...changes });
  await look(10 * MINUTE_MS);
  const [entry, ...others] = discord.events();
  expect([entry?.name, others]).toEqual(['Event 1', []]);
  await look(10 * MINUTE_MS, [as(2)]);
  await look(60 * MINUTE_MS, [as(3)]);
  await look(10 * MINUTE_MS, [as(4)]);
  await stop();
  await start();
  await look(10 * MINUTE_MS, [as(5)]);
  for (let looks = 0; looks < 3; looks += 1) await look(10 * MINUTE_MS, [as(6)]);
  expect(discord.events().map(({ id, status }) => [id, status])).toEqual([[entry?.id, Active]]);
  const posts = house.announcements('deals');
  expect(posts).toHaveLength(1);
  const shown = posts[0] as PageMessage;
  const details = await house.click(shown, customIdsOf(shown).find((id) => id.startsWith('event:')) ?? '');
  expect(textOf(details), 'its buttons work').toContain('Event 1');
  // Another one in every respect but its title is another one.
  await look(10 * MINUTE_MS, [at(1, 90, 400, { Id: uuid(7), Offers: [eventOffer(3)] })]);
  await look(10 * MINUTE_MS);
  await look(10 * MINUTE_MS);
  expect(house.announcements('deals')).toHaveLength(2);
});

test('an event that runs already is shown as running, with a picture, its offers, its link, and that its end is not known', async () => {
  const offers = [eventOffer(1), eventOffer(2, { SoldOut: true })];
  const { discord, listed, look } = await aHouseWithCalendar([at(1, -60, null, { Type: 'DealOff', Offers: offers })]);
  expect(listed()).toEqual([['Event 1', Active, 1, 1441]]);
  const [entry] = discord.events();
  expect(entry?.description).toMatch(
    /^Deal-off · home\.example\.com\n• .*\$.*\n\nIt isn’t known yet when this ends\..*\n\n🔔 [\w-]{12}$/,
  );
  expect(entry?.entity_metadata.location).toMatch(/^https:\/\//);
  const picture = await fetch(`${discord.url}/guild-events/${entry?.id}/${entry?.image}.png`);
  expect(
    Buffer.from(await picture.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  for (let hours = 0; hours < 30; hours += 1) await look(HOUR_MS);
  const [, , , until] = listed()[0] ?? [];
  expect(Number(until) - 30 * 60).toBeGreaterThanOrEqual(12 * 60);
});

const LIST = '/guilds/\\d+/scheduled-events';
const ENTRY = `${LIST}/\\d+$`;
/** The request at which a process ends, and whether Discord carries it out. */
const ENDS: readonly [string, boolean][] = [
  [`GET ${LIST}$`, false],
  [`POST ${LIST}$`, false],
  [`POST ${LIST}$`, true],
  [`PATCH ${ENTRY}`, false],
  [`PATCH ${ENTRY}`, true],
  [`DELETE ${ENTRY}`, false],
  [`DELETE ${ENTRY}`, true],
];

test.each(sampled(ENDS, 3))(
  'a bot that ends at %s (carried out: %s) leaves one entry for each event, and none for what is over',
  async (request, isCarriedOut) => {
    const { discord, look, start, stop, listed, clock } = await aHouseWithCalendar();
    let isOver = false;
    discord.faults.use(({ method, path }) => {
      if (isOver) return { kind: 'drop', accepted: false };
      if (!new RegExp(request).test(`${method} ${path}`)) return undefined;
      isOver = true;
      return { kind: 'drop', accepted: isCarriedOut };
    });
    /** A poll; where the bot has ended in it, another process goes on. */
    const chapter = async (shown: Record<string, unknown>[]) => {
      for (const _ of [1, 2]) {
        await look(10 * MINUTE_MS, shown);
        if (!isOver) continue;
        await stop();
        discord.faults.use(null);
        isOver = false;
        await clock.advance(30_000);
        await start();
      }
      await look(10 * MINUTE_MS);
      await look(10 * MINUTE_MS);
    };
    await chapter([at(1, -60, 1000), at(2, 2000, 3000)]);
    expect(listed().map(([name, status]) => [name, status])).toEqual([
      ['Event 1', Active],
      ['Event 2', Scheduled],
    ]);
    await chapter([at(1, -60, 1100), at(3, -60, 1100)]);
    expect(listed().map(([name, status, , until]) => [name, status, until])).toEqual([
      ['Event 1', Active, 1100],
      ['Event 3', Active, 1100],
    ]);
    await chapter([]);
    expect(listed()).toEqual([]);
  },
);

test('a request that Discord has carried out without an answer makes no second entry', async () => {
  const { discord, look, listed } = await aHouseWithCalendar();
  let isFirst = true;
  discord.faults.use(({ method, path }) => {
    if (!isFirst || method !== 'POST' || !path.endsWith('/scheduled-events')) return undefined;
    isFirst = false;
    return { kind: 'drop', accepted: true };
  });
  await look(10 * MINUTE_MS, [at(1, -60, 1000)]);
  expect(listed()).toHaveLength(1);
  for (const _ of [1, 2]) await look(10 * MINUTE_MS);
  expect(listed().map(([name, status]) => [name, status])).toEqual([['Event 1', Active]]);
});

test('a new entry that Discord answers with an error of its own is asked for once, not again by the client', async () => {
  const { discord, look, listed } = await aHouseWithCalendar();
  let posts = 0;
  discord.faults.use(({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/scheduled-events')) return undefined;
    posts += 1;
    return { kind: 'error', status: 502, accepted: true };
  });
  await look(10 * MINUTE_MS, [at(1, -60, 1000)]);
  expect([posts, listed().length]).toEqual([1, 1]);
  discord.faults.use(null);
  for (const _ of [1, 2]) await look(10 * MINUTE_MS);
  expect(listed().map(([name, status]) => [name, status])).toEqual([['Event 1', Active]]);
});

test('without the permission, the panel, the list and /status say what is missing, and the events follow once it is there', async () => {
  const { house, discord, look, listed, panel } = await aHouseWithCalendar([at(1, -60, 1000)], '');
  discord.editRole(IDS.botRole, { permissions: [...TALKING] });
  const missing = 'The bot lacks the Create Events permission';
  const added = await house.asAda('deals', '/subscription add events catch-up:0 calendar:True');
  // The gateway tells the bot of its roles.
  await expect.poll(panel).toContain(missing);
  expect(textOf(added)).toContain('**Events list**: the events stand in the server’s own list');
  expect(textOf(await house.asAda('deals', '/status'))).toContain(missing);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain(missing);
  await look(MINUTE_MS);
  expect(listed()).toEqual([]);
  discord.editRole(IDS.botRole, { permissions: [...TALKING, 'createEvents'] });
  await expect
    .poll(async () => {
      await look(MINUTE_MS);
      return listed().map(([name]) => name);
    })
    .toEqual(['Event 1']);
  expect(await panel()).not.toContain(missing);
});

test('check-setup names the server and the permission that is missing there', async () => {
  const { house, discord, stop } = await aHouseWithCalendar();
  await stop();
  const found = async () => {
    const checks = await checkSetup(parseConfig(house.environment), systemClock, [eventsList]);
    return checks.flatMap(({ part, detail }) =>
      part === 'channel' && detail.startsWith('Events list') ? [detail] : [],
    );
  };
  expect(await found()).toEqual([]);
  discord.editRole(IDS.botRole, { permissions: [...TALKING] });
  expect(await found()).toEqual([
    expect.stringMatching(/^Events list of .+: The bot lacks the Create Events permission/),
  ]);
});

test('the panel puts events into the list and takes them out; other sources have neither the button nor the option', async () => {
  const { house, refresh, listed } = await aHouseWithCalendar([at(1, -60, 1000)], '');
  const panel = await house.asAda('deals', '/subscription add events catch-up:0');
  await refresh();
  expect(listed()).toEqual([]);
  const shown = await adaGets(house, panel, 'show-events');
  await refresh();
  expect(listed()).toHaveLength(1);
  const hidden = await adaGets(house, shown, 'hide-events');
  expect(customIdsOf(hidden).some((id) => id.startsWith('subscription:show-events:'))).toBe(true);
  await refresh();
  expect(listed()).toEqual([]);
  const other = await house.asAda('deals', '/subscription add dealcasts');
  expect(customIdsOf(other).some((id) => id.includes('events:'))).toBe(false);
  const id = customIdsOf(other)
    .find((one) => one.startsWith('subscription:duplicate:'))
    ?.split(':')[2];
  expect(textOf(await house.asAda('deals', `/subscription edit id:${id} calendar:True`))).toContain('`calendar`');
});

test('two subscriptions share an entry, which goes with the last of them; another server has one of its own', async () => {
  const { house, discord, refresh, listed } = await aHouseWithCalendar([at(1, -60, 1000)]);
  const guildId = discord.createGuild('Bazaar');
  discord.createChannel('bargains', 'text', { guildId });
  const second = await house.asAda('deals', '/subscription add events type:Daily catch-up:0 calendar:True');
  await house.asAda('bargains', '/subscription add events catch-up:0 calendar:True');
  await refresh();
  expect([listed(), listed(guildId)].map((list) => list.map(([name]) => name))).toEqual([['Event 1'], ['Event 1']]);
  await adaGets(house, await adaGets(house, second, 'remove'), 'remove-now');
  await refresh();
  expect(listed()).toHaveLength(1);
  const [first] = await discord.autocomplete({
    personId: IDS.ada,
    channelId: IDS.deals,
    text: '/subscription pause id:',
    focused: 'id',
  });
  await house.asAda('deals', `/subscription pause id:${first?.value}`);
  await refresh();
  expect([listed(), listed(guildId)].map((list) => list.length)).toEqual([0, 1]);
});

test('a full list is said on the panel, and the events follow once there is room', async () => {
  const { house, discord, look, listed, clock, panel } = await aHouseWithCalendar();
  const body = JSON.stringify({
    name: 'Game night',
    privacy_level: 2,
    entity_type: 3,
    entity_metadata: { location: 'here' },
    scheduled_start_time: new Date(clock.now() + DAY_MS).toISOString(),
    scheduled_end_time: new Date(clock.now() + 2 * DAY_MS).toISOString(),
  });
  for (let made = 0; made < 99; made += 1) {
    await asBot(house, Routes.guildScheduledEvents(discord.guildId), { method: 'POST', body });
  }
  await look(10 * MINUTE_MS, [at(1, -60, 1000), at(2, -60, 1000)]);
  const ours = () => listed().flatMap(([name]) => (name === 'Game night' ? [] : [name]));
  expect(ours()).toEqual(['Event 1']);
  expect(await panel()).toContain('The server’s Events list is full: Discord allows 100 upcoming events.');
  const [other] = discord.events().filter(({ name }) => name === 'Game night');
  await asBot(house, Routes.guildScheduledEvent(discord.guildId, other?.id ?? ''), { method: 'DELETE' });
  await look(15 * MINUTE_MS);
  expect(ours()).toEqual(['Event 1', 'Event 2']);
  expect(discord.events()).toHaveLength(100);
  expect(await panel()).not.toContain('is full');
});

test.each([
  ['deleted', { method: 'DELETE' }],
  ['ended', { method: 'PATCH', body: '{"status":3}' }],
])('an entry that a moderator has %s stays away, over a restart too', async (_, request) => {
  const { house, discord, look, listed, start, stop } = await aHouseWithCalendar([at(1, -60, 1000)]);
  const [entry] = discord.events();
  await asBot(house, Routes.guildScheduledEvent(discord.guildId, entry?.id ?? ''), request);
  await look(10 * MINUTE_MS, [at(1, -60, 1100)]);
  await look(10 * MINUTE_MS, [at(1, -60, 1200)]);
  expect(listed()).toEqual([]);
  await stop();
  await start();
  await look(10 * MINUTE_MS, [at(1, -60, 1300)]);
  await look(10 * MINUTE_MS, [at(1, -60, 1300), at(2, -60, 1300)]);
  expect(listed().map(([name]) => name)).toEqual(['Event 2']);
});

test('from an older copy of the state, what stands there is adopted, and what is over ends', async () => {
  const stateUrl = temporaryState();
  const { look, listed, start, stop } = await aHouseWithCalendar([at(1, -60, 1000)], undefined, {
    STATE_URL: stateUrl,
  });
  await stop();
  const state = new URL(stateUrl).pathname;
  copyFileSync(state, `${state}.old`);
  await start();
  for (const _ of [1, 2]) await look(10 * MINUTE_MS, [at(2, -60, 1000), at(3, 500, 1000)]);
  expect(new Set(listed().map(([name]) => name))).toEqual(new Set(['Event 2', 'Event 3']));
  await stop();
  copyFileSync(`${state}.old`, state);
  await start();
  for (const _ of [1, 2, 3]) await look(10 * MINUTE_MS, [at(2, -60, 1000)]);
  expect(listed().map(([name]) => name)).toEqual(['Event 2']);
});

test('after a restart, an announced event that the first answer lacks keeps its entry', async () => {
  const { look, listed, start, stop } = await aHouseWithCalendar([at(1, 1000, 2000)]);
  await look(10 * MINUTE_MS);
  expect(listed()).toHaveLength(1);
  await stop();
  await start();
  await look(10 * MINUTE_MS, []);
  expect(listed()).toHaveLength(1);
  await look(10 * MINUTE_MS, [at(1, 1000, 2000)]);
  await look(10 * MINUTE_MS);
  expect(listed()).toEqual([['Event 1', Scheduled, 1000, 2000]]);
  for (const _ of [1, 2]) await look(10 * MINUTE_MS, []);
  expect(listed()).toEqual([]);
});

test('whatever the catalog writes, Discord takes the entry', async () => {
  const titles = [
    '@everyone **x** <@1> [a](https://evil.example)',
    '\u202Egnp\u0000',
    'x'.repeat(5_000),
    '🎉'.repeat(300),
    '   ',
  ];
  const events = titles.map((Title, index) => {
    const offer = eventOffer(index, { Title, Url: `https://www.example.com/${'a'.repeat(400)}` });
    return at(index, -60, 1000, {
      Title,
      Site: Title,
      Subtitle: Title,
      Type: index === 4 ? 'Daily' : Title.slice(0, 300),
      Offers: [offer],
    });
  });
  const { look, discord, house } = await aHouseWithCalendar();
  await look(10 * MINUTE_MS, events);
  for (const entry of discord.events()) {
    expect(`${entry.name} ${entry.description}`).not.toMatch(/@|\]\(|<@|:\/\//);
    expect(entry.name.trim()).not.toBe('');
  }
  expect(house.logLines.filter((line) => line.includes('Events list is not up to date'))).toEqual([]);
  expect(discord.events().length).toBeGreaterThanOrEqual(4);
});
