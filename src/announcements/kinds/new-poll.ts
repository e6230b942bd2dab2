import { hearEntity } from '../../deals/entity-belief.ts';
import { subjectOfPoll } from '../../deals/filter/index.ts';
import {
  isOtherPoll,
  mayBeSamePoll,
  POLL_RULES,
  type Poll,
  type PollQuestion,
  pollSubject,
  votesOf,
} from '../../deals/poll.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { bar } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { ThingKind } from './kind.ts';
import { headingOf, NOTHING, type Place, siteFact } from './thing-view.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-poll': { item: Poll };
  }
}

/** Limits on the displayed part of a poll. */
interface PollRoom {
  questions: number;
  responses: number;
  /** Per question or response. */
  characters: number;
}

const ROOM: Readonly<Record<Place, PollRoom>> = {
  post: { questions: 2, responses: 6, characters: 150 },
  list: { questions: 1, responses: 3, characters: 80 },
  announcements: { questions: 0, responses: 0, characters: 100 },
  card: { questions: 5, responses: 10, characters: 150 },
};

/** A poll that is new. The catalog states no end for it. */
export const newPoll: ThingKind<'new-poll'> = {
  madeFrom: 'entity',
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
  mayBeSameAs: mayBeSamePoll,
  isOther: isOtherPoll,
  goodForMs: 30 * MINUTE_MS,
  shown: ({ item }) => ({ as: 'poll', item, thing: newPoll }),
  filterSubject: subjectOfPoll,
  view(poll, place, translator) {
    const { site, discussionUrl, questions } = poll;
    const room = ROOM[place];
    const isNamed = place === 'announcements';
    const title = questions[0]?.text ?? translator.t(isNamed ? 'source.polls' : 'poll.kind');
    const heading = headingOf(title, room.characters, discussionUrl);
    const named = { ...NOTHING, title, address: discussionUrl };
    if (isNamed) return { ...named, lines: [heading] };
    return {
      ...named,
      hint: site,
      lines: [heading, ...questionLines(poll, room, translator)],
      facts: [place === 'post' ? null : translator.t('poll.kind'), siteFact(site)],
    };
  },
  opening: 'button.results',
  postButtons: ({ discussionUrl }) => [{ label: 'button.discussion', url: discussionUrl }, 'opening'],
  cardButtons: ({ discussionUrl }) => [{ label: 'button.discussion', url: discussionUrl }],
  statesAge: true,
};

/** A poll's questions with a bar for each answer, and the total. The first question is the heading. */
function questionLines({ questions }: Poll, room: PollRoom, translator: Translator): string[] {
  const unshown = questions.length - room.questions;
  return [
    ...questions
      .slice(0, room.questions)
      .flatMap((question, place) => [
        ...(place === 0 ? [] : [`**${escapeLine(clamp(question.text, room.characters))}**`]),
        ...resultLines(question, room, translator),
      ]),
    ...(unshown > 0 ? [`-# ${translator.t('poll.moreQuestions', { count: unshown })}`] : []),
  ];
}

/** Most votes first. Percentages refer to this question's votes. */
function resultLines(question: PollQuestion, room: PollRoom, translator: Translator): string[] {
  const votes = votesOf(question);
  const ranked = question.responses.toSorted((a, b) => b.voteCount - a.voteCount);
  const unshown = ranked.length - room.responses;
  const total = translator.t('poll.votes', { count: votes });
  return [
    ...ranked.slice(0, room.responses).map(({ text, voteCount }) => {
      const percent = votes > 0 ? Math.round((voteCount / votes) * 100) : 0;
      return `${bar(percent)} ${translator.percent(percent)} ${escapeLine(clamp(text, room.characters))}`;
    }),
    unshown > 0 ? `${total} · ${translator.t('poll.moreAnswers', { count: unshown })}` : total,
  ];
}
