import { html, LitElement, nothing } from 'lit';
import type { Picture } from './context.ts';
import { icons } from './icons.ts';

/** Shows pictures in full size, one at a time. Arrow keys go on and back; Escape and a click beside the picture close it. */
export class PictureLightbox extends LitElement {
  static override properties = { pictures: { state: true }, index: { state: true } };

  declare pictures: readonly Picture[];
  declare index: number;

  constructor() {
    super();
    this.pictures = [];
    this.index = 0;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  async open(pictures: readonly Picture[], index: number): Promise<void> {
    this.pictures = pictures;
    this.index = index;
    await this.updateComplete;
    this.querySelector('dialog')?.showModal();
  }

  protected override render(): unknown {
    const count = this.pictures.length;
    const shown = this.pictures[this.index];
    return html`<dialog class="lightbox" aria-label="Picture" @click=${this.#onClick} @keydown=${this.#onKey}>
      ${
        shown
          ? html`<img class="lightbox-picture" src=${shown.url} alt=${shown.description} referrerpolicy="no-referrer" />
              <div class="lightbox-bar">
                ${count > 1 ? this.#step(-1, 'Previous picture', icons.left) : nothing}
                ${count > 1 ? html`<span role="status">${this.index + 1} of ${count}</span>` : nothing}
                ${count > 1 ? this.#step(1, 'Next picture', icons.right) : nothing}
                <a class="link" href=${shown.url} target="_blank" rel="noopener noreferrer">Open original</a>
                <button class="icon-button" aria-label="Close" @click=${this.#close}>${icons.close}</button>
              </div>`
          : nothing
      }
    </dialog>`;
  }

  #step(by: number, label: string, icon: unknown): unknown {
    return html`<button class="icon-button" aria-label=${label} @click=${() => this.#go(by)}>${icon}</button>`;
  }

  #go(by: number): void {
    const count = this.pictures.length;
    this.index = (this.index + by + count) % count;
  }

  #close = (): void => {
    this.querySelector('dialog')?.close();
  };

  #onClick = (event: Event): void => {
    // The dialog fills the window, so a click on itself is one beside the picture.
    if (event.target === event.currentTarget) this.#close();
  };

  #onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowRight') this.#go(1);
    else if (event.key === 'ArrowLeft') this.#go(-1);
    else return;
    event.preventDefault();
  };
}

customElements.define('picture-lightbox', PictureLightbox);
