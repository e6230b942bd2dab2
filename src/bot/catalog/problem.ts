/** Why an item, or a part of one, was left out. Holds no text of the catalog's. */
export interface Problem {
  /** Where: `3`, `3.Offers.0`. */
  at: string;
  reason: string;
  /** True where it was not malformed, but too much. */
  isCut?: boolean;
}

export type Report = (problem: Problem) => void;
