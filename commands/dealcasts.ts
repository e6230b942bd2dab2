import { dealcastSubject } from '../src/deals/dealcast.ts';
import { newestFirst } from '../src/deals/life.ts';
import { dealcastDetailCard } from '../src/discord/cards/dealcast-card.ts';
import { dealcastsCard } from '../src/discord/cards/list-cards.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { say } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { type Command, MAX_AGE_MS } from './shared.ts';

export const dealcasts: Command = {
  data: { ...named('command.dealcasts.name'), ...described('command.dealcasts') },
  answer: 'public',
  async execute(_, { catalog, clock }, words) {
    const { value, ...age } = await catalog.dealcasts.list({ lane: 'interactive', maxAgeMs: MAX_AGE_MS });
    return dealcastsCard({ dealcasts: newestFirst(value), age }, { words, nowMs: clock.now() });
  },
  actions: {
    dealcast: {
      answer: 'private',
      async run({ subject }, _, { catalog, clock }, words) {
        const { value } = await catalog.dealcasts.list({ lane: 'interactive', maxAgeMs: MAX_AGE_MS });
        const dealcast = value.find((candidate) => dealcastSubject(candidate) === subject);
        if (!dealcast) throw new UserError(say('dealcast.over'));
        return dealcastDetailCard(dealcast, { words, nowMs: clock.now() });
      },
    },
  },
};
