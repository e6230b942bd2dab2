import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { CHANNEL } from '../server/numbers.ts';
import { type Context, channelById, titleOfChannel } from './context.ts';
import { eventCards } from './events.ts';
import { followForm } from './following.ts';
import './panel-dialog.ts';
import { pinList } from './pins.ts';
import { requestList } from './requests.ts';
import { filled, wordsOf } from './words.ts';

/** The panel that is open over the page, if one is. */
export function panelOf(context: Context): unknown {
  const { panel, panelTurns, channelId } = context.view;
  if (panel === null) return nothing;
  const words = wordsOf(context);
  const channel = channelById(context, channelId);
  const drawn: Record<typeof panel, () => [heading: string, content: TemplateResult]> = {
    pins: () => [words.pins, pinList(context)],
    events: () => [words.events, eventCards(context)],
    requests: () => [words.requests, requestList(context)],
    follow: () => [filled(words.followTitle, channel ? titleOfChannel(channel) : ''), followForm(context)],
  };
  // It is of an announcement channel, and the channel may have been deleted meanwhile.
  if (panel === 'follow' && channel?.type !== CHANNEL.announcement) return nothing;
  const [heading, content] = drawn[panel]();
  return keyed(
    panelTurns,
    html`<panel-dialog
      .heading=${heading}
      .closeLabel=${words.close}
      .content=${content}
      @close-panel=${() => context.actions.openPanel(null)}
    ></panel-dialog>`,
  );
}
