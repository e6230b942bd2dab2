import { expect, test } from 'vitest';
import { IDS, type PageMessage } from '../../packages/local-discord/src/index.ts';
import { parseConfig } from '../../src/app/config.ts';
import { checkSetup } from '../../src/app/operator/check-setup.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouseWithPings } from '../helpers/member-pings.ts';

type Pings = Awaited<ReturnType<typeof aHouseWithPings>>;

const TALKING = ['viewChannel', 'sendMessages', 'readMessageHistory'] as const;
const NO_MANAGE_ROLES =
  'The bot lacks the Manage Roles permission, so it can’t give or make roles. Turn it on for the bot’s role in Server Settings > Roles.';

/** What keeps members from a ping, and what mends it. */
const TROUBLES: [name: string, spoil: (all: Pings) => void, mend: (all: Pings) => void, sentence: RegExp][] = [
  [
    'stands above the bot’s',
    ({ discord, ssd }) => discord.editRole(ssd.id, { position: 50 }),
    ({ discord, ssd }) => discord.editRole(ssd.id, { position: 1 }),
    /above the bot’s/,
  ],
  [
    'has become dangerous',
    ({ discord, ssd }) => discord.editRole(ssd.id, { permissions: ['manageMessages'] }),
    ({ discord, ssd }) => discord.editRole(ssd.id, { permissions: [] }),
    /Manage Messages/,
  ],
  [
    'opens a channel',
    ({ discord, ssd }) => discord.setPermissions(IDS.announcements, { allow: ['viewChannel'] }, ssd.id),
    ({ discord, ssd }) => discord.setPermissions(IDS.announcements, {}, ssd.id),
    /gives access in some channels/,
  ],
];

/** The same, and those of the bot itself or that can't be shown on a panel. */
const ALL_TROUBLES: typeof TROUBLES = [
  ...TROUBLES,
  [
    'can’t be given, as Manage Roles was taken away',
    ({ discord }) => discord.editRole(IDS.botRole, { permissions: TALKING }),
    ({ discord }) => discord.editRole(IDS.botRole, { permissions: [...TALKING, 'manageRoles'] }),
    /^Pings in Bargain Corner: The bot lacks the Manage Roles permission, .* in Server Settings > Roles\.$/,
  ],
];

/** What `check-setup` finds wrong with pings. The bot has to be stopped. */
async function failures({ house }: Pings): Promise<string[]> {
  const checks = await checkSetup(parseConfig(house.environment), systemClock);
  return checks.flatMap(({ part, result, detail }) =>
    part === 'channel' && result === 'failed' && detail.startsWith('Pings') ? [detail] : [],
  );
}

test.each(TROUBLES)('a role that %s leaves the panel, is named with the reason, and comes back', async (...given) => {
  const [, spoil, mend, sentence] = given;
  const all = await aHouseWithPings();
  const { house, ssd, refresh } = all;
  await house.asAda('deals', '/pings panel');
  spoil(all);
  // The gateway tells of it before the next command, on the same connection.
  const posted = textOf(await house.asAda('deals', '/pings panel'));
  expect(posted).toContain('✅ Members can choose');
  expect(posted).toMatch(sentence);
  expect(textOf(await house.asBen('deals', '/pings mine'))).toContain('There are no pings to choose yet.');
  const without = (await refresh()) as PageMessage | undefined;
  expect(without, 'a panel without roles has no menu').toBeUndefined();
  mend(all);
  expect(textOf(await house.asAda('deals', '/pings panel'))).not.toContain('⚠');
  expect(textOf((await refresh()) as PageMessage)).toContain(`<@&${ssd.id}>`);
});

test.each(ALL_TROUBLES)('check-setup names a role that %s, until that is mended', async (...given) => {
  const [, spoil, mend, sentence] = given;
  const all = await aHouseWithPings();
  await all.house.asAda('deals', '/pings panel');
  await all.app.stop();
  expect(await failures(all)).toEqual([]);
  spoil(all);
  expect(await failures(all)).toEqual([expect.stringMatching(sentence)]);
  mend(all);
  expect(await failures(all)).toEqual([]);
});

test('without Manage Roles, the panel and new roles are refused by its name; once it is back, both work', async () => {
  const { house, discord, refresh, ssd } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const before = discord.roles().length;
  discord.editRole(IDS.botRole, { permissions: TALKING });
  const typed = { personId: IDS.ada, channelId: IDS.deals, text: '/pings make id: filter:x', focused: 'id' };
  const [choice] = await discord.autocomplete(typed);
  const make = `/pings make id:${choice?.value} filter:kettle`;
  for (const command of ['/pings panel', make]) {
    expect(textOf(await house.asAda('deals', command))).toContain(NO_MANAGE_ROLES);
  }
  expect(discord.roles()).toHaveLength(before);
  discord.editRole(IDS.botRole, { permissions: [...TALKING, 'manageRoles'] });
  expect(textOf(await house.asAda('deals', make))).toContain('is ready');
  expect(textOf(await house.asAda('deals', '/pings panel'))).toContain('✅');
  expect(textOf((await refresh()) as PageMessage)).toContain(`<@&${ssd.id}>`);
});

test('what Discord refuses before the gateway has told of it is said with the permission and the order', async () => {
  const { house, discord, ssd, choose } = await aHouseWithPings();
  const own = await house.asBen('deals', '/pings mine');
  discord.faults.failNext(({ method }) => method === 'PUT', { kind: 'refused', error: 'missingPermissions' });
  expect(textOf(await choose(own, 'set-pings', ssd.id))).toContain(
    `Discord doesn’t let the bot give <@&${ssd.id}>. In Server Settings > Roles, the bot’s role needs Manage Roles and a place above it.`,
  );
  discord.faults.failNext(({ method }) => method === 'PUT', { kind: 'refused', error: 'unknownRole' });
  expect(textOf(await choose(await house.asBen('deals', '/pings mine'), 'set-pings', ssd.id))).not.toContain('✅');
  expect(discord.rolesOf(IDS.ben)).toEqual([]);
});

test('check-setup names a role that was deleted', async () => {
  const all = await aHouseWithPings();
  await all.house.asAda('deals', '/pings panel');
  all.discord.deleteRole(all.ssd.id);
  await all.app.stop();
  expect(await failures(all)).toEqual([
    'Pings in Bargain Corner: A role to ping was deleted, so it isn’t pinged. Choose another one.',
  ]);
});
