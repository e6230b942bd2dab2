import { html, nothing, type TemplateResult } from 'lit';
import type { DemoState } from '../../server/demo-api.ts';
import { formatNumber, scoreOf } from './score.ts';

/** The numbers of posts owed, made, lost and made twice, counted without the bot. */
export function counters(state: DemoState): TemplateResult {
  const { owed, posted, waiting, held, skipped, skippedIn, twice, lost, edits } = state.counters;
  const counter = (name: string, value: number, isBad = false) =>
    html`<div ?data-bad=${isBad}><dt>${name}</dt><dd>${formatNumber(value)}</dd></div>`;
  const notes = [
    waiting > 0 && `${formatNumber(waiting)} on the way.`,
    held > 0 &&
      `${formatNumber(held)} more held for the digest at the full hour, the end of quiet hours, or an offer’s return.`,
    skippedIn.length > 0 &&
      `You paused, deleted or changed a subscription in ${skippedIn.map((name) => `#${name}`).join(', ')}: what it doesn’t post now is skipped by you, not lost.`,
  ].filter((note) => note !== false);
  return html`<p class="demo-score">${scoreOf(state)}</p>
    <dl class="demo-counters">
      ${counter('due', owed)} ${counter('posted', posted)} ${counter('twice', twice, twice > 0)}
      ${counter('lost', lost, lost > 0)} ${counter('edits', edits)}
      ${skipped > 0 ? counter('skipped by you', skipped) : nothing}
    </dl>
    <p class="demo-note">
      Counted in all five channels, from what the store served and what stands there, not from the bot’s records.
      Examples, which come when a channel begins to follow something, aren’t counted.
      ${notes.join(' ')}
    </p>`;
}
