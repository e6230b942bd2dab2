import { z } from 'zod';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { type ChannelJobs, openChannelJobs } from './channel-jobs.ts';
import { fields, type Kind, OBJECT } from './table/kind.ts';
import type { State } from './table/state.ts';

/** A pending edit that updates a post to the current state of its entity. */
export interface Edit {
  thing: EntityKey;
  deliveryId: string;
  /** The subscribed channel. */
  channelId: string;
  messageId: string;
  isPublished: boolean;
  item: Announcement['item'];
  queuedAtMs: number;
}

/** Pending edits; of two for the same post only the later one is made. */
export type EditStore = ChannelJobs<Edit>;

const EDIT: Kind<Edit> = {
  name: 'edit',
  read: fields<Edit>({
    thing: z.string(),
    deliveryId: z.string(),
    channelId: z.string(),
    messageId: z.string(),
    item: OBJECT,
    queuedAtMs: z.number(),
  }),
};

export function openEdits(state: State): Promise<EditStore> {
  return openChannelJobs(state, EDIT, ({ thing, deliveryId }) => `${thing}/${deliveryId}`);
}
