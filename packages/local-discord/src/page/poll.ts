import { html, nothing, type TemplateResult } from 'lit';
import type { PageMessage, PollMessage } from '../server/page-api.ts';
import type { Context } from './context.ts';
import { formatTime } from './markdown/time.ts';
import { filled, wordsOf } from './words.ts';

/** A poll, whose answers are buttons by which the chosen person votes, or takes the vote back. */
export function poll(message: PollMessage, context: Context): TemplateResult {
  const { view, actions } = context;
  const words = wordsOf(context);
  const { question, answers, allow_multiselect: takesSeveral, expiry, results } = message.poll;
  const votersFor = (id: number) => message.voters?.[id] ?? [];
  const own = answers.map(({ answer_id: id }) => id).filter((id) => votersFor(id).includes(view.personId));
  const all = answers.reduce((sum, { answer_id: id }) => sum + votersFor(id).length, 0);
  const isOver = results?.is_finalized ?? false;
  const vote = (id: number) => () => {
    const others = own.filter((one) => one !== id);
    const answerIds = own.includes(id) ? others : takesSeveral ? [...own, id] : [id];
    actions.act({ do: 'vote', channelId: message.channel_id, messageId: message.id, answerIds });
  };
  const end = isOver
    ? words.pollClosed
    : expiry && filled(words.pollEnds, formatTime(Date.parse(expiry) / 1000, 'R', context.nowMs));
  return html`<div class="poll" slot="components" role="group" aria-label=${question.text ?? ''}>
    <strong>${question.text}</strong>
    ${isOver ? nothing : html`<p class="panel-note">${takesSeveral ? words.pollSeveral : words.pollOne}</p>`}
    ${answers.map(({ answer_id: id, poll_media: { text, emoji } }) => {
      const count = votersFor(id).length;
      return html`<button
        class="poll-answer"
        style="--share: ${all === 0 ? 0 : (100 * count) / all}%"
        aria-pressed=${own.includes(id)}
        ?disabled=${isOver}
        @click=${vote(id)}
      >
        <span>${emoji?.name ?? ''} ${text ?? ''}</span><span>${count}</span>
      </button>`;
    })}
    <p class="panel-note">${filled(words.votes, String(all))} · ${end}</p>
  </div>`;
}

/** The message by which Discord tells how a poll ended. */
export function pollResult(message: PageMessage, context: Context): TemplateResult {
  const fields = new Map(message.embeds.flatMap((one) => one.fields ?? []).map(({ name, value }) => [name, value]));
  const words = wordsOf(context);
  const facts = [
    fields.get('poll_question_text'),
    fields.get('victor_answer_text'),
    filled(words.votes, fields.get('total_votes') ?? '0'),
  ];
  return html`<p>${words.pollClosed}: ${facts.filter((one) => one !== undefined).join(' · ')}</p>`;
}
