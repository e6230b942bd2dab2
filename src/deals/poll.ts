import { isDeepStrictEqual } from 'node:util';
import type { FieldRules } from './belief.ts';
import { contentName } from './content-name.ts';
import { plain } from './field-rules.ts';

/** A community poll (specification: "v2: Poll, Question, Response"). */
export interface Poll {
  discussionUrl: string | null;
  site: string | null;
  questions: PollQuestion[];
}

export interface PollQuestion {
  text: string;
  responses: PollResponse[];
}

export interface PollResponse {
  text: string;
  voteCount: number;
}

/**
 * Identifies a poll by a hash of its questions, so that it stays the same while people vote: 16 characters of
 * base64url.
 */
export function pollSubject({ questions, discussionUrl, site }: Poll): string {
  const asked = askedIn(questions);
  return contentName(JSON.stringify([site, asked.length > 0 ? asked : discussionUrl]));
}

/** The texts of questions, each with those of its responses. */
function askedIn(questions: readonly PollQuestion[]): [string, string[]][] {
  return questions.map(({ text, responses }) => [text, responses.map((response) => response.text)]);
}

/**
 * Whether two answers may mean the same poll although their texts or sites differ: they share the discussion, or most
 * choices where one of them names no discussion.
 */
export function mayBeSamePoll(one: Poll, other: Poll): boolean {
  if (one.discussionUrl !== null && other.discussionUrl !== null) return one.discussionUrl === other.discussionUrl;
  return sharesMost(one, other);
}

/** Whether a poll with the same discussion is another one: most of its choices are new. */
export function isOtherPoll(was: Poll, is: Poll): boolean {
  return was.questions.length > 0 && is.questions.length > 0 && !sharesMost(was, is);
}

function sharesMost(one: Poll, other: Poll): boolean {
  const [these, those] = [choicesIn(one), choicesIn(other)];
  const shared = [...these].filter((choice) => those.has(choice)).length;
  return shared * 2 > Math.min(these.size, those.size);
}

/** Each response with its question: "Yes" alone stands in many polls. */
function choicesIn({ questions }: Poll): Set<string> {
  return new Set(
    askedIn(questions).flatMap(([text, responses]) =>
      responses.length > 0 ? responses.map((response) => `${text}\n${response}`) : [text],
    ),
  );
}

/** What is believed of a poll. Votes rise with every answer; fewer than before need a second one. */
export const POLL_RULES: FieldRules<Poll> = {
  discussionUrl: plain,
  site: plain,
  questions: {
    isSame: isDeepStrictEqual,
    isBelievedAtOnce: (was, says) => asksTheSame(was, says) && hasAllVotesOf(was, says),
    isSaidAgain: asksTheSame,
  },
};

function asksTheSame(one: readonly PollQuestion[], other: readonly PollQuestion[]): boolean {
  return isDeepStrictEqual(askedIn(one), askedIn(other));
}

function hasAllVotesOf(was: readonly PollQuestion[], is: readonly PollQuestion[]): boolean {
  const votes = (questions: readonly PollQuestion[]) => questions.flatMap(({ responses }) => responses);
  return votes(is).every(({ voteCount }, place) => voteCount >= (votes(was)[place]?.voteCount ?? 0));
}

/** The total number of votes for a question. */
export function votesOf({ responses }: PollQuestion): number {
  return responses.reduce((sum, { voteCount }) => sum + voteCount, 0);
}
