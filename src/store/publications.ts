import { z } from 'zod';
import { type ChannelJobs, openChannelJobs } from './channel-jobs.ts';
import { fields, type Kind } from './table/kind.ts';
import type { State } from './table/state.ts';

/** A post in an announcement channel that has to be published to the servers that follow the channel. */
export interface Publication {
  channelId: string;
  messageId: string;
  queuedAtMs: number;
}

export type PublicationStore = ChannelJobs<Publication>;

const PUBLICATION: Kind<Publication> = {
  name: 'publication',
  read: fields<Publication>({ channelId: z.string(), messageId: z.string(), queuedAtMs: z.number() }),
};

export function openPublications(state: State): Promise<PublicationStore> {
  return openChannelJobs(state, PUBLICATION, ({ messageId }) => messageId);
}
