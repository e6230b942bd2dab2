import { html, LitElement, nothing } from 'lit';
import { icons } from './icons.ts';

/** A dialog over the page with a heading. Fires `close-panel` when it is closed, by its button, Escape or a click outside. */
export class PanelDialog extends LitElement {
  static override properties = {
    heading: { attribute: false },
    closeLabel: { attribute: false },
    content: { attribute: false },
  };

  declare heading: string;
  declare closeLabel: string;
  declare content: unknown;
  #isClosed = false;

  constructor() {
    super();
    this.heading = '';
    this.closeLabel = '';
    this.content = nothing;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }

  protected override render(): unknown {
    return html`<dialog class="modal panel" aria-labelledby="panel-title" @cancel=${this.#onCancel} @close=${this.#close} @click=${this.#onClick}>
      <div class="panel-body">
        <header>
          <h2 id="panel-title">${this.heading}</h2>
          <button class="icon-button" aria-label=${this.closeLabel} @click=${this.#close}>${icons.close}</button>
        </header>
        ${this.content}
      </div>
    </dialog>`;
  }

  #onClick = (event: MouseEvent): void => {
    // The backdrop belongs to the dialog; everything in it lies in an element of its own.
    if (event.target === event.currentTarget) this.#close();
  };

  #onCancel = (event: Event): void => {
    event.preventDefault();
    this.#close();
  };

  /**
   * The browser gives the focus back to where it was only when the dialog itself closes, and tells of that later: by then
   * somebody may have opened the panel again.
   */
  #close = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.querySelector('dialog')?.close();
    this.dispatchEvent(new CustomEvent('close-panel'));
  };
}

customElements.define('panel-dialog', PanelDialog);
