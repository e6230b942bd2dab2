import { expect, test } from 'vitest';
import { IDS } from '../../../packages/local-discord/src/index.ts';
import type { App } from '../../../src/app/app.ts';
import { RECORDS } from '../../../src/features/pings/records.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { textOf } from '../../helpers/discord-form.ts';
import type { House } from '../../helpers/house.ts';
import { sampled } from '../../helpers/sampled.ts';
import { adaMakes, aHouseWithPings, isPanel } from './member-pings.ts';

/** The request at which a process ends, and whether Discord carries it out. */
type End = [request: string, isCarriedOut: boolean];

/**
 * Runs a command as Ada, and ends the bot at a request: nothing that it sends after that arrives, and what it has stored by then is
 * all that it has stored.
 */
async function cutOff(house: House, app: App, command: string, [request, accepted]: End): Promise<void> {
  const { faults } = house.discord;
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    faults.use(({ method, path }) => {
      if (isOver) return { kind: 'drop', accepted: false };
      if (!new RegExp(request).test(`${method} ${path}`)) return undefined;
      isOver = true;
      resolve();
      return { kind: 'drop', accepted };
    });
  });
  adaMakes(house, command).catch(() => undefined);
  await over;
  await app.stop();
  faults.use(null);
}

const MESSAGES = '/channels/\\d+/messages';
const POST: readonly End[] = [
  [`GET ${MESSAGES}\\b`, false],
  [`POST ${MESSAGES}$`, false],
  [`POST ${MESSAGES}$`, true],
];
const MOVE: readonly End[] = [...POST, [`DELETE ${MESSAGES}/\\d+$`, false], [`DELETE ${MESSAGES}/\\d+$`, true]];

/** All panels of the server. */
function panelsIn({ discord }: House) {
  return discord.channels().flatMap(({ id }) => discord.messages(id).filter(isPanel));
}

test.each(sampled(POST, 2))(
  'a bot that ends at %s (carried out: %s) leaves one panel, which follows',
  async (...end) => {
    const { house, app, start, discord, refresh } = await aHouseWithPings();
    await cutOff(house, app, '/pings panel', end);
    // Discord knows no nonce any more.
    await house.clock.advance(30 * MINUTE_MS);
    await start();
    await refresh();
    expect(panelsIn(house)).toHaveLength(1);
    const kettles = discord.createRole('Kettles', { mentionable: true });
    await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${kettles.id}`);
    await refresh();
    expect(panelsIn(house).map(textOf)).toEqual([expect.stringContaining(kettles.id)]);
    await house.asAda('deals', '/pings panel');
    expect(panelsIn(house)).toHaveLength(1);
  },
);

test.each(sampled(MOVE, 2))(
  'one that ends at %s (carried out: %s) while the panel moves leaves one, too',
  async (...end) => {
    const { house, app, start, discord, refresh } = await aHouseWithPings();
    await house.asAda('deals', '/pings panel');
    const other = discord.createChannel('pings');
    await cutOff(house, app, '/pings panel channel:#pings', end);
    await house.clock.advance(30 * MINUTE_MS);
    await start();
    await refresh();
    expect(panelsIn(house).map(({ channel_id }) => channel_id)).toEqual([other.id]);
    const kettles = discord.createRole('Kettles', { mentionable: true });
    await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${kettles.id}`);
    await refresh();
    expect(panelsIn(house).map(textOf)).toEqual([expect.stringContaining(kettles.id)]);
  },
);

