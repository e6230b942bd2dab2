export { completionsOf, type KnownValues, valuesIn } from './complete.ts';
export { explain, matchedTerms, type TermOutcome } from './explain.ts';
export { FIELDS, type NumberField, TOLD } from './fields.ts';
export {
  askedFields,
  asksAbout,
  asksForCondition,
  evaluate,
  type Filter,
  type FilterNode,
  isPrefix,
  type TermTest,
  termsOf,
  wordsIn,
} from './filter.ts';
/** @public for features */
export { filterFromOptions, partsOf } from './format.ts';
export { allOf, type ParsedFilter, parseFilter } from './parse.ts';
export { type FilterProblem, pointAt } from './problem.ts';
export {
  type FilterSubject,
  subjectOfDealcast,
  subjectOfEvent,
  subjectOfMonkeychat,
  subjectOfOffer,
  subjectOfPoll,
} from './subject.ts';
export { parseTyped } from './typed.ts';
