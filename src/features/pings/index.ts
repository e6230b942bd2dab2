import type { Feature } from '../../app/feature.ts';
import type { BotClient } from '../../discord/client.ts';
import { eachOnce, knownTarget, roleTroubles } from '../../discord/permissions.ts';
import type { FeatureStores } from '../../store/store.ts';
import { act } from './actions.ts';
import { pings as command } from './command.ts';
import { roleHandlers } from './edit.ts';
import { PINGS } from './field.ts';
import { MENTIONS } from './mentions.ts';
import { shownTroubles } from './offered.ts';
import { PingsPanels } from './panel.ts';
import { settlePendingRoles } from './pending-roles.ts';
import { pingsOf } from './ping.ts';
import { RECORDS } from './records.ts';
import { checkServer } from './setup.ts';
import { RoleChanges } from './take.ts';
import { WORDS } from './words/index.ts';

/** The roles that posts ring: of each subscription some, with filters; members take and leave them. */
export const pings: Feature = {
  name: 'pings',
  words: WORDS,
  records: RECORDS,
  fields: [PINGS],
  handlers: [roleHandlers],
  commands: [command],
  commandsBefore: 'status',
  panelButtons: [
    {
      row: 'actions',
      isFirst: true,
      label: (translator) => translator.t('button.pings'),
      action: (subscriptionId) => act({ do: 'pings', subscriptionId }),
    },
  ],
  async troubles(subscription, { guild, services, isManager }) {
    const roleIds = pingsOf(subscription).map(({ roleId }) => roleId);
    const ofRoles = await roleTroubles(guild, roleIds, knownTarget(guild, subscription.channelId));
    // Members are told no role's permissions.
    const ofTaking = isManager ? shownTroubles(subscription, guild, services).values() : [];
    return eachOnce([...ofRoles.values(), ...ofTaking]);
  },
  checkServer,
  start({ store, client, explainer, courier, deliverer, appearanceOf, translators, clock, log }) {
    const { pingsPanels, pendingRoles, rings, subscriptions } = store;
    const guildOf = (guildId: string) => client.guilds.cache.get(guildId);
    const panels = new PingsPanels({
      panels: pingsPanels,
      subscriptions,
      rings,
      explainer,
      courier,
      upkeep: deliverer.upkeep,
      appearanceOf,
      guildOf,
      translatorOf: ({ preferredLocale }) => translators(preferredLocale),
      clock,
      log,
    });
    followServers(client, panels);
    return {
      post: {
        mentions: {
          ...MENTIONS,
          noteMentioned: (changes, channelId, roleIds) => rings.note(changes, channelId, roleIds, clock.now()),
        },
      },
      services: { roleChanges: new RoleChanges(), pingsPanels: panels, pendingRoles, rings },
      jobs: [
        {
          name: 'pings',
          cron: '* * * * *',
          async run() {
            await settlePendingRoles({ store, guildOf, translators, nowMs: clock.now() });
            await panels.refresh();
          },
        },
        // How often roles were rung is of the last seven days.
        { name: 'pings-week', cron: '17 9 * * *', run: async () => panels.touchAll() },
      ],
    };
  },
};

/** Looks at a panel again after each change of its server's roles and channels. */
function followServers(client: BotClient, panels: PingsPanels): void {
  client.on('roleUpdate', (_, { guild }) => panels.touch(guild.id));
  client.on('roleDelete', ({ guild }) => panels.touch(guild.id));
  // Discord sends the server alone for all that changed while the gateway was away.
  client.on('guildAvailable', ({ id }) => panels.touch(id));
  client.on('guildCreate', ({ id }) => panels.touch(id));
  // Without the privileged intent, this is the bot itself: its highest role decides which roles it can give.
  client.on('guildMemberUpdate', (_, { guild }) => panels.touch(guild.id));
  // Members can take a role only while no channel allows it anything.
  client.on('channelCreate', ({ guild }) => panels.touch(guild.id));
  client.on('channelUpdate', (_, channel) => 'guild' in channel && panels.touch(channel.guild.id));
  client.on('channelDelete', (channel) => 'guild' in channel && panels.touch(channel.guild.id));
  client.on('guildUpdate', (_, { id }) => panels.touch(id));
}

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    roleChanges: RoleChanges;
    /** The messages in which members take roles. */
    pingsPanels: PingsPanels;
    /** The roles that are being made. */
    pendingRoles: FeatureStores['pendingRoles'];
    /** How often roles were rung. */
    rings: FeatureStores['rings'];
  }
}
