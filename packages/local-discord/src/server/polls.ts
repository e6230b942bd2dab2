import type { APIPoll, APIPollResults, RESTAPIPoll } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import { hasPoll, type PageMessage, type PollMessage } from './page-api.ts';
import { IDS } from './seed.ts';

const HOUR_MS = 3_600_000;
/** For so many hours a poll is open where nothing else is asked for: https://discord.com/developers/docs/resources/poll */
const USUAL_HOURS = 24;

/** A vote that is given or taken back, as the gateway tells it. */
export interface Vote {
  answerId: number;
  personId: string;
  isGiven: boolean;
}

/** The poll of a new message. */
export function newPoll({ question, answers, duration, allow_multiselect }: RESTAPIPoll, nowMs: number): APIPoll {
  return {
    question: { text: question.text ?? '' },
    answers: answers.map(({ poll_media }, index) => ({ answer_id: index + 1, poll_media })),
    expiry: new Date(nowMs + (duration ?? USUAL_HOURS) * HOUR_MS).toISOString(),
    allow_multiselect: allow_multiselect ?? false,
    layout_type: 1,
    results: { answer_counts: [], is_finalized: false },
  };
}

/** @throws DiscordError 10008 where the message has no poll */
export function pollIn(message: PageMessage): PollMessage {
  if (!hasPoll(message)) throw new DiscordError('unknownMessage');
  return message;
}

/** The ids of those who gave an answer, the first one first. */
export function votersFor({ voters }: PageMessage, answerId: number): readonly string[] {
  return voters?.[answerId] ?? [];
}

/**
 * The votes that a person gives and takes back by voting for these answers alone.
 * @throws DiscordError 520001 once it has ended, 50035 for an answer that it lacks, or several where it takes one
 */
export function votesOf(message: PollMessage, personId: string, answerIds: readonly number[]): Vote[] {
  const { answers, allow_multiselect: takesSeveral, results } = message.poll;
  if (results?.is_finalized) throw new DiscordError('pollExpired');
  const known = answers.map(({ answer_id: id }) => id);
  if (answerIds.some((id) => !known.includes(id)) || (answerIds.length > 1 && !takesSeveral)) {
    throw new DiscordError('invalidForm');
  }
  return known.flatMap((answerId) => {
    const isGiven = answerIds.includes(answerId);
    return isGiven === votersFor(message, answerId).includes(personId) ? [] : [{ answerId, personId, isGiven }];
  });
}

export function withVote(message: PollMessage, { answerId, personId, isGiven }: Vote): PollMessage {
  const others = votersFor(message, answerId).filter((id) => id !== personId);
  return { ...message, voters: { ...message.voters, [answerId]: isGiven ? [...others, personId] : others } };
}

/** The results as the API shows them to the bot. */
export function resultsOf(message: PollMessage): APIPollResults {
  const { answers, results } = message.poll;
  const counts = answers.map(({ answer_id: id }) => {
    const voters = votersFor(message, id);
    return { id, count: voters.length, me_voted: voters.includes(IDS.application) };
  });
  return {
    answer_counts: counts.filter(({ count }) => count > 0),
    is_finalized: results?.is_finalized ?? false,
  };
}
