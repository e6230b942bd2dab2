import type { Context } from '../context.ts';

/** A command that the tour runs for the person, until the bot has answered it. */
export interface Question {
  command: string;
  /** The tour says this once it is answered. */
  done: string;
  /** The interaction that asked last: null before the first, '' while it is being made. */
  interactionId: string | null;
  /** How often it was asked. */
  times: number;
}

/** A bot that does not answer by then, within 3 s each time, needs the person's attention. */
const MOST_TIMES = 5;

/**
 * The next thing to do about a question. A bot that was killed hears nothing before it runs again, and one that has just
 * started may be too busy to answer within Discord's 3 s.
 */
export function nextOf(
  { interactionId, times }: Pick<Question, 'interactionId' | 'times'>,
  { server, view }: { server: Pick<Context['server'], 'bot' | 'demo'>; view: Pick<Context['view'], 'outcomes'> },
): 'await-bot' | 'await-answer' | 'ask' | 'answered' | 'give-up' {
  const state = view.outcomes[interactionId ?? '']?.state;
  if (state === 'answered') return 'answered';
  if (interactionId !== null && state !== 'failed') return 'await-answer';
  if (times >= MOST_TIMES) return 'give-up';
  return server.bot !== null && server.demo?.bot.state === 'running' ? 'ask' : 'await-bot';
}
