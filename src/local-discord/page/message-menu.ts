import { html, nothing } from 'lit';
import { COMMAND } from '../server/numbers.ts';
import type { PageMessage } from '../server/page-api.ts';
import { type Context, offeredCommands } from './context.ts';
import { icons } from './icons.ts';

/** A button that opens the message commands, which Discord lists under "Apps". */
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

/** Space kept between the list and the window's edges, in pixels. */
const EDGE = 8;

/** Places the list below its button, or as near to it as the window allows. */
function place(event: ToggleEvent): void {
  const list = event.currentTarget;
  if (event.newState !== 'open' || !(list instanceof HTMLElement)) return;
  const button = list.previousElementSibling?.getBoundingClientRect();
  if (!button) return;
  // The list's size is known only once it is shown.
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
