import type { Backend } from '../../shared/storage/backend.ts';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { type ChannelJobs, openChannelJobs } from './channel-jobs.ts';
import { rowReader } from './rows.ts';

/** A pending edit that updates a post to the current state of its entity. */
export interface Edit {
  version: 1;
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

const readEdit = rowReader<Edit>([1], {
  thing: 'string',
  deliveryId: 'string',
  channelId: 'string',
  messageId: 'string',
  item: 'object',
  queuedAtMs: 'number',
});

export function openEdits(backend: Backend): Promise<EditStore> {
  const table = backend.table<Edit>('edits', { read: readEdit });
  return openChannelJobs(table, ({ thing, deliveryId }) => `${thing}/${deliveryId}`);
}
