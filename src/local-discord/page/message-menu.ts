import { html, nothing } from 'lit';
import { COMMAND } from '../server/numbers.ts';
import type { PageMessage } from '../server/page-api.ts';
import { type Context, offeredCommands } from './context.ts';
import { icons } from './icons.ts';

/** The commands that apps bring to a message, behind a button of its own: Discord has them under "Apps". */
export function messageMenu(message: PageMessage, context: Context): unknown {
  const commands = offeredCommands(context, COMMAND.message);
  if (commands.length === 0) return nothing;
  const id = `apps-${message.id}`;
  const choose = (name: string) => {
    document.getElementById(id)?.hidePopover();
    context.actions.runOn(message, name);
  };
  return html`<button
      class="icon-button message-menu"
      popovertarget=${id}
      aria-haspopup="menu"
      aria-label="Apps for this message"
    >
      ${icons.apps}
    </button>
    <div class="message-commands" id=${id} popover="auto" role="menu" aria-label="Apps" @beforetoggle=${place} @keydown=${walk}>
      ${commands.map(({ name }) => html`<button role="menuitem" @click=${() => choose(name)}>${name}</button>`)}
    </div>`;
}

/** Room that is kept between the list and the window's edges, in pixels. */
const EDGE = 8;

/** Below its button, or as near as the window has room. */
function place(event: ToggleEvent): void {
  const list = event.currentTarget;
  if (event.newState !== 'open' || !(list instanceof HTMLElement)) return;
  const button = list.previousElementSibling?.getBoundingClientRect();
  if (!button) return;
  // Its size is known once it shows.
  requestAnimationFrame(() => {
    const left = Math.max(EDGE, button.right - list.offsetWidth);
    const top = Math.min(button.bottom + 4, window.innerHeight - list.offsetHeight - EDGE);
    list.style.left = `${left}px`;
    list.style.top = `${top}px`;
    list.querySelector('button')?.focus();
  });
}

function walk(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const list = event.currentTarget;
  if (step === undefined || !(list instanceof HTMLElement)) return;
  event.preventDefault();
  const buttons = [...list.querySelectorAll('button')];
  const at = buttons.findIndex((button) => button.matches(':focus'));
  buttons.at((at + step) % buttons.length)?.focus();
}
