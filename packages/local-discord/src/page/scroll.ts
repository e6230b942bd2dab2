/** Distance from the end, in CSS pixels, within which a reader counts as being at the end. */
const NEAR_PX = 80;

export interface End {
  /** Whether the reader is at the end of the conversation and the page is visible. */
  readonly reading: boolean;
  /** Scrolls to the end and stays there. */
  jump(): void;
  /** Keeps the visible messages in place while the next drawing puts earlier messages above them. */
  hold(): void;
  /** Scrolls to an element of the conversation and gives it the focus. */
  show(element: HTMLElement): void;
  /**
   * To be called after each drawing. It finds the conversation and, if the reader is at its end, shows the newest
   * message.
   */
  follow(): void;
}

/** Distance from the beginning, in heights of the window, at which earlier messages are shown. */
const EARLIER_AT = 1;

/**
 * Keeps a reader at the end of the conversation there while it grows or its pictures load.
 * @param onReached the reader has come to the end
 * @param onTop the reader comes near the beginning of what is shown
 */
export function keepAtEnd(root: HTMLElement, onReached: () => void, onTop: () => void): End {
  let pane: HTMLElement | null = null;
  let stick = true;
  let heldPx: number | null = null;
  let topPx = 0;
  const toEnd = () => {
    if (pane && stick) pane.scrollTop = pane.scrollHeight;
  };
  const sizes = new ResizeObserver(toEnd);
  const onScroll = () => {
    if (!pane) return;
    const isNear = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR_PX;
    // Only a reader scrolls up: where the end is further away by itself, the conversation has grown since.
    if (isNear || pane.scrollTop < topPx) stick = isNear;
    topPx = pane.scrollTop;
    if (stick && !document.hidden) onReached();
    // While earlier messages are being drawn, no more are asked for.
    if (!stick && heldPx === null && pane.scrollTop < EARLIER_AT * pane.clientHeight) onTop();
  };
  // Messages that arrived while the page was hidden count as seen once the page is visible.
  document.addEventListener('visibilitychange', onScroll);
  return {
    get reading() {
      return stick && !document.hidden;
    },
    jump() {
      stick = true;
      toEnd();
      onReached();
    },
    hold() {
      if (pane) heldPx = pane.scrollHeight - pane.scrollTop;
    },
    show(element) {
      stick = false;
      element.scrollIntoView({ block: 'center' });
      element.focus({ preventScroll: true });
    },
    follow() {
      const current = root.querySelector<HTMLElement>('.conversation');
      if (current !== pane) {
        sizes.disconnect();
        pane?.removeEventListener('scroll', onScroll);
        pane = current;
        stick = true;
        topPx = 0;
        pane?.addEventListener('scroll', onScroll, { passive: true });
        if (pane) sizes.observe(pane);
        if (pane?.firstElementChild) sizes.observe(pane.firstElementChild);
      }
      if (pane && heldPx !== null) pane.scrollTop = pane.scrollHeight - heldPx;
      heldPx = null;
      toEnd();
    },
  };
}
