import { type Poll, type PollQuestion, pollSubject, votesOf } from '../../deals/poll.ts';
import { bar } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine, link } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { type AnnouncementContext, announced, type Happened, matchedPart, NO_PICTURE } from './announced.ts';
import { type Age, ageText, type ListView, pagedCard } from './paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  factsOf,
  linkButton,
  smallLine,
  text,
} from './parts.ts';

/** Limits on the displayed part of a poll. */
interface PollRoom {
  questions: number;
  responses: number;
  /** Per question or response. */
  characters: number;
}

/** A poll's questions with a bar for each answer, and the total. */
function pollLines(poll: Poll, room: PollRoom, context: CardContext): string[] {
  const { translator } = context;
  const [first, ...others] = poll.questions.slice(0, room.questions);
  const unshown = poll.questions.length - room.questions;
  return [
    `### ${link(clamp(first?.text ?? translator.t('poll.kind'), room.characters), poll.discussionUrl)}`,
    ...(first ? resultLines(first, room, context) : []),
    ...others.flatMap((question) => [
      `**${escapeLine(clamp(question.text, room.characters))}**`,
      ...resultLines(question, room, context),
    ]),
    unshown > 0 ? `-# ${translator.t('poll.moreQuestions', { count: unshown })}` : null,
  ].filter((line) => line !== null);
}

/** Most votes first. Percentages refer to this question's votes. */
function resultLines(question: PollQuestion, room: PollRoom, { translator }: CardContext): string[] {
  const votes = votesOf(question);
  const ranked = question.responses.toSorted((a, b) => b.voteCount - a.voteCount);
  const unshown = ranked.length - room.responses;
  return [
    ...ranked.slice(0, room.responses).map(({ text, voteCount }) => {
      const percent = votes > 0 ? Math.round((voteCount / votes) * 100) : 0;
      return `${bar(percent)} ${translator.percent(percent)} ${escapeLine(clamp(text, room.characters))}`;
    }),
    factsOf([
      translator.t('poll.votes', { count: votes }),
      unshown > 0 && translator.t('poll.moreAnswers', { count: unshown }),
    ]),
  ];
}

/** The small print of a poll. */
function pollFacts(poll: Poll, { translator }: CardContext): (string | null)[] {
  return [translator.t('poll.kind'), siteOf(poll)];
}

function siteOf({ site }: Poll): string | null {
  return site && escapeLine(clamp(site, 80));
}

/** The card that announces a poll. */
export function newPollCard(
  { item, subject }: { item: Poll; subject: string },
  happened: Happened,
  context: AnnouncementContext,
): Card {
  const { translator, deliveryId } = context;
  return announced(
    {
      happened,
      lines: pollLines(item, { questions: 2, responses: 6, characters: 150 }, context),
      picture: NO_PICTURE,
      smallPrint: [siteOf(item), matchedPart(context)],
      buttons: [
        linkButton(translator.t('button.discussion'), item.discussionUrl),
        actionButton(translator.t('button.results'), { do: 'poll', subject, deliveryId }),
      ],
    },
    context,
  );
}

/** A poll with as many of its answers as fit on a card. */
export function pollDetailCard(poll: Poll, age: Age, context: CardContext): Card {
  return card(ACCENT.poll, [
    text(
      [
        ...pollLines(poll, { questions: 5, responses: 10, characters: 150 }, context),
        smallLine([...pollFacts(poll, context), ageText(age, context.translator)]),
      ].join('\n'),
    ),
    buttons([linkButton(context.translator.t('button.discussion'), poll.discussionUrl)]),
  ]);
}

export interface PollsView extends ListView {
  polls: readonly Poll[];
}

/** A page of the polls, each with its first question's result. */
export function pollsCard({ polls, page, age }: PollsView, context: CardContext): Card {
  const { translator } = context;
  return pagedCard(
    {
      accentColor: ACCENT.poll,
      title: translator.t('polls.title'),
      things: polls,
      page,
      count: translator.t('list.polls', { count: polls.length }),
      empty: translator.t('polls.none'),
      age,
      entry: (poll) =>
        text(
          [
            ...pollLines(poll, { questions: 1, responses: 3, characters: 80 }, context),
            smallLine(pollFacts(poll, context)),
          ].join('\n'),
        ),
      pageAction: (to) => ({ do: 'polls', page: to }),
      open: {
        button: translator.t('button.results'),
        choice: (poll) => ({
          label: poll.questions[0]?.text ?? translator.t('poll.kind'),
          ...(poll.site !== null && { description: poll.site }),
          action: { do: 'poll', subject: pollSubject(poll), deliveryId: null },
        }),
      },
    },
    context,
  );
}
