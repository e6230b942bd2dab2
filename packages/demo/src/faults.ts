import { isAnnouncement } from '../../../test/model/reading.ts';
import type { FaultHook, LocalDiscord, PageUpdate } from '../../local-discord/src/index.ts';
import { Outages } from './outages.ts';
import type { Breaking } from './story.ts';

/** Longest wait for a post in whose middle the bot can be killed: it is killed then in any case. */
const KILL_WITHIN_MS = 4_000;

interface FaultParts {
  discord: LocalDiscord;
  /** The channel whose posts are the moments to break. */
  channelId: string;
  /** The share of the catalog's answers that get each fault, which this changes. */
  catalogRates: Partial<Record<'reset' | '500', number>>;
  kill: () => void;
  /** Called when the bot is killed, or Discord cut off. */
  onBreak: (is: Breaking) => void;
  onChange: () => void;
}

/** Makes the connections of the bot fail, and kills it at the worst moments. */
export function createFaults({ discord, channelId, catalogRates, kill, onBreak, onChange }: FaultParts) {
  let requests = 0;
  /** The end of the next post: the connection breaks, or the bot is killed before or after Discord has taken it. */
  let nextPost: 'cut' | 'kill-before' | 'kill-after' | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  let lastKill: 'kill-before' | 'kill-after' = 'kill-before';

  const outages = new Outages(() => {
    catalogRates.reset = outages.has('catalog') ? 1 : 0;
    catalogRates['500'] = outages.has('requests') ? 1 / 3 : 0;
    onChange();
  });

  function forgetPost(): void {
    clearTimeout(killTimer);
    nextPost = null;
  }

  function killNow(is: Breaking): void {
    forgetPost();
    onBreak(is);
    kill();
  }

  /** Cuts Discord off: whatever comes is broken until it recovers. */
  function cutOff(): void {
    forgetPost();
    outages.begin('discord');
    discord.faults.closeGateway(1006);
  }

  discord.faults.use(({ method, path }: Parameters<FaultHook>[0]): ReturnType<FaultHook> => {
    const isPost = method === 'POST' && path === `/channels/${channelId}/messages`;
    if (isPost && nextPost === 'cut') {
      onBreak('cut-off-taken');
      cutOff();
      return { kind: 'drop', accepted: true };
    }
    if (isPost && nextPost === 'kill-before') {
      killNow('killed-not-taken');
      return { kind: 'drop', accepted: false };
    }
    if (outages.has('discord')) return { kind: 'drop', accepted: false };
    if (!outages.has('requests')) return undefined;
    requests += 1;
    if (requests % 3 !== 0) return undefined;
    return requests % 2 === 0 ? { kind: 'drop', accepted: true } : { kind: 'error', status: 503, accepted: false };
  });

  return {
    outages,
    /** Kills the bot in the middle of its next post: in turns after and before Discord has taken it. */
    killInPost(): void {
      forgetPost();
      lastKill = lastKill === 'kill-after' ? 'kill-before' : 'kill-after';
      nextPost = lastKill;
      killTimer = setTimeout(() => killNow('killed-between'), KILL_WITHIN_MS);
    },
    /** Cuts Discord off in the middle of the next post: Discord has taken it, and the bot doesn't hear of it. */
    cutDiscord(): void {
      forgetPost();
      nextPost = 'cut';
    },
    recover(): void {
      forgetPost();
      outages.endAll();
    },
    /** Takes each update of Discord, of which a post may be the moment to kill the bot. */
    update(update: PageUpdate): void {
      if (nextPost !== 'kill-after' || update.type !== 'message' || !isAnnouncement(update.message)) return;
      const { channel_id: channel, edited_timestamp: editedAt } = update.message;
      if (channel === channelId && editedAt === null) killNow('killed-taken');
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;
