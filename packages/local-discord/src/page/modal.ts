import type { APIModalComponent, APISelectMenuComponent } from 'discord-api-types/v10';
import { html, LitElement, nothing } from 'lit';
import { COMPONENT } from '../server/numbers.ts';
import type { SubmitModal } from '../server/page-api.ts';
import { selectOptions } from './components.ts';
import type { Context } from './context.ts';
import { icons } from './icons.ts';
import { markdown } from './markdown/render.ts';
import type { OpenModal } from './state.ts';

/**
 * A modal: https://discord.com/developers/docs/components/reference. Fires `submit-modal` (detail: the values) and
 * `close-modal`.
 */
export class ModalDialog extends LitElement {
  static override properties = {
    modal: { attribute: false },
    context: { attribute: false },
    problem: { attribute: false },
  };

  declare modal: OpenModal;
  declare context: Context;
  declare problem: string;
  readonly #selected = new Map<string, string[]>();

  constructor() {
    super();
    this.problem = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    for (const select of selectsIn(this.modal.modal.components as ModalPart[])) {
      const preset = selectOptions(select, this.context).filter(({ chosen }) => chosen);
      this.#selected.set(
        select.custom_id,
        preset.map(({ value }) => value),
      );
    }
    this.querySelector<HTMLElement>('input, textarea')?.focus();
  }

  protected override render(): unknown {
    const { modal } = this.modal;
    return html`<dialog class="modal" aria-labelledby="modal-title" @close=${this.#close}>
      <form method="dialog" @submit=${this.#submit}>
        <header>
          <h2 id="modal-title">${modal.title}</h2>
          <button type="button" class="icon-button" aria-label="Close" @click=${this.#close}>${icons.close}</button>
        </header>
        ${(modal.components as ModalPart[]).map((part) => this.#drawPart(part))}
        ${this.problem ? html`<p class="failed" role="alert">${this.problem}</p>` : nothing}
        <footer>
          <button type="button" class="button plain" @click=${this.#close}>Cancel</button>
          <button class="button primary">Submit</button>
        </footer>
      </form>
    </dialog>`;
  }

  #drawPart(part: ModalPart): unknown {
    switch (part.type) {
      case COMPONENT.actionRow:
        return part.components.map((input) => this.#drawPart(input));
      case COMPONENT.label:
        return html`<label class="field">
          <span class="field-label">${part.label}</span>
          ${part.description ? html`<span class="field-note">${part.description}</span>` : nothing}
          ${this.#drawPart(part.component)}
        </label>`;
      case COMPONENT.textDisplay:
        return markdown(part.content, this.context);
      case COMPONENT.textInput: {
        const { custom_id: name, label, placeholder = '', value = '', style, required = true } = part;
        const { min_length: least = 0, max_length: most = 4000 } = part;
        const input =
          style === 2
            ? html`<textarea
              name=${name}
              rows="4"
              placeholder=${placeholder}
              minlength=${least}
              maxlength=${most}
              ?required=${required}
              .value=${value}
            ></textarea>`
            : html`<input
              name=${name}
              placeholder=${placeholder}
              minlength=${least}
              maxlength=${most}
              ?required=${required}
              .value=${value}
              autocomplete="off"
            />`;
        return label ? html`<label class="field"><span class="field-label">${label}</span>${input}</label>` : input;
      }
      case COMPONENT.stringSelect:
      case COMPONENT.userSelect:
      case COMPONENT.roleSelect:
      case COMPONENT.mentionableSelect:
      case COMPONENT.channelSelect:
        return html`<select-menu
          .options=${selectOptions(part, this.context)}
          .placeholder=${part.placeholder ?? 'Make a selection'}
          .minValues=${part.min_values ?? 1}
          .maxValues=${part.max_values ?? 1}
          @choose=${(event: CustomEvent<string[]>) => this.#selected.set(part.custom_id, event.detail)}
        ></select-menu>`;
      default:
        return nothing;
    }
  }

  #submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const values: SubmitModal['values'] = {};
    for (const [name, value] of new FormData(event.target)) if (typeof value === 'string') values[name] = value;
    for (const [name, chosen] of this.#selected) values[name] = chosen;
    this.dispatchEvent(new CustomEvent('submit-modal', { detail: values }));
  };

  #close = (): void => {
    this.dispatchEvent(new CustomEvent('close-modal'));
  };
}

type ModalPart = APIModalComponent | { type: 10; content: string };

const SELECTS: readonly number[] = [
  COMPONENT.stringSelect,
  COMPONENT.userSelect,
  COMPONENT.roleSelect,
  COMPONENT.mentionableSelect,
  COMPONENT.channelSelect,
];

/** The select menus of a modal. Those that nobody touches are submitted as they are shown. */
function selectsIn(parts: readonly ModalPart[]): APISelectMenuComponent[] {
  const inside = parts.flatMap((part) => (part.type === COMPONENT.label ? [part.component] : []));
  return inside.filter((one): one is Extract<typeof one, APISelectMenuComponent> => SELECTS.includes(one.type));
}

customElements.define('modal-dialog', ModalDialog);
