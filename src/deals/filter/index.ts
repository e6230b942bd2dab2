export { type Explanation, explain, matchedTerms, type TermOutcome } from './explain.ts';
export { FIELDS } from './fields.ts';
export { evaluate, type Filter } from './filter.ts';
export { type FilterOptions, filterFromOptions } from './format.ts';
export { type ParsedFilter, parseFilter } from './parse.ts';
export { describeProblem, type FilterProblem, pointAt, sentenceOf } from './problem.ts';
export { type FilterSubject, subjectOfDealcast, subjectOfEvent, subjectOfOffer, subjectOfPoll } from './subject.ts';
