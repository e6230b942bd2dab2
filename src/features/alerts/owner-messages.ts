import { type Client, DiscordAPIError, REST } from 'discord.js';
import { type APIApplication, type APIDMChannel, type APIMessage, MessageFlags, Routes } from 'discord-api-types/v10';
import type { Card } from '../../discord/cards/parts.ts';
import { ageMs } from '../../shared/clock.ts';
import { DAY_MS } from '../../shared/time.ts';

/** Why a message was not taken. */
interface NotTaken {
  error: unknown;
  /** Discord has answered that it doesn't take it, and would answer so again. */
  isRefused: boolean;
}

/** Sends messages to the person who owns the bot's application. */
export interface OwnerMessages {
  /** The owner's id; null before the first message, and where the messages go to a channel. */
  ownerId(): string | null;
  /**
   * Resolves with null where Discord took the message.
   * @param nonce at most 25 characters; Discord makes no second message of one that it has seen within minutes
   */
  send(card: Card, nonce: string): Promise<NotTaken | null>;
  /**
   * Sends a message unless one of the bot's with the same title stands among those of the last day, which any process
   * finds. Resolves as `send` does, and with `told` where one stands there. Needs to read the channel's messages.
   * @param title a line of the card that each such message has, and no other
   */
  sendOnceADay(card: Card, title: string, nowMs: number): Promise<NotTaken | 'told' | null>;
}

/** Messages that Discord lists at once. */
const PAGE = 100;

/**
 * @param channelId where to send them; null for direct messages to the owner, or to the owner of the owning team
 * @see https://discord.com/developers/docs/resources/message#create-message
 */
export function createOwnerMessages(
  { rest }: Pick<Client<true>, 'rest'>,
  channelId: string | null,
  signal: AbortSignal,
): OwnerMessages {
  let ownerId: string | null = null;
  const ask = () => ({ signal: AbortSignal.any([signal]) });

  async function place(): Promise<string> {
    if (channelId !== null) return channelId;
    // Asked each time: an application can be given to somebody else.
    const { owner, team } = (await rest.get(Routes.currentApplication(), ask())) as APIApplication;
    ownerId = team?.owner_user_id ?? owner?.id ?? null;
    const body = { recipient_id: ownerId };
    return ((await rest.post(Routes.userChannels(), { body, ...ask() })) as APIDMChannel).id;
  }

  async function post(to: string, { components }: Card, nonce: string): Promise<void> {
    const body = {
      flags: MessageFlags.IsComponentsV2,
      components,
      allowed_mentions: { parse: [] },
      nonce,
      enforce_nonce: true,
    };
    await rest.post(Routes.channelMessages(to), { body, ...ask() });
  }

  async function isTold(at: string, title: string, nowMs: number): Promise<boolean> {
    const { id: ownId } = (await rest.get(Routes.user(), ask())) as { id: string };
    const written = JSON.stringify(title).slice(1, -1);
    for (let before: string | undefined; ; ) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(before !== undefined && { before }) });
      const messages = (await rest.get(Routes.channelMessages(at), { query, ...ask() })) as APIMessage[];
      const recent = messages.filter(({ timestamp }) => ageMs(Date.parse(timestamp), nowMs) < DAY_MS);
      const isOne = ({ author, components }: APIMessage) =>
        author.id === ownId && JSON.stringify(components ?? []).includes(written);
      if (recent.some(isOne)) return true;
      if (recent.length < PAGE) return false;
      before = recent.at(-1)?.id;
    }
  }

  async function outcome<R>(run: () => Promise<R>): Promise<R | NotTaken> {
    try {
      return await run();
    } catch (error) {
      const isAnswer = error instanceof DiscordAPIError && error.status >= 400 && error.status < 500;
      return { error, isRefused: isAnswer };
    }
  }

  return {
    ownerId: () => ownerId,
    send: (card, nonce) =>
      outcome(async () => {
        await post(await place(), card, nonce);
        return null;
      }),
    sendOnceADay: (card, title, nowMs) =>
      outcome(async () => {
        const at = await place();
        if (await isTold(at, title, nowMs)) return 'told' as const;
        // Two processes at the same moment send the same nonce.
        await post(at, card, `day-${Math.floor(nowMs / DAY_MS)}`);
        return null;
      }),
  };
}

/**
 * The same without a client that has logged in.
 * @param api the REST API's base address; null for Discord's own
 */
export function createOwnerMessagesByToken(
  { token, api }: { token: string; api: string | null },
  channelId: string | null,
  signal: AbortSignal,
): OwnerMessages {
  const rest = new REST({ version: '10', ...(api !== null && { api }) }).setToken(token);
  return createOwnerMessages({ rest }, channelId, signal);
}
