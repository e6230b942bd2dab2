import type { Clock } from '../clock.ts';
import type { Messages } from './messages.ts';
import { MESSAGE } from './numbers.ts';
import type { PollMessage } from './page-api.ts';
import { votersFor } from './polls.ts';
import type { World } from './world.ts';

interface Dependencies {
  world: World;
  messages: Messages;
  clock: Clock;
}

/** Ends the polls whose time is over. */
export function endPolls({ world, messages, clock }: Dependencies): void {
  for (const message of world.openPolls()) {
    if (Date.parse(message.poll.expiry ?? '') <= clock.now()) endPoll({ world, messages, clock }, message);
  }
}

/**
 * Ends a poll, which Discord tells the channel in a message: https://discord.com/developers/docs/resources/poll
 * @returns its message as it is then
 */
export function endPoll({ world, messages, clock }: Dependencies, message: PollMessage): PollMessage {
  const results = { answer_counts: [], is_finalized: true };
  const expiry = new Date(Math.min(Date.parse(message.poll.expiry ?? ''), clock.now())).toISOString();
  const ended = { ...message, poll: { ...message.poll, expiry, results } };
  world.setMessage(ended);
  const channel = world.channel(message.channel_id);
  const more = {
    type: MESSAGE.pollResult,
    embeds: [resultEmbed(ended)],
    message_reference: { type: 0, channel_id: channel.id, message_id: message.id, ...world.guildOf(channel.id) },
  };
  world.addMessage(messages.compose({ channel, author: message.author, body: {}, files: [], more }));
  return ended;
}

/** https://discord.com/developers/docs/resources/message#embed-fields-by-embed-type-poll-result-embed-fields */
function resultEmbed(message: PollMessage) {
  const { question, answers } = message.poll;
  const counts = answers.map(({ answer_id: id, poll_media }) => ({
    id,
    poll_media,
    votes: votersFor(message, id).length,
  }));
  const most = Math.max(...counts.map(({ votes }) => votes));
  const [victor, ...equals] = counts.filter(({ votes }) => votes === most && votes > 0);
  const total = counts.reduce((sum, { votes }) => sum + votes, 0);
  const told = {
    poll_question_text: question.text ?? '',
    victor_answer_votes: String(most),
    total_votes: String(total),
    ...(victor &&
      equals.length === 0 && { victor_answer_id: String(victor.id), victor_answer_text: victor.poll_media.text ?? '' }),
  };
  const fields = Object.entries(told).map(([name, value]) => ({ name, value, inline: false }));
  return { type: 'poll_result' as never, fields };
}
