import { html, type TemplateResult } from 'lit';
import type { DemoState } from '../../server/demo-api.ts';

/** The numbers of posts owed, made, lost and made twice, counted without the bot. */
export function counters({
  counters: { owed, posted, waiting, held, twice, lost, edits, areSettingsChanged },
}: DemoState): TemplateResult {
  const counter = (name: string, value: number, isBad = false) =>
    html`<div ?data-bad=${isBad}><dt>${name}</dt><dd>${formatNumber(value)}</dd></div>`;
  const notes = [
    waiting > 0 && `${formatNumber(waiting)} on the way.`,
    held > 0 &&
      `${formatNumber(held)} more held for the digest at the full hour, the end of quiet hours, or an offer’s return.`,
    areSettingsChanged && 'Somebody changed a subscription: what it filters out counts as lost.',
  ].filter((note) => note !== false);
  return html`<dl class="demo-counters">
      ${counter('owed', owed)} ${counter('posted', posted)} ${counter('twice', twice, twice > 0)}
      ${counter('lost', lost, lost > 0)} ${counter('edits', edits)}
    </dl>
    <p class="demo-note">
      Counted in all five channels, from what the store served and what stands there, not from the bot’s records.
      ${notes.join(' ')}
    </p>`;
}

/** `12,400` */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}
