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
