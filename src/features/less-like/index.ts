import type { Feature } from '../../app/feature.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { actionButton } from '../../discord/cards/parts.ts';
import { act } from './actions.ts';
import { lessLikeThis } from './command.ts';
import { lessLike as findLessLike } from './less-like.ts';
import type { LessLike } from './proposals.ts';
import { WORDS } from './words/index.ts';

/** Proposes filters that leave out what is like an offer that was posted. */
export const lessLike: Feature = {
  name: 'less-like',
  words: WORDS,
  commands: [lessLikeThis],
  offerButtons: {
    ofAnnouncement: ({ offerId, announcementId }, translator) =>
      actionButton(`👎 ${translator.t('button.lessLikeThis')}`, act({ do: 'less', offerId, postId: announcementId })),
  },
  start: (core) => ({
    services: { lessLike: (offerId, subscription) => findLessLike(offerId, subscription, core) },
  }),
};

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    /** As `lessLike`. Rejects with a StoreError. */
    lessLike(offerId: string, subscription: Subscription): Promise<LessLike | null>;
  }
}
