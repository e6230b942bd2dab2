import { type Poll, type PollQuestion, type PollResponse, pollSubject } from '../../deals/poll.ts';
import type { Catalog } from '../catalog.ts';
import { readAmount, readLink, readText, readTitle } from '../fields.ts';
import { LIMITS, type Report } from '../limits.ts';
import type { ResponseCache } from '../response-cache.ts';
import {
  type Fields,
  listOf,
  namesIn,
  orElse,
  type Reader,
  type RequiredReader,
  readerOf,
  required,
} from '../table.ts';
import type { Transport } from '../transport.ts';
import { type Parsed, parseList, upTo } from '../wire.ts';

/** Specification: "v2: Response". */
const readResponse = readerOf<PollResponse>({
  text: required(readTitle),
  voteCount: orElse(readAmount, 0),
});

/** Specification: "v2: Question". One without responses is malformed. */
const readQuestion = readerOf<PollQuestion>({
  text: required(readTitle),
  responses: requiredList(1, readResponse),
});

/** Specification: "v2: Poll". It has no title; without a list of questions it is malformed. */
const POLL: Fields<Poll> = {
  discussionUrl: readLink,
  site: readText,
  questions: requiredList(0, readQuestion),
};

const readFields = readerOf(POLL);

/**
 * A poll with an unreadable part is malformed: its questions identify it, so without one of them it would be another
 * poll.
 */
const readPoll: Reader<Poll> = (json, report, unread) => {
  let isWhole = true;
  const tell: Report = (problem) => {
    isWhole = false;
    report(problem);
  };
  const poll = readFields(json, tell, unread);
  return isWhole ? poll : null;
};

/** A list without which, or without so many entries at least, the object is malformed. */
function requiredList<T>(least: number, read: Reader<T>): RequiredReader<T[]> {
  const readList = listOf(read);
  return (value, field, unread, report) =>
    Array.isArray(value) && value.length >= least ? readList(value, field, unread, report) : undefined;
}

function parsePolls(json: unknown): Parsed<Poll[]> {
  return parseList(json, 'polls', upTo(LIMITS.entityLength, readPoll), {
    subjectOf: pollSubject,
    fields: namesIn(POLL),
  });
}

/** GET {base_url}/2/polls.json */
export function createPolls(v2: Transport, cache: ResponseCache): Catalog['polls'] {
  return {
    list: (options) =>
      cache.get('polls', '', options, async (demand) =>
        parsePolls(await v2.request({ path: '/2/polls.json' }, demand)),
      ),
  };
}
