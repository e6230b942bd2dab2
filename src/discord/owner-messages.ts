import type { Client } from 'discord.js';
import { type APIApplication, type APIDMChannel, MessageFlags, Routes } from 'discord-api-types/v10';
import type { Card } from './cards/parts.ts';

/** Sends messages to the person who owns the bot's application. */
export interface OwnerMessages {
  /** The owner's id; null before the first message, and where the messages go to a channel. */
  ownerId(): string | null;
  /**
   * Resolves with whether Discord took the message.
   * @param nonce at most 25 characters; Discord makes no second message of one that it has seen within minutes
   */
  send(card: Card, nonce: string): Promise<boolean>;
}

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

  async function directChannel(): Promise<string> {
    // Asked each time: an application can be given to somebody else.
    const { owner, team } = (await rest.get(Routes.currentApplication(), ask())) as APIApplication;
    ownerId = team?.owner_user_id ?? owner?.id ?? null;
    const body = { recipient_id: ownerId };
    return ((await rest.post(Routes.userChannels(), { body, ...ask() })) as APIDMChannel).id;
  }

  return {
    ownerId: () => ownerId,
    async send({ components }, nonce) {
      try {
        const body = {
          flags: MessageFlags.IsComponentsV2,
          components,
          allowed_mentions: { parse: [] },
          nonce,
          enforce_nonce: true,
        };
        await rest.post(Routes.channelMessages(channelId ?? (await directChannel())), { body, ...ask() });
        return true;
      } catch {
        return false;
      }
    },
  };
}
