import { z } from 'zod';
import type { Poll, PollQuestion, PollResponse } from '../../deals/poll.ts';
import type { Catalog } from '../catalog.ts';
import { LIMITS } from '../limits.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import {
  check,
  type Parsed,
  parseList,
  type Reader,
  readAmount,
  readLink,
  readList,
  readText,
  title,
  upTo,
} from '../wire.ts';

/** Specification: "v2: Poll, Question, Response". A poll has no title; without a list of questions it is malformed. */
const wirePoll = z.looseObject({ Questions: z.array(z.unknown()) });
const wireQuestion = z.looseObject({ Text: title });
const wireResponse = z.looseObject({ Text: title });

const readResponse: Reader<PollResponse> = (json, report) => {
  const wire = check(wireResponse, json, report);
  return wire && { text: wire.Text, voteCount: readAmount(wire['VoteCount']) ?? 0 };
};

const readQuestion: Reader<PollQuestion> = (json, report) => {
  const wire = check(wireQuestion, json, report);
  return wire && { text: wire.Text, responses: readList(wire['Responses'], 'Responses', readResponse, report) };
};

/**
 * A poll with an unreadable part is malformed: its questions identify it, so without one of them it would be another
 * poll.
 */
const readPoll: Reader<Poll> = (json, report) => {
  const wire = check(wirePoll, json, report);
  if (wire === null) return null;
  let isWhole = true;
  const questions = readList(wire.Questions, 'Questions', readQuestion, (problem) => {
    isWhole = false;
    report(problem);
  });
  return isWhole ? { discussionUrl: readLink(wire['DiscussionUrl']), site: readText(wire['Site']), questions } : null;
};

export function parsePolls(json: unknown): Parsed<Poll[]> {
  return parseList(json, 'polls', upTo(LIMITS.entityLength, readPoll));
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
