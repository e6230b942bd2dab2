import type { Feature } from '../../app/feature.ts';
import { REVIVE } from './flag.ts';
import { isSameDeal } from './same-deal.ts';
import { WORDS } from './words/index.ts';

/** A product that is soon listed again at about the same price updates its post, instead of having a new one. */
export const reposts: Feature = {
  name: 'reposts',
  words: WORDS,
  flags: [REVIVE],
  start: ({ clock }) => ({
    post: {
      continues(announcement, { isReviving = false }) {
        if (!isReviving || announcement.kind !== 'relisted') return null;
        const { item, before } = announcement;
        return isSameDeal(item, before, clock.now()) ? `offer:${before.offerId}` : null;
      },
    },
  }),
};
