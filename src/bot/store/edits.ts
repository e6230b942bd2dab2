import type { Backend } from '../../shared/storage/backend.ts';
import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { type ChannelJobs, openChannelJobs } from './channel-jobs.ts';
import { rowReader } from './rows.ts';

/** A post that has to show its thing as it is now. */
export interface Edit {
  version: 1;
  thing: EntityKey;
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
