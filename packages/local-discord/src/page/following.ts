import type { APIChannel } from 'discord-api-types/v10';
import { html, nothing, type TemplateResult } from 'lit';
import { CHANNEL } from '../server/numbers.ts';
import { type Context, personOf, titleOfChannel } from './context.ts';
import { topChannels } from './state.ts';
import { wordsOf } from './words.ts';

/** The button of an announcement channel that has another channel follow it. */
export function followButton(channel: APIChannel | undefined, context: Context): unknown {
  // As on Discord, only who may manage webhooks somewhere is asked.
  if (channel?.type !== CHANNEL.announcement || !personOf(context)?.canManage) return nothing;
  return html`<button class="button secondary" aria-haspopup="dialog" @click=${() => context.actions.openPanel('follow')}>
    ${wordsOf(context).follow}
  </button>`;
}

/** Asks for the channel that is to follow the open one. */
export function followForm(context: Context): TemplateResult {
  const { server, view, actions } = context;
  const words = wordsOf(context);
  const targets = topChannels(server.channels).filter(
    ({ id, type }) => id !== view.channelId && (type === CHANNEL.text || type === CHANNEL.announcement),
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { target } = event;
    if (!(target instanceof HTMLFormElement)) return;
    const targetId = new FormData(target).get('target');
    if (typeof targetId !== 'string') return;
    actions.act({ do: 'follow', channelId: view.channelId, targetId });
    actions.openChannel(targetId);
  };
  return html`<form @submit=${submit}>
    <p class="panel-note">${words.followNote}</p>
    <label class="field">
      <span class="field-label">${words.followWhere}</span>
      <select name="target" required>
        ${targets.map((channel) => html`<option value=${channel.id}>${titleOfChannel(channel)}</option>`)}
      </select>
    </label>
    <footer><button class="button primary">${words.follow}</button></footer>
  </form>`;
}
