import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Guild } from 'discord.js';
import { ApplicationCommandOptionType, ChannelType } from 'discord-api-types/v10';
import type { Subcommand } from '../../../commands/shared.ts';
import type { AppearanceOf } from '../../announcements/deliver/parts.ts';
import type { Ending, Upkeep, UpkeepRequest } from '../../announcements/deliver/upkeep.ts';
import type { Explainer } from '../../announcements/explain/explain.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { Courier, Message } from '../../discord/courier.ts';
import { messageUrl } from '../../discord/format.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message, type Translator } from '../../discord/i18n/translator.ts';
import type { Failure } from '../../discord/outcome.ts';
import { eachOnce, mayManageRole, requirePostable } from '../../discord/permissions.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import { panelIdOf } from './actions.ts';
import { panelPostedCard, pingsPanelCard } from './member-cards.ts';
import { offeredPings, troublesOf } from './offered.ts';
import { offeredBy, pingsOf } from './ping.ts';
import type { PingsPanel, PingsPanelStore, Rings } from './records.ts';
import { lackToGiveRoles } from './roles.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

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
  async execute({ options, guild, channelId, member, services, cardContext }) {
    if (!guild || !mayManageRole(guild, member, null)) throw new UserError(message('takePings.needsManageRoles'));
    const lack = lackToGiveRoles(guild);
    if (lack) throw new UserError(lack);
    const where = options.getChannel('channel')?.id ?? channelId ?? '';
    const { target, channel } = await requirePostable(guild, where);
    if (target !== 'channel') throw new UserError(message('takePings.wrongChannel'));
    await offer(guild, member, services.subscriptions);
    const troubles = [...troublesOf(guild, services.subscriptions).values()].filter((trouble) => trouble !== null);
    const url = await services.pingsPanels.put(guild, channel.id);
    return panelPostedCard(url, eachOnce(troubles), cardContext);
  },
};

/** Offers the roles to members that the person may give. */
async function offer(guild: Guild, member: unknown, subscriptions: SubscriptionStore) {
  const offering = ({ pings = [] }: Pick<Subscription, 'pings'>) =>
    offeredBy(pings, (roleId) => mayManageRole(guild, member, roleId));
  const changed = subscriptions.ofGuild(guild.id).filter((one) => !isDeepStrictEqual(offering(one), pingsOf(one)));
  for (const { id } of changed) await subscriptions.update(id, (before) => ({ ...before, pings: offering(before) }));
}

type PlacedPanel = PingsPanel & { messageId: string };

function isPlaced(panel: PingsPanel): panel is PlacedPanel {
  return panel.messageId !== null;
}

interface PanelParts {
  panels: PingsPanelStore;
  subscriptions: SubscriptionStore;
  rings: Rings;
  explainer: Explainer;
  courier: Courier;
  upkeep: Upkeep;
  appearanceOf: AppearanceOf;
  /** The server as the gateway describes it. */
  guildOf: (guildId: string) => Guild | undefined;
  translatorOf: (guild: Guild) => Translator;
  clock: Clock;
  log: Log;
}

/**
 * The panels of all servers: one each, which follows the server's subscriptions and roles. What is to stand is recorded
 * first, and then made so, by the same steps after a request whose outcome is unknown or a restart.
 */
export class PingsPanels {
  readonly #parts: PanelParts;
  /** The servers whose panel may be out of date. */
  readonly #due: Set<string>;
  /** The last work on each server's panels: one thing is done after another. */
  readonly #work = new Map<string, Promise<unknown>>();

  constructor(parts: PanelParts) {
    this.#parts = parts;
    this.#due = new Set(parts.panels.guildIds());
    parts.subscriptions.onChange((_, after, before) => {
      for (const changed of [after, before]) if (changed) this.touch(changed.guildId);
    });
  }

  /** Looks at a server's panel again at the next `refresh`. */
  touch(guildId: string): void {
    this.#due.add(guildId);
  }

  /** Whether members of the server choose their pings on a panel. */
  isIn(guildId: string): boolean {
    return this.#parts.panels.of(guildId).length > 0;
  }

