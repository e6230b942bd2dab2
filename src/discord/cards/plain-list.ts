import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { type Age, type PagedList, pagedCard } from './paged-card.ts';
import type { Card } from './parts.ts';

/** The page to show, and the age of the list. */
export interface ListView {
  page: number;
  age: Age;
}

/** The lists that are neither filtered nor sorted, by the action that turns their pages. */
const LISTS = {
  dealcasts: {
    accentColor: ACCENT.dealcast,
    title: 'dealcasts.title',
    count: 'list.dealcasts',
    empty: 'dealcasts.none',
  },
  polls: { accentColor: ACCENT.poll, title: 'polls.title', count: 'list.polls', empty: 'polls.none' },
  monkeychats: {
    accentColor: ACCENT.monkeychat,
    title: 'monkeychats.title',
    count: 'list.monkeychats',
    empty: 'monkeychats.none',
  },
  subscriptions: {
    accentColor: ACCENT.notice,
    title: 'subscriptions.title',
    count: 'list.subscriptions',
    empty: 'subscriptions.none',
  },
} as const;

type Shown<T> = { things: readonly T[]; page: number; age: Age | null } & Pick<PagedList<T>, 'entry' | 'open'>;

/** A page of a list that is neither filtered nor sorted. */
export function plainListCard<T>(name: keyof typeof LISTS, shown: Shown<T>, context: CardContext): Card {
  const { translator } = context;
  const { accentColor, title, count, empty } = LISTS[name];
  return pagedCard(
    {
      ...shown,
      accentColor,
      title: translator.t(title),
      count: translator.t(count, { count: shown.things.length }),
      empty: translator.t(empty),
      pageAction: (page) => ({ do: name, page }),
    },
    context,
  );
}
