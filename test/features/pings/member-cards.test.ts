import { expect, test } from 'vitest';
import { message } from '../../../src/discord/i18n/translator.ts';
import {
  type OfferedPing,
  ownPingsCard,
  panelPostedCard,
  pingsPanelCard,
  proposedRoleCard,
  readyRoleCard,
} from '../../../src/features/pings/member-cards.ts';
import { MOST_CHANGES } from '../../../src/features/pings/take.ts';
import { customIdsOf, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const LOCALES = ['en-US', 'de', 'fr', 'es-ES'];
const MEAN = '@everyone <@&1> [x](javascript:1) **';
const panelId = 'p'.repeat(22);
const idOf = (number: number) => String(1_100_000_000_000_000_000n + BigInt(number));

/** So many roles, each rung by three subscriptions with long filters, and named to do harm. */
function offeredOf(count: number, rings: OfferedPing['rings'] = { count: 3, isTried: false }): OfferedPing[] {
  return Array.from({ length: count }, (_, index) => {
    const roleId = idOf(index);
    const ping = { roleId, filter: 'ssd '.repeat(400).trim(), kinds: [] };
    const subscription = aSubscription(`s${index}`, { filter: MEAN, pings: [ping] });
    return { roleId, name: `${MEAN} ${'x'.repeat(90)}`, uses: [1, 2, 3].map(() => ({ subscription, ping })), rings };
  });
}

test.each(LOCALES)('Discord takes the cards of pings, however many and long: %s', (locale) => {
  const context = { translator: translatorFor(locale), nowMs: NOW_MS };
  for (const count of [0, 1, 2, 25, 26, 249]) {
    const offered = offeredOf(count);
    const ids = offered.map(({ roleId }) => roleId);
    expectTakenByDiscord(pingsPanelCard(offered, { panelId, accent: null }, context));
    expectTakenByDiscord(pingsPanelCard(offeredOf(count, null), { panelId, accent: 0xff0000 }, context));
    expectTakenByDiscord(ownPingsCard({ offered, ownIds: ids, taken: ids, left: [], troubles: [], page: 1 }, context));
    const troubles = ids.slice(0, MOST_CHANGES).map((id) => message('takePings.unchanged', { role: `<@&${id}>` }));
    expectTakenByDiscord(ownPingsCard({ offered, ownIds: [], taken: [], left: ids, troubles, page: 50 }, context));
  }
  const url = 'https://discord.com/channels/1/2/3';
  const troubles = Array.from({ length: 249 }, (_, index) => message('role.above', { role: `<@&${idOf(index)}>` }));
  expectTakenByDiscord(panelPostedCard(url, [], context));
  expectTakenByDiscord(panelPostedCard(url, troubles, context));
  const [one] = offeredOf(1);
  const [use] = one?.uses ?? [];
  if (!one || !use) throw new Error('There is none.');
  const examples = [MEAN, MEAN, MEAN];
  const [often, unknown] = [
    { rings: 1_000, examples },
    { rings: null, examples },
  ];
  expectTakenByDiscord(readyRoleCard({ ...use, isMade: true, tried: often, trouble: null }, context));
  const trouble = message('role.unknown');
  expectTakenByDiscord(readyRoleCard({ ...use, isMade: false, tried: unknown, trouble }, context));
  const proposal = { ...use, name: 'x'.repeat(100), filter: use.ping.filter, tried: often };
  expectTakenByDiscord(proposedRoleCard({ ...proposal, same: { id: one.roleId, name: one.name } }, context));
  expectTakenByDiscord(proposedRoleCard({ ...proposal, tried: unknown, same: null }, context));
});

test('a panel without roles has no menu, and says so', () => {
  const card = pingsPanelCard([], { panelId, accent: null }, { translator: translatorFor('en-US'), nowMs: NOW_MS });
  expect(customIdsOf(card)).toEqual([]);
  expect(textOf(card)).toContain('There are no pings to choose yet.');
});

test('examples are shown as they are written, and do nothing', () => {
  const [one] = offeredOf(1);
  const [use] = one?.uses ?? [];
  if (!one || !use) throw new Error('There is none.');
  const view = { ...use, tried: { rings: 1, examples: [MEAN] }, trouble: null, isMade: true };
  const shown = textOf(readyRoleCard(view, { translator: translatorFor('en-US'), nowMs: NOW_MS }));
  expect(shown.split('\n').at(-1)).not.toMatch(/(?<!\\)<@|(?<!\\)\*\*/);
});
