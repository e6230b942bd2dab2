import { type Client, DiscordAPIError, type REST } from 'discord.js';
import {
  type APIMessage,
  MessageFlags,
  RESTJSONErrorCodes,
  type RESTPostAPIChannelMessageJSONBody,
  Routes,
} from 'discord-api-types/v10';
import type { Card } from './cards/parts.ts';
import { deliveryIdOf } from './custom-id.ts';

/** How a try to post ended. */
export type Outcome =
  | { kind: 'sent'; messageId: string }
  /** The channel is no more. */
  | { kind: 'gone'; reason: string }
  /** The bot may not post there now; a permission can bring it back. */
  | { kind: 'blocked'; reason: string }
  /** Discord takes this message from nobody: trying again changes nothing. */
  | { kind: 'refused'; reason: string }
  /** Nobody knows whether the message is there. */
  | { kind: 'unknown'; reason: string };

/** Posts announcements and finds those that are there. Outcomes are values; nothing is thrown. */
export interface Courier {
  post(channelId: string, card: Card, deliveryId: string): Promise<Outcome>;
  /**
   * The message ids by delivery id of what the bot has posted in a channel since `sinceMs`, or null where the channel
   * can't be read just now.
   */
  findPosted(channelId: string, sinceMs: number): Promise<ReadonlyMap<string, string> | null>;
}

/** Most messages that one request brings. */
const MESSAGES_PAGE = 100;
/** Clocks differ: reading starts this much earlier. */
const CLOCK_SKEW_MS = 10 * 60_000;
/** The first moment of Discord's ids. @see https://discord.com/developers/docs/reference#snowflakes */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Problems by Discord's error code; the words for people are under `problem.…`. */
const GONE = new Map<number | string, string>([
  [RESTJSONErrorCodes.UnknownChannel, 'channel-gone'],
  [RESTJSONErrorCodes.UnknownGuild, 'server-gone'],
]);
const BLOCKED = new Map<number | string, string>([
  [RESTJSONErrorCodes.MissingAccess, 'cannot-see'],
  [RESTJSONErrorCodes.MissingPermissions, 'cannot-post'],
]);

/**
 * A courier over the REST part of a logged-in client.
 * @param signal gives up what is under way
 */
export function createCourier(client: Client<true>, signal: AbortSignal): Courier {
  const rest: REST = client.rest;
  const givenUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // It may come when nothing is under way.
  givenUp.catch(() => undefined);
  // discord.js looks at the signal only after it has waited for its turn; a stop does not wait that long.
  const orGivenUp = <T>(request: Promise<T>) => Promise.race([request, givenUp]);

  return {
    async post(channelId, card, deliveryId) {
      const body: RESTPostAPIChannelMessageJSONBody = {
        flags: MessageFlags.IsComponentsV2,
        components: card.components,
        allowed_mentions: { parse: [] },
        // Discord itself refuses a repeat for some minutes, and discord.js repeats a POST that was answered with 5xx.
        nonce: deliveryId,
        enforce_nonce: true,
      };
      try {
        const message = (await orGivenUp(rest.post(Routes.channelMessages(channelId), { body, signal }))) as APIMessage;
        return { kind: 'sent', messageId: message.id };
      } catch (error) {
        return outcomeOf(error);
      }
    },

    async findPosted(channelId, sinceMs) {
      const posted = new Map<string, string>();
      let after = BigInt(Math.max(0, sinceMs - CLOCK_SKEW_MS - DISCORD_EPOCH_MS)) << 22n;
      try {
        for (;;) {
          const query = new URLSearchParams({ limit: String(MESSAGES_PAGE), after: String(after) });
          const page = (await orGivenUp(
            rest.get(Routes.channelMessages(channelId), { query, signal }),
          )) as APIMessage[];
          for (const message of page) {
            if (BigInt(message.id) > after) after = BigInt(message.id);
            if (message.author.id !== client.user.id) continue;
            for (const deliveryId of deliveryIdsIn(message.components)) posted.set(deliveryId, message.id);
          }
          if (page.length < MESSAGES_PAGE) return posted;
        }
      } catch (error) {
        // A channel that may not be read hides what is in it for good: the nonce alone guards against a repeat there.
        return error instanceof DiscordAPIError && error.status < 500 ? posted : null;
      }
    },
  };
}

function outcomeOf(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error);
  if (!(error instanceof DiscordAPIError) || error.status >= 500) return { kind: 'unknown', reason };
  const gone = GONE.get(error.code);
  if (gone !== undefined) return { kind: 'gone', reason: gone };
  const blocked = BLOCKED.get(error.code);
  if (blocked !== undefined) return { kind: 'blocked', reason: blocked };
  if (error.status === 400) return { kind: 'refused', reason };
  return { kind: 'unknown', reason };
}

/** Every delivery id that stands in a component, however deep. */
function deliveryIdsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(deliveryIdsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    if (name !== 'custom_id' || typeof child !== 'string') return deliveryIdsIn(child);
    const id = deliveryIdOf(child);
    return id === null ? [] : [id];
  });
}