test('where the new place is closed after the restart, the panel stays where it was and follows', async () => {
  const { house, app, start, discord, deals, refresh } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const other = discord.createChannel('pings');
  await cutOff(house, app, '/pings panel channel:#pings', [`POST ${MESSAGES}$`, false]);
  discord.setPermissions(other.id, { deny: ['sendMessages'] });
  await start();
  await refresh();
  const kettles = discord.createRole('Kettles', { mentionable: true });
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${kettles.id}`);
  await refresh();
  expect(panelsIn(house).map((panel) => [panel.channel_id, textOf(panel)])).toEqual([
    [deals, expect.stringContaining(kettles.id)],
  ]);
});

test('two managers who move the panel at the same time leave one', async () => {
  const { house, discord } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  discord.createChannel('pings');
  discord.giveRole(IDS.ben, discord.createRole('Team', { permissions: ['manageGuild', 'manageRoles'] }).id);
  discord.editRole(IDS.botRole, { position: 20 });
  await Promise.all([
    house.asAda('deals', '/pings panel channel:#pings'),
    house.asBen('deals', '/pings panel channel:#announcements'),
  ]);
  expect(panelsIn(house)).toHaveLength(1);
});

const rolesMade = ({ discord }: House) => discord.roles().flatMap(({ id, name }) => (name === 'kettle' ? [id] : []));

/** The ids of the roles that were made, and those of them that a subscription rings. */
async function made(house: House) {
  const store = await openStore(house.environment['STATE_URL'] ?? '', undefined, null, [RECORDS]);
  const rung = store.subscriptions.all().flatMap(({ pings = [] }) => pings.map(({ roleId }) => roleId));
  await store.close();
  const ids = rolesMade(house);
  return { ids, pinged: ids.filter((id) => rung.includes(id)) };
}

const ROLE: End = ['POST /guilds/\\d+/roles$', true];

async function makeCommand({ discord }: House) {
  const text = '/pings make id: filter:x';
  const [choice] = await discord.autocomplete({ personId: IDS.ada, channelId: IDS.deals, text, focused: 'id' });
  return `/pings make id:${choice?.value} filter:kettle`;
}

test('a role whose making was cut off is put to its use once no request can be on its way, not before', async () => {
  const { house, app, start, refresh } = await aHouseWithPings();
  await cutOff(house, app, await makeCommand(house), ROLE);
  await start();
  await house.clock.advance(2 * MINUTE_MS - 1);
  await refresh();
  expect((await made(house)).pinged).toEqual([]);
  await house.clock.advance(1);
  await refresh();
  const { ids, pinged } = await made(house);
  expect(ids).toHaveLength(1);
  expect(pinged).toEqual(ids);
  await refresh();
  expect(await made(house)).toEqual({ ids, pinged });
});

test('a role whose record is of the future, by a clock that was set back since, does not wait until then', async () => {
  const { house, app, start, refresh } = await aHouseWithPings();
  await cutOff(house, app, await makeCommand(house), ROLE);
  house.clock.jump(-365 * 24 * 60 * MINUTE_MS);
  await start();
  await refresh();
  const { ids, pinged } = await made(house);
  expect(ids).toHaveLength(1);
  expect(pinged).toEqual(ids);
});

test('one whose record outlives its making, as by a kill right before that is deleted, is left as it is', async () => {
  const { house, app, start, refresh } = await aHouseWithPings();
  const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(house.environment['STATE_URL'] ?? '', undefined, null, [RECORDS]);
    const result = await work(store);
    await store.close();
    return result;
  };
  await cutOff(house, app, await makeCommand(house), ROLE);
  const records = await withStore(async ({ pendingRoles }) => pendingRoles.entries());
  expect(records).toHaveLength(1);
  await house.clock.advance(2 * MINUTE_MS);
  const second = await start();
  await refresh();
  const settled = await made(house);
  expect(settled.pinged).toHaveLength(1);
  await second.stop();
  await withStore(async ({ pendingRoles }) => {
    for (const [id, record] of records) await pendingRoles.save(id, record);
  });
  const third = await start();
  await refresh();
  expect(await made(house)).toEqual(settled);
  await third.stop();
  expect(await withStore(async ({ pendingRoles }) => pendingRoles.entries())).toEqual([]);
});

test('one that was not made is forgotten, and can be made again', async () => {
  const { house, app, start, discord, refresh } = await aHouseWithPings();
  const command = await makeCommand(house);
  await cutOff(house, app, command, ['POST /guilds/\\d+/roles$', false]);
  await start();
  await house.clock.advance(2 * MINUTE_MS);
  await refresh();
  expect((await made(house)).ids).toEqual([]);
  // A role of that name that somebody makes later is theirs.
  const theirs = discord.createRole('kettle');
  await refresh();
  expect(await made(house)).toEqual({ ids: [theirs.id], pinged: [] });
  discord.deleteRole(theirs.id);
  await adaMakes(house, command);
  expect((await made(house)).pinged).toHaveLength(1);
});

test('roles that stand there by other names, from before, or with permissions are left alone', async () => {
  const { house, app, start, discord, refresh } = await aHouseWithPings();
  const before = discord.createRole('kettle');
  await cutOff(house, app, await makeCommand(house), ['POST /guilds/\\d+/roles$', false]);
  const strong = discord.createRole('kettle', { permissions: ['viewChannel'] });
  const other = discord.createRole('Kettles');
  await start();
  await house.clock.advance(2 * MINUTE_MS);
  await refresh();
  expect(discord.roles().map(({ id }) => id)).toEqual(expect.arrayContaining([before.id, strong.id, other.id]));
  expect((await made(house)).pinged).toEqual([]);
});

test('while it is not known whether it was made, no second one is', async () => {
  const { house, app, start, refresh } = await aHouseWithPings();
  const command = await makeCommand(house);
  await cutOff(house, app, command, ROLE);
  const unused = rolesMade(house);
  await start();
  expect(textOf(await house.asAda('deals', command))).toContain(
    'it’s added to the subscription’s pings within 3 minutes',
  );
  await house.clock.advance(2 * MINUTE_MS);
  await refresh();
  expect(await made(house)).toEqual({ ids: unused, pinged: unused });
  expect(textOf(await house.asAda('deals', command))).toContain(`<@&${unused[0]}> is already pinged for this filter.`);
});

test('where its filter got another role meanwhile, the unused role is deleted', async () => {
  const { house, app, start, discord, refresh } = await aHouseWithPings();
  await cutOff(house, app, await makeCommand(house), ROLE);
  const store = await openStore(house.environment['STATE_URL'] ?? '', undefined, null, [RECORDS]);
  const kettles = discord.createRole('Kettles');
  for (const { id } of store.subscriptions.all()) {
    const ping = { roleId: kettles.id, filter: 'kettle', kinds: [] };
    await store.subscriptions.update(id, (before) => ({ ...before, pings: [ping] }));
  }
  await store.close();
  await start();
  await house.clock.advance(2 * MINUTE_MS);
  await refresh();
  expect((await made(house)).ids).toEqual([]);
  expect(discord.auditLog().at(-1)).toEqual({
    action: 'role-deleted',
    reason: 'The subscription couldn’t be changed',
  });
});

test('where its subscription is gone, the unused role is deleted', async () => {
  const { house, app, start, refresh } = await aHouseWithPings();
  await cutOff(house, app, await makeCommand(house), ROLE);
  expect(rolesMade(house)).toHaveLength(1);
  const store = await openStore(house.environment['STATE_URL'] ?? '', undefined, null, [RECORDS]);
  for (const { id } of store.subscriptions.all()) await store.subscriptions.remove(id);
  await store.close();
  await start();
  await house.clock.advance(2 * MINUTE_MS);
  await refresh();
  expect((await made(house)).ids).toEqual([]);
});

test('a role whose making Discord does not answer is asked for once, and put to its use', async () => {
  const { house, discord, refresh } = await aHouseWithPings();
  let posts = 0;
  discord.faults.use(({ method, path }) => {
    if (method !== 'POST' || !path.endsWith('/roles')) return undefined;
    posts += 1;
    return { kind: 'drop', accepted: true };
  });
  expect(textOf(await adaMakes(house, await makeCommand(house)))).toContain('Discord didn’t answer');
  discord.faults.use(null);
  expect(posts).toBe(1);
  await house.clock.advance(2 * MINUTE_MS);
  await refresh();
  const { ids, pinged } = await made(house);
  expect(ids).toHaveLength(1);
  expect(pinged).toEqual(ids);
});
