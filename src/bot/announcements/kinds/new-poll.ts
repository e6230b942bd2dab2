import { pollSubject } from '../../deals/poll.ts';
import type { ThingKind } from './kind.ts';

/** A poll that was not there before. It has no end that the catalog tells. */
export const newPoll: ThingKind<'new-poll'> = {
  announce: (poll) => ({ kind: 'new-poll', subject: pollSubject(poll), occurrence: '', item: poll }),
  hasStarted: () => true,
  isLive: () => true,
  // Votes come in all the time: that alone is no reason.
  face: ({ discussionUrl }) => JSON.stringify([discussionUrl]),
};
