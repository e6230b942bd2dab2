import type { Backend } from '../../shared/storage/backend.ts';
import { type ChannelJobs, openChannelJobs } from './channel-jobs.ts';
import { rowReader } from './rows.ts';

/** A post in an announcement channel that has to be published to the servers that follow the channel. */
export interface Publication {
  version: 1;
  channelId: string;
  messageId: string;
  queuedAtMs: number;
}

export type PublicationStore = ChannelJobs<Publication>;

const readPublication = rowReader<Publication>([1], { channelId: 'string', messageId: 'string', queuedAtMs: 'number' });

export function openPublications(backend: Backend): Promise<PublicationStore> {
  const table = backend.table<Publication>('publications', { read: readPublication });
  return openChannelJobs(table, ({ messageId }) => messageId);
}
