import type { Backend } from './backend.ts';
import { type ChannelJobs, openChannelJobs } from './channel-jobs.ts';

/** A post in an announcement channel that has to be published to the servers that follow it. */
export interface Publication {
  version: 1;
  channelId: string;
  messageId: string;
  queuedAtMs: number;
}

export type PublicationStore = ChannelJobs<Publication>;

export function openPublications(backend: Backend): Promise<PublicationStore> {
  return openChannelJobs(backend.table<Publication>('publications'), ({ messageId }) => messageId);
}
