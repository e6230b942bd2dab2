import { hearEntity } from '../../deals/entity-belief.ts';
import { isLikePoll, isOtherPoll, POLL_RULES, type Poll, pollSubject } from '../../deals/poll.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import type { EntityKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-poll': { item: Poll };
  }
}

/** A poll that is new. The catalog states no end for it. */
export const newPoll: EntityKind<'new-poll'> = {
  tells: 'entity',
  source: 'polls',
  entity: 'poll',
  isDefault: true,
  accent: ACCENT.poll,
  badge: 'poll.kind',
  symbol: '📊',
  announce: (poll) => ({ kind: 'new-poll', subject: pollSubject(poll), occurrence: '', item: poll }),
  hasStarted: () => true,
  isLive: () => true,
  // Votes change constantly and are not part of the fingerprint.
  fingerprint: ({ discussionUrl }) => JSON.stringify([discussionUrl]),
  hear: (heard, said) => hearEntity(heard, said, POLL_RULES),
  isLike: isLikePoll,
  isOther: isOtherPoll,
  shown: ({ item }) => ({ as: 'poll', item }),
};
