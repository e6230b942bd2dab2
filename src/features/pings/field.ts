import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { z } from 'zod';
import type { FeatureField, ManagerRequest } from '../../../commands/shared.ts';
import { InputError } from '../../../commands/typed-options.ts';
import { ANNOUNCEMENT_KINDS } from '../../announcements/kinds/index.ts';
import { parseFilter } from '../../deals/filter/index.ts';
import { setKey } from '../../deals/same-request.ts';
import type { PartsOfFiles } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { factsOf, roleMenu } from '../../discord/cards/parts.ts';
import { kindNames } from '../../discord/cards/subscription-lines.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message, type Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { inlineCode } from '../../discord/markdown.ts';
import { mayManageRole, requireRole } from '../../discord/permissions.ts';
import { step } from './actions.ts';
import { MOST_PINGS, offeredBy, type Ping, pingsOf, stillOffered, withPing } from './ping.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);
const MOST_FILTER = 60;

/** The roles that posts of a subscription mention. An option names one, which is pinged with each post besides the others; a file lists them. */
export const PINGS: FeatureField = {
  field: 'pings',
  name: 'pings',
  kind: 'field',
  usual: undefined,
  after: 'most-per-hour',
  option: {
    data: { type: ApplicationCommandOptionType.Role, name: 'role', ...described('command.setting.role') },
    rank: 2,
  },
  async read(roleId, guild) {
    requireRole(guild, roleId);
    return (before) => {
      const pings = withPing(pingsOf(before), { roleId, filter: '', kinds: [] }, roleId);
      requireFewPings('role', pings);
      return { ...before, pings };
    };
  },
  savedBy: offered,
  requireUsable(subscription, guild) {
    for (const { roleId } of pingsOf(subscription)) requireRole(guild, roleId);
  },
  menu(subscription, { guild, t }) {
    const roleIds = pingsOf(subscription).map(({ roleId }) => roleId);
    const there = roleIds.filter((roleId) => guild?.roles.cache.has(roleId));
    const action = step({ do: 'subscription', step: 'role', subscriptionId: subscription.id });
    return roleMenu(action, t('panel.chooseRoles'), there, MOST_PINGS);
  },
  line(value, translator) {
    const pings = asPings(value);
    if (pings.length === 0) return translator.t('panel.noSetting.role');
    const roles = pings.map((ping) => pingInShort(ping, translator)).join(', ');
    return translator.t('panel.setting.role', { roles });
  },
  inShort: (value) =>
    asPings(value)
      .map(({ roleId }) => `<@&${roleId}>`)
      .join(' ') || null,
  meaning: (value) => setKey(asPings(value).map(pingKey)),
  inFiles: {
    names: ['role', 'filter', 'kinds'],
    schema,
    written(stored) {
      const pings = asPings(stored);
      return pings.length > 0 ? pings.map(entryOf).toSorted((a, b) => (a.role < b.role ? -1 : 1)) : undefined;
    },
    kept: (value, former) => stillOffered(asPings(value), asPings(former)),
    roles: { most: MOST_PINGS, entry: (role, filter) => ({ role, ...(filter !== '' && { filter }) }) },
  },
};

/** @throws InputError where a subscription can't have that many */
export function requireFewPings(option: string, pings: readonly Ping[]): void {
  if (pings.length > MOST_PINGS) throw new InputError([option], message('ping.tooMany', { most: MOST_PINGS }));
}

/** The subscription, its roles offered to members that were before or that the person may give. */
function offered(subscription: Subscription, { guild, member }: ManagerRequest): Subscription {
  const pings = offeredBy(pingsOf(subscription), (roleId) => mayManageRole(guild, member, roleId));
  return { ...subscription, pings };
}

/** `@SSDs (ssd price:<80 · Price drop)`: a ping, with what it is limited to. */
function pingInShort({ roleId, filter, kinds }: Ping, translator: Translator): string {
  const only = factsOf([
    filter !== '' && inlineCode(clamp(filter, MOST_FILTER)),
    kinds.length > 0 && kindNames(kinds, translator),
  ]);
  return `<@&${roleId}>${only && ` (${only})`}`;
}

// The field holds nothing else: `RECORDS` and `schema` read it.
const asPings = (value: unknown) => (value ?? []) as Ping[];

const pingKey = ({ roleId, kinds, filter }: Ping) => JSON.stringify([roleId, setKey(kinds), meaningOf(filter)]);

/** Equal for filters that take the same. */
function meaningOf(filter: string): string {
  const parsed = parseFilter(filter);
  return parsed.ok ? parsed.filter.canonical : filter;
}

function schema({ id, filter, kinds }: PartsOfFiles) {
  const ping = z
    .strictObject({ role: id, filter: filter.default(''), kinds: kinds.default([]) })
    .transform(({ role: roleId, ...rest }): Ping => ({ roleId, ...rest }));
  return z
    .array(ping)
    .max(MOST_PINGS)
    .transform((pings, context) => {
      const again = pings.find(({ roleId }, index) => pings.findIndex((other) => other.roleId === roleId) < index);
      if (!again) return pings;
      context.addIssue({ code: 'custom', params: { mistake: message('ping.twice', { role: again.roleId }) } });
      return z.NEVER;
    });
}

function entryOf({ roleId, filter, kinds }: Ping) {
  return {
    role: roleId,
    ...(filter !== '' && { filter }),
    ...(kinds.length > 0 && { kinds: ANNOUNCEMENT_KINDS.filter((kind) => kinds.includes(kind)) }),
  };
}