  touchAll(): void {
    for (const guildId of this.#parts.panels.guildIds()) this.touch(guildId);
  }

  /**
   * Posts a server's panel, and deletes the one before. Resolves with its address.
   * @throws UserError where Discord doesn't take it
   */
  put(guild: Guild, channelId: string): Promise<string> {
    return this.#alone(guild.id, async () => {
      const { panels } = this.#parts;
      // Whatever is unknown of the last one is found out before it becomes the one before.
      await this.#follow(guild);
      if (panels.of(guild.id).some((panel) => !isPlaced(panel))) throw notPosted();
      const channel = guild.channels.cache.get(channelId);
      const afterId = channel?.isTextBased() ? channel.lastMessageId : null;
      // It's the nonce, too, which has at most 25 characters.
      const id = randomBytes(16).toString('base64url');
      const wanted = { id, channelId, afterId, messageId: null, digest: '' };
      await panels.update(guild.id, (before) => [...before, wanted]);
      await this.#follow(guild);
      const messageId = panels.of(guild.id).find((panel) => panel.id === id)?.messageId;
      if (!messageId) throw notPosted();
      return messageUrl(guild.id, { channelId, messageId });
    });
  }

  /** Brings the panels up to date that may not be. Those that moderators have deleted are forgotten. */
  async refresh(): Promise<void> {
    // The next refresh takes what changes from here on, and what fails.
    for (const guildId of Array.from(this.#due)) {
      this.#due.delete(guildId);
      const guild = this.#parts.guildOf(guildId);
      if (!guild) continue;
      await this.#alone(guildId, () => this.#follow(guild)).catch((error: unknown) => {
        this.touch(guildId);
        throw error;
      });
    }
  }

  /** Makes it so that the last panel of a server stands and is up to date, and that those before it are gone. */
  async #follow(guild: Guild): Promise<void> {
    const { panels } = this.#parts;
    const last = panels.of(guild.id).at(-1);
    if (!last) return;
    const stands = await (isPlaced(last) ? this.#update(guild, last) : this.#place(guild, last));
    if (!stands) return;
    for (const former of panels.of(guild.id).slice(0, -1)) await this.#remove(guild, former);
  }

  async #remove(guild: Guild, former: PingsPanel): Promise<void> {
    const { panels, courier } = this.#parts;
    const without = (before: readonly PingsPanel[]) => before.filter(({ id }) => id !== former.id);
    if (!isPlaced(former)) return panels.update(guild.id, without);
    await this.#keepUp(guild, former, {
      key: `panel/${former.id}/deleted`,
      done: 'deleted',
      send: () => courier.remove(former, guild.id),
      end: (changes) => panels.change(changes, guild.id, without),
    });
  }

  /**
   * Makes a request about a panel that stands. The next refresh repeats one without an answer; one that lacks permissions
   * waits until something changes in the server: Discord bans bots that keep asking.
   */
  async #keepUp(
    { id: guildId }: Guild,
    { id: panel }: PlacedPanel,
    request: Pick<UpkeepRequest, 'key' | 'done' | 'send' | 'end'>,
  ): Promise<Ending | null> {
    const { upkeep, clock } = this.#parts;
    if (upkeep.againAtMs(request.key) > clock.now()) {
      this.touch(guildId);
      return null;
    }
    const logged = { guild: guildId, panel };
    const { ending, result } = await upkeep.make({ logged, about: null, ...request });
    if (ending === null && result.kind !== 'blocked') this.touch(guildId);
    return ending;
  }

  /** Posts a panel, unless the channel has it: an earlier request may have arrived. */
  async #place(guild: Guild, panel: PingsPanel): Promise<boolean> {
    const { courier } = this.#parts;
    const { id, channelId, afterId } = panel;
    const found = await courier.findPosted(channelId, afterId, undefined, panelIdOf);
    if (found.kind !== 'found') return this.#failed(guild, panel, found, ['gone', 'unfound']);
    const standing = found.posted.get(id);
    if (standing) {
      await this.#change(guild, panel, { messageId: standing.messageId });
      return this.#update(guild, { ...panel, ...standing });
    }
    const shown = await this.#messageFor(guild, panel);
    const sent = await courier.post({
      ...shown,
      channelId,
      deliveryId: id,
      title: '',
      tagIds: [],
      isSilent: true,
      isForFollowers: false,
    });
    if (sent.kind !== 'sent') return this.#failed(guild, panel, sent, NEVER_POSTED);
    await this.#change(guild, panel, { messageId: sent.place.messageId, digest: digestOf(shown.card) });
    return true;
  }

  /** Edits a panel where it shows something else by now. */
  async #update(guild: Guild, panel: PlacedPanel): Promise<boolean> {
    const shown = await this.#messageFor(guild, panel);
    const digest = digestOf(shown.card);
    if (digest === panel.digest) return true;
    const { panels, courier } = this.#parts;
    const ending = await this.#keepUp(guild, panel, {
      key: `panel/${panel.id}/${digest}`,
      done: 'edited',
      send: () => courier.edit(panel, shown),
      end: (changes, how) => {
        if (how === 'done') panels.change(changes, guild.id, (before) => changed(before, panel, { digest }));
        else if (how !== 'refused')
          panels.change(changes, guild.id, (before) => before.filter(({ id }) => id !== panel.id));
      },
    });
    // Where it doesn't stand any more, the one before is the last again.
    if (ending === 'missing' || ending === 'gone') this.touch(guild.id);
    return ending === 'done';
  }

  /** Forgets a panel after one of these outcomes. Then the one before it is the last again. */
  async #failed(
    { id: guildId }: Guild,
    { id }: PingsPanel,
    failure: Failure,
    endings: readonly Failure['kind'][],
  ): Promise<false> {
    const { panels, log } = this.#parts;
    const { kind: outcome, reason } = failure;
    const isOver = endings.includes(outcome);
    if (isOver) await panels.update(guildId, (before) => before.filter((panel) => panel.id !== id));
    else log.warn({ guild: guildId, outcome, reason }, 'a panel of pings could not be brought up to date');
    if (isOver || outcome === 'later' || outcome === 'unknown') this.touch(guildId);
    return false;
  }

  async #change({ id: guildId }: Guild, { id }: PingsPanel, change: Partial<PingsPanel>): Promise<void> {
    await this.#parts.panels.update(guildId, (before) => changed(before, { id }, change));
  }

  async #messageFor(guild: Guild, { id }: PingsPanel): Promise<Message> {
    const { appearanceOf, translatorOf, clock } = this.#parts;
    const look = { panelId: id, accent: appearanceOf(guild.id, undefined).accent };
    const context = { translator: translatorOf(guild), nowMs: clock.now() };
    const card: Card = pingsPanelCard(await offeredPings(guild, this.#parts, context.nowMs), look, context);
    return { guildId: guild.id, card, mentionRoleIds: [] };
  }

  /** Runs the work on a server's panels once the work before it has ended, however it did. */
  async #alone<R>(guildId: string, run: () => Promise<R>): Promise<R> {
    const before = this.#work.get(guildId);
    const work = (before ?? Promise.resolve()).then(run, run);
    this.#work.set(guildId, work);
    try {
      return await work;
    } finally {
      if (this.#work.get(guildId) === work) this.#work.delete(guildId);
    }
  }
}

/** The panels, with a change of one. */
function changed(
  before: readonly PingsPanel[],
  { id }: Pick<PingsPanel, 'id'>,
  change: Partial<PingsPanel>,
): readonly PingsPanel[] {
  return before.map((panel) => (panel.id === id ? { ...panel, ...change } : panel));
}

/** The outcomes after which a message doesn't stand in its channel. */
const NEVER_POSTED: readonly Failure['kind'][] = ['gone', 'unfound', 'missing', 'blocked', 'refused'];

const notPosted = () => new UserError(message('takePings.notPosted'));

/** Stands for a value. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
