import { createHash } from 'node:crypto';

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
 * A name for a poll, which the catalog gives no id: made from its discussion, else from its questions, which stay while the
 * votes change. 16 characters of base64url.
 */
export function pollSubject({ discussionUrl, site, questions }: Poll): string {
  const address = discussionUrl ?? JSON.stringify([site, questions.map(({ text }) => text)]);
  return createHash('sha256').update(address).digest('base64url').slice(0, 16);
}

/** All the votes for the answers to a question. */
export function votesOf({ responses }: PollQuestion): number {
  return responses.reduce((sum, { voteCount }) => sum + voteCount, 0);
}
