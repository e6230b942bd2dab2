import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { icons } from './icons.ts';

export interface SelectOption {
  label: string;
  value: string;
  description: string;
  chosen: boolean;
}

/**
 * A select menu: a button that opens a list box in the top layer. Arrow keys, Home, End, Enter, Space, Escape and the
 * first letter work. Fires `choose` with the chosen values: at once for a single choice, when the list closes for
 * several.
 */
export class SelectMenu extends LitElement {
  static override properties = {
    options: { attribute: false },
    placeholder: { attribute: false },
    minValues: { attribute: false },
    maxValues: { attribute: false },
    disabled: { attribute: false },
    active: { state: true },
    chosen: { state: true },
    open: { state: true },
  };

  declare options: SelectOption[];
  declare placeholder: string;
  declare minValues: number;
  declare maxValues: number;
  declare disabled: boolean;
  declare active: number;
  declare chosen: readonly string[];
  declare open: boolean;
  #optionsKey = '';
  readonly #listId = `select-${Math.random().toString(36).slice(2)}`;

  constructor() {
    super();
    this.options = [];
    this.placeholder = '';
    this.minValues = 1;
    this.maxValues = 1;
    this.disabled = false;
    this.active = 0;
    this.chosen = [];
    this.open = false;
  }

  /** Renders without a shadow root, so that the page's own style sheet applies. */
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('options')) return;
    const key = JSON.stringify(this.options);
    if (key === this.#optionsKey) return;
    this.#optionsKey = key;
    this.chosen = this.options.filter(({ chosen }) => chosen).map(({ value }) => value);
  }

  protected override render(): unknown {
    const chosen = this.options.filter(({ value }) => this.chosen.includes(value)).map(({ label }) => label);
    return html`<button
        class="select"
        ?disabled=${this.disabled}
        aria-haspopup="listbox"
        aria-expanded=${this.open ? 'true' : 'false'}
        aria-label=${`${this.placeholder}${chosen.length > 0 ? `: ${chosen.join(', ')}` : ''}`}
        @click=${this.#toggle}
        @keydown=${this.#onButtonKey}
      >
        <span class=${chosen.length > 0 ? '' : 'placeholder'}>${chosen.join(', ') || this.placeholder}</span>${icons.down}
      </button>
      <div
        class="select-list"
        id=${this.#listId}
        popover="auto"
        role="listbox"
        tabindex="-1"
        aria-label=${this.placeholder}
        aria-multiselectable=${this.maxValues > 1 ? 'true' : 'false'}
        aria-activedescendant=${`${this.#listId}-${this.active}`}
        @toggle=${this.#onToggle}
        @keydown=${this.#onListKey}
      >
        ${this.options.map((option, index) => this.#drawOption(option, index))}
      </div>`;
  }

  #drawOption(option: SelectOption, index: number): unknown {
    const chosen = this.chosen.includes(option.value);
    return html`<div
      class="select-option"
      id=${`${this.#listId}-${index}`}
      role="option"
      aria-selected=${chosen ? 'true' : 'false'}
      ?data-active=${index === this.active}
      @click=${() => this.#choose(index)}
      @pointermove=${() => {
        this.active = index;
      }}
    >
      <span class="select-label">${option.label}</span>
      ${option.description ? html`<span class="select-description">${option.description}</span>` : nothing}
      ${this.maxValues > 1 ? html`<span class="check" ?data-on=${chosen}>${chosen ? icons.tick : nothing}</span>` : nothing}
    </div>`;
  }

  get #list(): HTMLElement | null {
    return this.querySelector('.select-list');
  }

  #toggle = (): void => {
    const list = this.#list;
    const button = this.querySelector('button');
    if (!list || !button) return;
    const box = button.getBoundingClientRect();
    list.style.left = `${box.left}px`;
    list.style.width = `${box.width}px`;
    list.togglePopover();
    // The list opens below the button where it fits, else above.
    const below = box.bottom + list.offsetHeight + 8 < window.innerHeight;
    list.style.top = `${below ? box.bottom + 2 : Math.max(8, box.top - list.offsetHeight - 2)}px`;
    if (!list.matches(':popover-open')) return;
    this.active = Math.max(
      0,
      this.options.findIndex(({ value }) => this.chosen.includes(value)),
    );
    // At once, not with the event "toggle", which comes later: the next key belongs to the list.
    list.focus();
  };

  #onButtonKey = (event: KeyboardEvent): void => {
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !this.open) {
      event.preventDefault();
      this.#toggle();
    }
  };

  #onToggle = (event: ToggleEvent): void => {
    this.open = event.newState === 'open';
    if (this.open) return;
    this.querySelector('button')?.focus();
    if (this.maxValues > 1 && this.chosen.length >= this.minValues) this.#tell();
  };

  #onListKey = (event: KeyboardEvent): void => {
    const last = this.options.length - 1;
    if (event.key === 'Tab') {
      this.#list?.hidePopover();
      return;
    }
    if (event.key === 'ArrowDown') this.#move(this.active >= last ? 0 : this.active + 1);
    else if (event.key === 'ArrowUp') this.#move(this.active <= 0 ? last : this.active - 1);
    else if (event.key === 'Home') this.#move(0);
    else if (event.key === 'End') this.#move(last);
    else if (event.key === 'Enter' || event.key === ' ') this.#choose(this.active);
    else if (event.key.length === 1) this.#moveToLetter(event.key.toLowerCase());
    else return;
    event.preventDefault();
  };

  #moveToLetter(letter: string): void {
    const found = this.options.findIndex(({ label }) => label.toLowerCase().startsWith(letter));
    if (found >= 0) this.#move(found);
  }

  #move(index: number): void {
    this.active = index;
    this.querySelector(`#${this.#listId}-${index}`)?.scrollIntoView({ block: 'nearest' });
  }

  #choose(index: number): void {
    const value = this.options[index]?.value;
    if (value === undefined) return;
    if (this.maxValues === 1) {
      // Choosing the chosen option again clears it if the menu may stay empty.
      this.chosen = this.minValues === 0 && this.chosen.includes(value) ? [] : [value];
      this.#list?.hidePopover();
      this.#tell();
    } else if (this.chosen.includes(value)) this.chosen = this.chosen.filter((other) => other !== value);
    else if (this.chosen.length < this.maxValues) this.chosen = [...this.chosen, value];
  }

  #tell(): void {
    this.dispatchEvent(new CustomEvent('choose', { detail: [...this.chosen] }));
  }
}

customElements.define('select-menu', SelectMenu);
