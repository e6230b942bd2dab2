import { html, LitElement, nothing } from 'lit';
import type { MenuItem, Point } from './context.ts';
import { icons } from './icons.ts';

/** Space between the menu and the window's edges, in CSS pixels. */
const EDGE = 8;

/**
 * The page's menu, of which one is open at a time. Arrow keys, Home, End and the first letter work; Escape, Tab and a
 * click elsewhere close it.
 */
export class ContextMenu extends LitElement {
  static override properties = { items: { state: true }, label: { state: true } };

  declare items: readonly MenuItem[];
  declare label: string;
  #from: Element | null = null;

  constructor() {
    super();
    this.items = [];
    this.label = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('pointerdown', this.#onPointer);
  }

  override disconnectedCallback(): void {
    document.removeEventListener('pointerdown', this.#onPointer);
    super.disconnectedCallback();
  }

  async open(point: Point, label: string, items: readonly MenuItem[]): Promise<void> {
    this.#from = document.activeElement;
    this.label = label;
    this.items = items;
    await this.updateComplete;
    const menu = this.#menu;
    if (!menu || items.length === 0) return;
    menu.showPopover();
    menu.style.left = `${within(point.x, window.innerWidth - menu.offsetWidth)}px`;
    menu.style.top = `${within(point.y, window.innerHeight - menu.offsetHeight)}px`;
    (menu.querySelector<HTMLElement>('[aria-checked=true]') ?? this.#buttons[0])?.focus();
  }

  protected override render(): unknown {
    // "manual", because a press of the right button would close one that closes by itself as soon as it is let go.
    return html`<div class="menu-list" popover="manual" role="menu" aria-label=${this.label} @keydown=${this.#onKey}>
      ${this.items.map(
        (item) => html`${
          item.heading === undefined
            ? nothing
            : html`<div class="menu-heading" role="presentation">${item.heading}</div>`
        }<button
          role=${item.checked === undefined ? 'menuitem' : 'menuitemradio'}
          aria-checked=${item.checked === undefined ? nothing : String(item.checked)}
          tabindex="-1"
          @click=${() => {
            this.#close();
            item.choose();
          }}
        >
          <span>${item.label}</span>${item.checked === true ? icons.tick : nothing}
        </button>`,
      )}
    </div>`;
  }

  get #menu(): HTMLElement | null {
    return this.querySelector('.menu-list');
  }

  get #buttons(): HTMLElement[] {
    return [...this.querySelectorAll('button')];
  }

  /** Closes the menu and gives the focus back to where it was. */
  #close(): void {
    if (!this.#menu?.matches(':popover-open')) return;
    this.#menu.hidePopover();
    if (this.#from instanceof HTMLElement) this.#from.focus({ preventScroll: true });
  }

  #onPointer = (event: PointerEvent): void => {
    if (event.target instanceof Node && this.contains(event.target)) return;
    this.#menu?.hidePopover();
  };

  #onKey = (event: KeyboardEvent): void => {
    const buttons = this.#buttons;
    const at = buttons.findIndex((button) => button.matches(':focus'));
    const letter = event.key.length === 1 && event.key !== ' ' ? event.key.toLowerCase() : null;
    if (event.key === 'ArrowDown') buttons[(at + 1) % buttons.length]?.focus();
    else if (event.key === 'ArrowUp') buttons.at((at <= 0 ? buttons.length : at) - 1)?.focus();
    else if (event.key === 'Home') buttons[0]?.focus();
    else if (event.key === 'End') buttons.at(-1)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') this.#close();
    else if (letter !== null) focusLetter(buttons, at, letter);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** Focuses the next button after `at` whose text begins with the letter. */
function focusLetter(buttons: readonly HTMLElement[], at: number, letter: string): void {
  const next = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)];
  next.find(({ textContent }) => textContent?.trim().toLowerCase().startsWith(letter))?.focus();
}

function within(wanted: number, most: number): number {
  return Math.max(EDGE, Math.min(wanted, most - EDGE));
}

/** The point at which a menu opens below the button that was pressed. */
export function pointBelow({ currentTarget }: Event): Point {
  if (!(currentTarget instanceof HTMLElement)) return { x: 0, y: 0 };
  const { left, bottom } = currentTarget.getBoundingClientRect();
  return { x: left, y: bottom + 4 };
}

/** The items with a heading above the first of them. */
export function under(heading: string, items: readonly MenuItem[]): MenuItem[] {
  return items.map((item, index) => ({ ...item, ...(index === 0 && { heading }) }));
}

customElements.define('context-menu', ContextMenu);
