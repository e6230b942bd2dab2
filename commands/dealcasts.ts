import { dealcastSubject } from '../src/deals/dealcast.ts';
import { newestFirst } from '../src/deals/life.ts';
import { dealcastDetailCard } from '../src/discord/cards/dealcast-card.ts';
import { dealcastsCard } from '../src/discord/cards/list-cards.ts';
import { UserError } from '../src/errors.ts';
import { type Command, MAX_AGE_MS } from './shared.ts';

export const dealcasts: Command = {
  data: { name: 'dealcasts', description: 'The featured videos' },
  answer: 'public',
  async execute(_, { catalog }) {
    const { value, ...age } = await catalog.dealcasts.list({ lane: 'interactive', maxAgeMs: MAX_AGE_MS });
    return dealcastsCard(newestFirst(value), age);
  },
  actions: {
    dealcast: {
      answer: 'private',
      async run({ subject }, _, { catalog }) {
        const { value } = await catalog.dealcasts.list({ lane: 'interactive', maxAgeMs: MAX_AGE_MS });
        const dealcast = value.find((candidate) => dealcastSubject(candidate) === subject);
        if (!dealcast) throw new UserError('This dealcast is not featured any more.');
        return dealcastDetailCard(dealcast);
      },
    },
  },
};
