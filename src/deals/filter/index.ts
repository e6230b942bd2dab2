export { type Explanation, explain, matchedTerms, type TermOutcome } from './explain.ts';
export { FIELDS, type NumberField } from './fields.ts';
export { evaluate, type Filter, type FilterNode, type Term } from './filter.ts';
export { type FilterOptions, filterFromOptions } from './format.ts';
export { type ParsedFilter, parseFilter } from './parse.ts';
export { describeProblem, type FilterProblem, pointAt, sentenceOf } from './problem.ts';
export { createFilterReader } from './reader.ts';
export {
  type FilterSubject,
  subjectOfDealcast,
  subjectOfEvent,
  subjectOfMonkeychat,
  subjectOfOffer,
  subjectOfPoll,
} from './subject.ts';
