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

/** Many announcements on their way to one channel in one post. */
export interface RollUp {
  version: 1;
  /** Made from the ids of what is in it. */
  id: string;
  guildId: string;
  channelId: string;
  members: RollUpMember[];
  /** The ids of all that ends when it does: its members, and what those stand for. */
  replaces: string[];
  createdAtMs: number;
}

export interface RollUpMember {
  deliveryId: string;
  announcement: Announcement;
  /** As in `Delivery`. */
  alsoTells: string[];
  matches: DeliveryMatch[];
}

/** How a delivery ended. */
export interface LedgerEntry {
  version: 2;
  channelId: string;
  /** `over`, `gone` (the channel) and `refused` were not posted. */
  outcome: 'posted' | 'over' | 'gone' | 'refused';
  /** Where the message is and which it is; null where there is none. */
  messageChannelId: string | null;
  messageId: string | null;
  /** The roll-up that it was posted in; null where it has a post of its own. */
  rollUpId: string | null;
  endedAtMs: number;
  /**
   * It was found in the channel, and the state knew nothing of it: its last writes are lost, or it is an older copy. Where
   * it is detected anew, it is recorded as the post that it is, so that it is kept up to date.
   */
  isFound?: true;
}

/** How something ended, without what the store knows itself. */
export type Ending = Pick<LedgerEntry, 'outcome' | 'messageChannelId' | 'messageId' | 'endedAtMs'>;

/** What ends together with a delivery. */
export function idsOf({ id, alsoTells }: Pick<Delivery, 'id' | 'alsoTells'>): string[] {
  return [id, ...alsoTells];
}

/** A delivery as a member of a roll-up. */
export function memberOf({ id, announcement, alsoTells, matches }: Delivery): RollUpMember {
  return { deliveryId: id, announcement, alsoTells, matches };
}
