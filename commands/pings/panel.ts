import { createHash } from 'node:crypto';
import type { Guild } from 'discord.js';
import { ApplicationCommandOptionType, ChannelType } from 'discord-api-types/v10';
import { lookOf } from '../../src/deals/look.ts';
import { pingsPanelCard } from '../../src/discord/cards/member-pings-card.ts';
import { type Card, linesOf, noticeCard } from '../../src/discord/cards/parts.ts';
import type { Courier, Message } from '../../src/discord/courier.ts';
import { messageUrl } from '../../src/discord/format.ts';
import { described } from '../../src/discord/i18n/command-words.ts';
import { message, type Translator } from '../../src/discord/i18n/translator.ts';
import { requirePostable } from '../../src/discord/permissions.ts';
import { lackToGiveRoles, mayManageRole, takingTrouble } from '../../src/discord/roles.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { Log } from '../../src/shared/log.ts';
import type { PingsPanelStore } from '../../src/store/server-records.ts';
import type { CommandServices, Subcommand } from '../shared.ts';
import { offeredPings, rungRoles } from './offered.ts';

/** Posts the message in which members take roles, or moves it to another channel. */
export const panel: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'panel',
    ...described('command.pings.panel'),
    options: [
      {
        type: ApplicationCommandOptionType.Channel,
        name: 'channel',
        ...described('command.pings.panel.channel'),
        channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
      },
    ],
  },
  async execute({ options, guild, channelId, member, services, translator, t }) {
    if (!guild || !mayManageRole(guild, member, null)) throw new UserError(message('takePings.needsManageRoles'));
    const lack = lackToGiveRoles(guild);
    if (lack) throw new UserError(lack);
    const where = options.getChannel('channel')?.id ?? channelId ?? '';
    const { target, channel } = await requirePostable(guild, where);
    if (target !== 'channel') throw new UserError(message('takePings.wrongChannel'));
    const troubles = rungRoles(guild.id, services).flatMap((roleId) => takingTrouble(guild, roleId) ?? []);
    const url = await services.pingsPanels.put(guild, channel.id);
    return noticeCard(
      linesOf([t('takePings.posted', { url }), ...troubles.map((trouble) => `⚠ ${translator.translate(trouble)}`)]),
    );
  },
};

interface PanelParts {
  panels: PingsPanelStore;
  services: Pick<CommandServices, 'subscriptions' | 'explainer' | 'looks' | 'clock'>;
  courier: Pick<Courier, 'post' | 'edit' | 'remove'>;
  /** The server as the gateway told of it. */
  guildOf: (guildId: string) => Guild | undefined;
  translatorOf: (guild: Guild) => Translator;
  log: Log;
}

/** The panels of all servers: one each, which follows the server's subscriptions and roles. */
export class PingsPanels {
  readonly #parts: PanelParts;
  /** The servers whose panel may be out of date. */
  readonly #due: Set<string>;

  constructor(parts: PanelParts) {
    this.#parts = parts;
    this.#due = new Set(parts.panels.guildIds());
    parts.services.subscriptions.onChange((_, after, before) => {
      for (const changed of [after, before]) if (changed) this.touch(changed.guildId);
    });
  }

  /** Looks at a server's panel again at the next `refresh`. */
  touch(guildId: string): void {
    this.#due.add(guildId);
  }

  touchAll(): void {
    for (const guildId of this.#parts.panels.guildIds()) this.touch(guildId);
  }

  /**
   * Posts a server's panel, and deletes the one before. Resolves with its address.
   * @throws UserError where Discord doesn't take it
   */
  async put(guild: Guild, channelId: string): Promise<string> {
    const { panels, courier, services } = this.#parts;
    const shown = await this.#messageFor(guild);
    const former = panels.get(guild.id);
    const outcome = await courier.post({
      ...shown,
      channelId,
      deliveryId: digestOf(`${guild.id} ${channelId} ${services.clock.now()}`),
      title: '',
      tagIds: [],
      isSilent: true,
    });
    if (outcome.kind !== 'sent') throw new UserError(message('takePings.notPosted'));
    await panels.save(guild.id, { ...outcome.place, digest: digestOf(shown.card) });
    if (former) await courier.remove(former, guild.id);
    return messageUrl(guild.id, outcome.place);
  }

  /** Edits the panels that are out of date. Those that moderators have deleted are forgotten. */
  async refresh(): Promise<void> {
    const due = Array.from(this.#due);
    // What changes from here on, and what fails, is for the next refresh.
    this.#due.clear();
    for (const guildId of due) await this.#follow(guildId);
  }

  /** Edits one panel where it shows something else by now. */
  async #follow(guildId: string): Promise<void> {
    const { panels, courier, guildOf, log } = this.#parts;
    const panel = panels.get(guildId);
    const guild = guildOf(guildId);
    if (!panel || !guild) return;
    const shown = await this.#messageFor(guild);
    const digest = digestOf(shown.card);
    if (digest === panel.digest) return;
    const outcome = await courier.edit(panel, shown);
    if (outcome.kind === 'done') return panels.save(guildId, { ...panel, digest });
    if (outcome.kind === 'missing' || outcome.kind === 'gone') return panels.remove(guildId);
    log.warn({ guild: guildId, outcome: outcome.kind, reason: outcome.reason }, 'a panel of pings could not be edited');
    if (outcome.kind === 'later' || outcome.kind === 'unknown') this.touch(guildId);
  }

  async #messageFor(guild: Guild): Promise<Message> {
    const { services, translatorOf } = this.#parts;
    const { accent } = lookOf(services.looks.of(guild.id));
    const context = { translator: translatorOf(guild), nowMs: services.clock.now() };
    const card: Card = pingsPanelCard(await offeredPings(guild, services), accent, context);
    return { guildId: guild.id, card, mentionRoleIds: [] };
  }
}

/** 25 characters that stand for a value: a nonce takes no more. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 25);
}
