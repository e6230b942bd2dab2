import { z } from 'zod';
import { type Poll, type PollQuestion, type PollResponse, pollSubject } from '../../deals/poll.ts';
import type { Catalog } from '../catalog.ts';
import { readAmount, readLink, readText, title } from '../fields.ts';
import { LIMITS, type Report } from '../limits.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import { check, type Parsed, parseList, type Reader, readList, upTo } from '../wire.ts';

/**
 * Specification: "v2: Poll, Question, Response". A poll has no title; without a list of questions it is malformed, and so is
 * a question without responses.
 */
const wirePoll = z.looseObject({ Questions: z.array(z.unknown()) });
const wireQuestion = z.looseObject({ Text: title, Responses: z.array(z.unknown()).min(1) });
const wireResponse = z.looseObject({ Text: title });

const readResponse: Reader<PollResponse> = (json, report, unread) => {
  const wire = check(wireResponse, json, report);
  return wire && { text: wire.Text, voteCount: readAmount(wire['VoteCount'], 'voteCount', unread) ?? 0 };
};

const readQuestion: Reader<PollQuestion> = (json, report, unread) => {
  const wire = check(wireQuestion, json, report);
  return wire && { text: wire.Text, responses: readList(wire.Responses, 'Responses', readResponse, report, unread) };
};

/**
 * A poll with an unreadable part is malformed: its questions identify it, so without one of them it would be another
 * poll.
 */
const readPoll: Reader<Poll> = (json, report, unread) => {
  const wire = check(wirePoll, json, report);
  if (wire === null) return null;
  let isWhole = true;
  const tell: Report = (problem) => {
    isWhole = false;
    report(problem);
  };
  const questions = readList(wire.Questions, 'Questions', readQuestion, tell, unread);
  if (!isWhole) return null;
  return {
    discussionUrl: readLink(wire['DiscussionUrl'], 'discussionUrl', unread),
    site: readText(wire['Site'], 'site', unread),
    questions,
  };
};

const POLL_FIELDS: ReadonlySet<string> = new Set(['DiscussionUrl', 'Questions', 'Site']);

function parsePolls(json: unknown): Parsed<Poll[]> {
  return parseList(json, 'polls', upTo(LIMITS.entityLength, readPoll), { subjectOf: pollSubject, fields: POLL_FIELDS });
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
