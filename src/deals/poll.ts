import { contentName } from './content-name.ts';

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
  const asked = questions.map(({ text, responses }) => [text, responses.map((response) => response.text)]);
  return contentName(JSON.stringify([site, asked.length > 0 ? asked : discussionUrl]));
}

/** The total number of votes for a question. */
export function votesOf({ responses }: PollQuestion): number {
  return responses.reduce((sum, { voteCount }) => sum + voteCount, 0);
}
