import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { IDS } from '../../../packages/local-discord/src/index.ts';
import { parseConfig } from '../../../src/app/config.ts';
import { checkSetup } from '../../../src/app/operator/check-setup.ts';
import { createTranslators } from '../../../src/discord/i18n/translator.ts';
import { permissionNames } from '../../../src/discord/permissions.ts';
import { pings } from '../../../src/features/pings/index.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { menusOf, textOf } from '../../helpers/discord-form.ts';
import { sampled } from '../../helpers/sampled.ts';
import { aHouseWithPings } from './member-pings.ts';

type Pings = Awaited<ReturnType<typeof aHouseWithPings>>;

const english = createTranslators(() => undefined, pings.words ? [pings.words] : [])('en-US');
const EVERYONE = ['viewChannel', 'sendMessages', 'readMessageHistory', 'useApplicationCommands'] as const;
const OF_EVERYONE =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.UseApplicationCommands;
/** Bits that no version of Discord has used yet. */
const UNKNOWN = { first: 1n << 59n, last: 1n << 62n };

/** Where a role has a permission. */
const PLACES = ['server', 'channel', 'both'] as const;
type Place = (typeof PLACES)[number];

interface Case {
  name: string;
  bits: bigint;
  place: Place;
}

const CASES: readonly Case[] = Object.entries({ ...PermissionFlagsBits, ...UNKNOWN }).flatMap(([name, bits]) =>
  PLACES.map((place) => ({ name: `${name} (${place})`, bits, place })),
);

/** Gives the role the permission, or takes it away again. */
function change({ discord, ssd }: Pings, { bits, place }: Case, has: boolean): void {
  if (place !== 'channel') discord.editRole(ssd.id, { permissions: has ? [bits] : [] });
  if (place !== 'server') discord.setPermissions(IDS.announcements, has ? { allow: [bits] } : {}, ssd.id);
}

/** The permission that a sentence has to name; null where the channel has to be named, or nothing is wrong. */
const namedOf = ({ bits, place }: Case) =>
  place !== 'channel' && (bits & ~OF_EVERYONE) !== 0n
    ? permissionNames(bits)
        .map((name) => english.translate(name))
        .join(', ')
    : null;
const isHarmless = ({ bits, place }: Case) => place === 'server' && (bits & ~OF_EVERYONE) === 0n;

/** What a sentence about the role says of the reason. */
function reasonOf(one: Case, channel: string): string {
  const named = namedOf(one);
  return named === null ? `it gives permissions in ${channel}` : `(${named})`;
}

/** A bot whose server has a panel, and whose members see the channels although @everyone has few permissions. */
async function withPanel() {
  const all = await aHouseWithPings();
  all.discord.editRole(IDS.guild, { permissions: EVERYONE });
  await all.house.asAda('deals', '/pings panel');
  return all;
}

test('a role that gives anything more, anywhere, is neither set up in silence, nor offered, nor taken, nor kept on offer', async () => {
  const all = await withPanel();
  const { house, discord, ssd, choose } = all;
  const typed = { personId: IDS.ada, channelId: IDS.deals, text: '/subscription edit id:', focused: 'id' };
  const [subscription] = await discord.autocomplete(typed);
  const edit = async () =>
    textOf(await house.asAda('deals', `/subscription edit id:${subscription?.value} role:${ssd.id}`));
  for (const one of sampled(CASES, 24)) {
    const { name } = one;
    const before = await house.asBen('deals', '/pings mine');
    expect(menusOf(before), `${name}: offered`).toHaveLength(1);
    change(all, one, true);
    // The gateway tells of it before the next command, on the same connection.
    const shown = await house.asBen('deals', '/pings mine');
    if (isHarmless(one)) {
      expect(menusOf(shown), `${name}: still offered`).toHaveLength(1);
      change(all, one, false);
      continue;
    }
    expect(menusOf(shown), `${name}: not offered`).toEqual([]);
    const taken = await choose(before, 'set-pings', ssd.id);
    expect(textOf(taken), `${name}: not taken`).toContain('isn’t offered here anymore');
    expect(discord.rolesOf(IDS.ben), name).toEqual([]);
    const reason = reasonOf(one, `<#${IDS.announcements}>`);
    expect(await edit(), `${name}: set up`).toContain(reason);
    const status = textOf(await house.asAda('deals', '/status'));
    expect(status, `${name}: /status`).toContain(reason);
    expect(status, `${name}: /status`).toContain(`<@&${ssd.id}>`);
    change(all, one, false);
  }
  // Somebody who has it already keeps it; nobody else can take it.
  await choose(await house.asBen('deals', '/pings mine'), 'set-pings', ssd.id);
  expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
  const first = CASES[0] as Case;
  change(all, first, true);
  expect(textOf(await house.asBen('deals', '/pings mine'))).toContain('There are no pings to choose yet.');
  expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
});

/** Some of all cases, with each place. */
const SOME = CASES.filter((_, index) => index % 8 === 0);

test('check-setup names each role and the reason', async () => {
  const all = await withPanel();
  const { discord, house } = all;
  const ringing: [Case, Pings][] = [];
  for (const one of SOME) {
    const role = discord.createRole(`Role ${one.name}`, { mentionable: true });
    await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 role:${role.id} filter:x${ringing.length}`);
    ringing.push([one, { ...all, ssd: role }]);
  }
  await all.app.stop();
  for (const [one, ofRole] of ringing) change(ofRole, one, true);
  const checks = await checkSetup(parseConfig(house.environment), systemClock, [pings]);
  const told = checks.filter(({ detail }) => detail.startsWith('Pings in Bargain Corner: '));
  for (const [one] of ringing) {
    const found = told.filter(({ detail }) => detail.includes(`@Role ${one.name}:`)).map(({ detail }) => detail);
    expect(found, one.name).toEqual(isHarmless(one) ? [] : [expect.stringContaining(reasonOf(one, '#announcements'))]);
  }
});

test('members are not told which permissions a role has', async () => {
  const all = await withPanel();
  const { house, discord, ssd } = all;
  discord.editRole(ssd.id, { permissions: [PermissionFlagsBits.PrioritySpeaker] });
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('Priority Speaker');
  expect(textOf(await house.asAda('deals', '/status'))).toContain('Priority Speaker');
});
