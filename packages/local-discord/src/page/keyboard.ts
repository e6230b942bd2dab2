const EDITABLE = 'input, textarea, select, [contenteditable]';
/** While one of these is open, keys are for it alone. */
const OVERLAYS = 'dialog[open], :popover-open';

/** Whether a key is meant for the composer, wherever the focus is: it writes a character, or pastes. */
function writes(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event;
  if (defaultPrevented || isComposing || altKey) return false;
  // Space presses buttons and scrolls.
  if (ctrlKey || metaKey) return key.toLowerCase() === 'v';
  return key.length === 1 && key !== ' ';
}

/**
 * Sends what is typed anywhere on the page to the composer. The browser writes the character of a key where the focus is
 * once its event has been handled, so moving the focus is enough.
 */
export function typeAnywhere(field: () => HTMLElement | null): void {
  document.addEventListener('keydown', (event) => {
    const from = event.target;
    if (!writes(event) || !(from instanceof Element) || from.closest(EDITABLE) || document.querySelector(OVERLAYS))
      return;
    field()?.focus();
  });
}

/**
 * Walks through the messages of a conversation by arrow keys, Home and End.
 * @param leave gives the focus to the composer
 */
export function walkMessages(event: KeyboardEvent, leave: () => void): void {
  const pane = event.currentTarget;
  const from = event.target;
  if (event.defaultPrevented || !(pane instanceof HTMLElement) || !(from instanceof Element)) return;
  if (from.closest(`${EDITABLE}, [popover]`)) return;
  if (event.key === 'Escape') {
    leave();
    return;
  }
  const messages = [...pane.querySelectorAll<HTMLElement>('discord-message, .notice-line')];
  const at = messages.findIndex((message) => message.contains(from));
  const next = {
    ArrowUp: at < 0 ? messages.length - 1 : at - 1,
    ArrowDown: at < 0 ? messages.length - 1 : at + 1,
    Home: 0,
    End: messages.length - 1,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const message = messages[next];
  message?.focus({ preventScroll: true });
  message?.scrollIntoView({ block: 'nearest' });
}
