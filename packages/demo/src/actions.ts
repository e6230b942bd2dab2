import { z } from 'zod';
import type { DemoAction, DemoPlace, DemoResult, DemoState, LocalDiscord } from '../../local-discord/src/index.ts';
import { CHANNEL, newChannel, REQUIRE_TAG } from '../../local-discord/src/index.ts';
import type { AlterableStore } from './alterable-store.ts';
import type { NewestOffer } from './newest-offer.ts';
import { NAMES } from './places.ts';

/** An action that can't be done now, in a sentence for the person who asked for it. */
export class ActionRefused extends Error {}

const LOCALES = ['en-US', 'de', 'fr', 'es-ES'] as const;

export const actionSchema: z.ZodType<DemoAction> = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('offer'),
    messageId: z.string(),
    change: z.enum(['sell-out', 'drop-price', 'end', 'bring-back']),
  }),
  z.object({ do: z.enum(['kill', 'cut-discord', 'cut-catalog', 'fail-requests', 'recover']) }),
  z.object({ do: z.literal('time'), to: z.enum(['pause', 'normal', 'fast', 'evening', 'morning', 'midnight']) }),
  z.object({ do: z.literal('quota'), as: z.enum(['real', 'unlimited', 'used-up']) }),
  z.object({
    do: z.literal('permissions'),
    change: z.enum(['canSend', 'needsTag', 'isLocked', 'isDeleted', 'othersPublish']),
    is: z.boolean(),
  }),
  z.object({ do: z.literal('server-locale'), locale: z.enum(LOCALES) }),
  z.object({ do: z.literal('person-locale'), personId: z.string(), locale: z.enum(LOCALES) }),
  z.object({ do: z.literal('direct-message'), personId: z.string() }),
]);

/** All that Discord allows in a channel. */
const PUBLICATIONS_PER_HOUR = 10;

/** Each time that a price drops, by this share: more than the least drop that is announced. */
const PRICE_DROP = 0.2;

/** Changes the offer of a post. */
export function alterOffer(
  { messageId, change }: Extract<DemoAction, { do: 'offer' }>,
  { newest, store }: { newest: NewestOffer; store: AlterableStore },
): DemoResult {
  const post = newest.choose(messageId);
  if (!post) throw new ActionRefused('That offer is too old to change. Take the newest one.');
  const before = store.alteration(post.offerId);
  const state = newest.stateOf(post);
  if (change === 'bring-back') {
    if (state === 'live') throw new ActionRefused("It's on sale. Sell it out first.");
    store.alter(post.offerId, { ...before, isSoldOut: false, isEnded: false });
    if (newest.stateOf(post) !== 'live') throw new ActionRefused('It ended by itself and stays over.');
  } else if (state === 'ended') {
    throw new ActionRefused("It's over. Bring it back first.");
  } else if (change === 'drop-price') {
    if (state === 'sold out') throw new ActionRefused("It's sold out. Bring it back first.");
    store.alter(post.offerId, { ...before, priceShare: before.priceShare * (1 - PRICE_DROP) });
  } else {
    store.alter(post.offerId, { ...before, ...(change === 'end' ? { isEnded: true } : { isSoldOut: true }) });
  }
  return { shown: { channelId: post.channelId, messageId: post.messageId } };
}

/** The permissions as they stand in the demo's channels, and the levers that change them. */
export function createPermissions(discord: LocalDiscord, ids: Readonly<Record<DemoPlace, string>>) {
  const find = (id: string) => discord.channels().find((channel) => channel.id === id);

  return {
    state(): DemoState['permissions'] {
      const [deals, forum, thread] = [find(ids.deals), find(ids.forum), find(ids.thread)];
      const overwrites = deals && 'permission_overwrites' in deals ? (deals.permission_overwrites ?? []) : [];
      return {
        canSend: overwrites.length === 0,
        needsTag: ((forum?.flags ?? 0) & REQUIRE_TAG) !== 0,
        isLocked: thread && 'thread_metadata' in thread ? thread.thread_metadata?.locked === true : false,
        isDeleted: find(ids.events) === undefined,
        othersPublish: discord.othersPublish > 0,
      };
    },
    change(what: keyof DemoState['permissions'], is: boolean): DemoResult {
      const shown = (channelId: string | null) => ({
        shown: channelId === null ? null : { channelId, messageId: null },
      });
      switch (what) {
        case 'canSend':
          discord.setPermissions(ids.deals, is ? {} : { deny: ['sendMessages'] });
          return shown(ids.deals);
        case 'needsTag':
          discord.requireTag(ids.forum, is);
          return shown(ids.forum);
        case 'isLocked':
          discord.setThread(ids.thread, { locked: is });
          return shown(ids.thread);
        case 'isDeleted': {
          const isThere = find(ids.events) !== undefined;
          if (is && isThere) discord.deleteChannel(ids.events);
          if (!is && !isThere) {
            const position = discord.channels().length;
            discord.restoreChannel(newChannel({ id: ids.events, type: CHANNEL.text, name: NAMES.events, position }));
          }
          return shown(is ? null : ids.events);
        }
        case 'othersPublish':
          discord.othersPublish = is ? PUBLICATIONS_PER_HOUR : 0;
          return shown(null);
      }
    },
  };
}

export type Permissions = ReturnType<typeof createPermissions>;
