import type { Announcement, ThingKey } from '../deals/announcement.ts';
import type { Backend } from './backend.ts';
import { type ChannelJobs, openChannelJobs } from './channel-jobs.ts';

/** A post that has to show its thing as it is now. */
export interface Edit {
  version: 1;
  thing: ThingKey;
  deliveryId: string;
  /** The channel that is subscribed. */
  channelId: string;
  messageId: string;
  isPublished: boolean;
  item: Announcement['item'];
  queuedAtMs: number;
}

/** Edits on their way; of two for the same post the later is the one to make. */
export type EditStore = ChannelJobs<Edit>;

export function openEdits(backend: Backend): Promise<EditStore> {
  return openChannelJobs(backend.table<Edit>('edits'), ({ thing, deliveryId }) => `${thing}/${deliveryId}`);
}
