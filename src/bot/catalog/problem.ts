/** Why an item, or a part of one, was left out. Contains no text of the catalog's. */
export interface Problem {
  /** The place in the answer: `3`, `3.Offers.0`. */
  at: string;
  reason: string;
  /** True where it was not malformed, but exceeded a limit. */
  isCut?: boolean;
}

export type Report = (problem: Problem) => void;
