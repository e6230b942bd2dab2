import type { DemoCounters } from '../local-discord/server/demo-api.ts';
import type { LocalDiscord } from '../local-discord/server/local-discord.ts';
import type { PageMessage, PageUpdate } from '../local-discord/server/page-api.ts';
import { compareSnowflakes } from '../local-discord/server/snowflake.ts';
import { Counters } from './counters.ts';
import { FEED, type NewestOffer } from './newest-offer.ts';

/** Commands that change what is announced: what they filter out is no fault of the bot. */
const CHANGES_SETTINGS = /^(subscription (edit|pause|resume|remove)|look)\b/;

interface MeasurementParts {
  discord: LocalDiscord;
  newest: NewestOffer;
  /** The demo's time. */
  now: () => number;
}

/** Watches what the catalog serves and what happens in #deals. */
export function createMeasurement({ discord, newest, now }: MeasurementParts) {
  let channelId = '';
  let counters = new Counters([]);
  /** The newest message of the channel. */
  let latestId = '0';
  let areSettingsChanged = false;
  let passedAtMs = Date.now();

  function message(of: PageMessage): void {
    if (CHANGES_SETTINGS.test(of.interaction?.name ?? '')) areSettingsChanged = true;
    if (of.channel_id !== channelId) return;
    if (compareSnowflakes(of.id, latestId) > 0) {
      latestId = of.id;
      counters.post(of);
      newest.post(of);
    } else if (of.edited_timestamp !== null) counters.edit(of);
  }

  return {
    /** Begins with what stands in the channel. */
    start(id: string): void {
      channelId = id;
      const standing = discord.messages(id);
      counters = new Counters(standing);
      latestId = standing.at(-1)?.id ?? latestId;
      for (const one of standing) newest.post(one);
    },
    served(path: string, text: string): void {
      if (path === `/feed/${FEED}`) counters.serve(text, now());
    },
    update(update: PageUpdate): void {
      if (update.type === 'message') message(update.message);
    },
    /** Lets the time since the last call pass. @param isCalm whether nothing was in the bot's way */
    pass(isCalm: boolean): void {
      const nowMs = Date.now();
      counters.pass(isCalm ? nowMs - passedAtMs : 0);
      passedAtMs = nowMs;
    },
    counts: (): DemoCounters => ({ ...counters.counts(), areSettingsChanged }),
  };
}

export type Measurement = ReturnType<typeof createMeasurement>;
