import type { Announcement } from '../deals/announcement.ts';

/** One announcement on its way to one channel. */
export interface Delivery {
  version: 2;
  /** The same for the same announcement and channel, whenever and however often it is computed. */
  id: string;
  guildId: string;
  channelId: string;
  /** Whose wish it is. */
  matches: DeliveryMatch[];
  announcement: Announcement;
  /** The ids of what was found of the same thing in the same look: this post stands for them, and they end when it does. */
  alsoTells: string[];
  createdAtMs: number;
  /** Place among those of the same moment. */
  sequence: number;
  /** Not to be posted before this moment: epoch milliseconds. */
  dueAtMs: number;
  /** Whether it waits to be posted together with others, in a digest. */
  isDigest: boolean;
  /** Whether it was found after a long gap between two looks: many such become one post of what is still live. */
  isLate: boolean;
}

/** A subscription that wants an announcement, and the terms of its filter that say so, for people to read. */
export interface DeliveryMatch {
  subscriptionId: string;
  terms: string[];
  /** How many more subscriptions want it that are not listed. Absent in all but the last of a list that was cut. */
  unlisted?: number;
}
