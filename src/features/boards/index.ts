import { DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Poller } from '../../announcements/poll/poller.ts';
import type { Feature } from '../../app/feature.ts';
import { createRequests } from '../../discord/courier.ts';
import type { Get } from '../../discord/find-posted.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import { BOARD } from './flag.ts';
import { createOwedBoards } from './owed.ts';
import { Boards } from './posts.ts';
import { WORDS } from './words/index.ts';

/** Posts of events that always show what is on now, and are pinned. */
export const boards: Feature = {
  name: 'boards',
  words: WORDS,
  flags: [BOARD],
  start({ store, client, translators, ...core }) {
    const translatorOf = (guildId: string) => translators(client.guilds.cache.get(guildId)?.preferredLocale);
    const isThere = findsMessages(createRequests(client.rest, core.signal).get);
    const kept = new Boards({ ...core, store, translatorOf, isThere, lagMs: () => lagOf(core.poller) });
    return {
      post: { kept, owed: createOwedBoards(store) },
      jobs: [{ name: 'boards', cron: '*/30 * * * * *', run: () => kept.look() }],
    };
  },
};

/** How old what is known of events may be by the next poll: milliseconds; null where none is planned or was made. */
function lagOf(poller: Poller): number | null {
  const { plan, polledAtMs = null } = poller.status().resources.find(({ resource }) => resource === 'events') ?? {};
  if (!plan || polledAtMs === null) return null;
  return plan.nextPollMs === null ? plan.worstDelayMs : Math.max(0, plan.nextPollMs - polledAtMs);
}

/** @see https://discord.com/developers/docs/resources/message#get-channel-message */
function findsMessages(get: Get) {
  return async ({ channelId, messageId }: MessagePlace): Promise<boolean> => {
    try {
      await get(Routes.channelMessage(channelId, messageId));
      return true;
    } catch (error) {
      return !(error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage);
    }
  };
}
