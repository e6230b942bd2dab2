import { html, nothing, type TemplateResult } from 'lit';
import type { PageRequest } from '../server/page-api.ts';
import type { Context } from './context.ts';
import { icons } from './icons.ts';
import { formatTime } from './markdown/time.ts';
import { wordsOf } from './words.ts';

/** The bot's requests to Discord, the newest first, each with its body and its answer. */
export function requestList(context: Context): TemplateResult {
  const { requests } = context.server;
  if (requests.length === 0) return html`<p class="panel-empty">${icons.log} ${wordsOf(context).noRequests}</p>`;
  return html`<ul class="panel-list requests">
    ${requests.toReversed().map((request) => html`<li class="panel-card">${row(request, context)}</li>`)}
  </ul>`;
}

function row({ atMs, method, path, status, body, answer, refusal }: PageRequest, context: Context): TemplateResult {
  const words = wordsOf(context);
  const line = html`<code>${method} ${path}</code>
    <span class=${refusal === null ? 'panel-note' : 'failed'}>${status}${refusal === null ? nothing : ` · ${refusal}`}</span>
    <span class="panel-note">${formatTime(atMs / 1000, 'T', context.nowMs)}</span>`;
  if (body + answer === '') return html`<p>${line}</p>`;
  const part = (heading: string, text: string) =>
    text === '' ? nothing : html`<h3>${heading}</h3><pre tabindex="0">${text}</pre>`;
  return html`<details>
    <summary>${line}</summary>
    ${part(words.sent, body)} ${part(words.answered, answer)}
  </details>`;
}
