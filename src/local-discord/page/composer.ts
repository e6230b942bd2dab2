import type { APIApplicationCommandBasicOption, APIApplicationCommandOptionChoice } from 'discord-api-types/v10';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { autocomplete, ProblemError } from './api.ts';
import { avatarOf } from './avatar.ts';
import { type Completion, choiceSuggestion, complete, runnables, type Suggestion } from './completion.ts';
import { type Context, channelById, displayName, nameOfChannel, personOf } from './context.ts';
import { icons } from './icons.ts';
import { topChannels } from './state.ts';

const AUTOCOMPLETE_AFTER_MS = 200;
const CHANNEL_OPTION = 7;

/**
 * Where slash commands are typed: the commands and their options are offered as one types, Tab or Enter takes an offer,
 * Enter runs a finished command. `run` is told the text; when it throws, the text stays and the problem is shown.
 */
export class CommandComposer extends LitElement {
  static override properties = {
    context: { attribute: false },
    run: { attribute: false },
    text: { state: true },
    selected: { state: true },
    closed: { state: true },
    problem: { state: true },
    choices: { state: true },
  };

  declare context: Context;
  declare run: (text: string) => Promise<void>;
  declare text: string;
  /** The place of the offer that Enter or Tab takes; -1 for none. */
  declare selected: number;
  declare closed: boolean;
  declare problem: string;
  /** What the server offers for the value being typed. */
  declare choices: { for: string; offered: APIApplicationCommandOptionChoice[] };
  #asking: AbortController | null = null;
  #askTimer: ReturnType<typeof setTimeout> | undefined;
  #history: string[] = [];

  constructor() {
    super();
    this.text = '';
    this.selected = 0;
    this.closed = false;
    this.problem = '';
    this.choices = { for: '', offered: [] };
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** Puts a beginning into the field and the caret behind it. */
  begin(text: string): void {
    this.#write(text);
    this.#field?.focus();
  }

  get #field(): HTMLInputElement | null {
    return this.querySelector('#command');
  }

  #completion(): Completion {
    return complete(this.text, runnables(this.context.server.commands), (option) => this.#known(option));
  }

  #known(option: APIApplicationCommandBasicOption): APIApplicationCommandOptionChoice[] {
    if (option.type !== CHANNEL_OPTION) return [];
    const types = option.channel_types;
    return topChannels(this.context.server.channels)
      .filter(({ type }) => type !== 4 && (!types || types.some((allowed) => allowed === type)))
      .map((channel) => ({ name: `#${nameOfChannel(channel)}`, value: `#${nameOfChannel(channel)}` }));
  }

  #suggestions(completion: Completion): Suggestion[] {
    const { remote } = completion;
    if (!remote) return completion.suggestions;
    return this.choices.offered.map((choice) => choiceSuggestion(choice, remote.before));
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('text')) this.#ask();
  }

  protected override render(): unknown {
    const completion = this.#completion();
    const suggestions = this.closed ? [] : this.#suggestions(completion);
    const channel = channelById(this.context, this.context.view.channelId);
    const place = channel ? `#${nameOfChannel(channel)}` : 'this channel';
    const plain = this.text !== '' && !this.text.startsWith('/');
    const asked = completion.remote !== null && this.choices.for !== this.text;
    return html`<form class="composer" @submit=${this.#submit}>
      ${suggestions.length > 0 || completion.command ? this.#drawPanel(completion, suggestions, asked) : nothing}
      <div class="composer-row">
        ${this.#drawPeople()}
        <input
          id="command"
          class="command-field"
          role="combobox"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          enterkeyhint="send"
          aria-label="Slash command"
          aria-autocomplete="list"
          aria-controls="suggestions"
          aria-expanded=${suggestions.length > 0 ? 'true' : 'false'}
          aria-activedescendant=${suggestions.length > 0 && this.selected >= 0 ? `suggestion-${this.selected}` : nothing}
          aria-describedby="composer-note"
          placeholder=${`Type / for commands in ${place}`}
          .value=${this.text}
          @input=${this.#onInput}
          @keydown=${this.#onKey}
        />
        <button class="send" aria-label="Run the command" ?disabled=${!this.text.startsWith('/')}>${icons.enter}</button>
      </div>
      <p id="composer-note" class="composer-note" role="status" ?data-problem=${this.problem !== ''}>
        ${this.problem || (plain ? 'Only slash commands are available here: begin with / to see them.' : '')}
      </p>
    </form>`;
  }

  #drawPanel(completion: Completion, suggestions: Suggestion[], asked: boolean): unknown {
    const { command, options } = completion;
    return html`<div class="composer-panel">
      ${
        command && this.text.includes(' ')
          ? html`<div class="command-hint">
            <b>/${command.path}</b>
            ${options.map(
              ({ name, state, required, description }) =>
                html`<span class="chip" data-state=${state} title=${description}>${name}${required ? '' : '?'}</span>`,
            )}
            <span class="hint-text">${options.find(({ state }) => state === 'active')?.description ?? command.description}</span>
          </div>`
          : nothing
      }
      ${asked && suggestions.length === 0 ? html`<p class="asking">Looking for choices…</p>` : nothing}
      <div id="suggestions" class="suggestions" role="listbox" aria-label="Suggestions">
        ${suggestions.map(
          (suggestion, index) => html`<div
            class="suggestion"
            id=${`suggestion-${index}`}
            role="option"
            aria-selected=${index === this.selected ? 'true' : 'false'}
            @pointerdown=${(event: Event) => event.preventDefault()}
            @click=${() => this.#take(suggestion)}
          >
            <span class="suggestion-label">${suggestion.label}</span>
            <span class="suggestion-text">${suggestion.description}</span>
          </div>`,
        )}
      </div>
    </div>`;
  }

  #drawPeople(): unknown {
    const { server, actions } = this.context;
    const current = personOf(this.context);
    return html`<div class="people" role="radiogroup" aria-label="Act as">
      ${server.people.map(({ user, canManage }) => {
        const name = displayName(user);
        const note = `${name}${canManage ? ', manages the server' : ', a member'}`;
        return html`<button
          type="button"
          class="person"
          role="radio"
          aria-checked=${user.id === current?.user.id ? 'true' : 'false'}
          aria-label=${`Act as ${note}`}
          title=${`Act as ${note}`}
          @click=${() => actions.choosePerson(user.id)}
        >
          <img src=${avatarOf(user.id, name)} alt="" />${canManage ? html`<span class="crown">${icons.crown}</span>` : nothing}
          <span class="person-name">${name}</span>
        </button>`;
      })}
    </div>`;
  }

  #onInput = (event: Event): void => {
    if (event.target instanceof HTMLInputElement) this.#write(event.target.value);
  };

  #write(text: string): void {
    this.text = text;
    this.selected = 0;
    this.closed = false;
    this.problem = '';
  }

  #onKey = (event: KeyboardEvent): void => {
    const suggestions = this.closed ? [] : this.#suggestions(this.#completion());
    const last = suggestions.length - 1;
    const chosen = suggestions[this.selected];
    if (event.key === 'ArrowUp' && this.text === '' && this.#history.length > 0) {
      this.#write(this.#history.at(-1) ?? '');
      this.closed = true;
    } else if (suggestions.length === 0) return;
    else if (event.key === 'ArrowDown') this.#select(this.selected >= last ? 0 : this.selected + 1);
    else if (event.key === 'ArrowUp') this.#select(this.selected <= 0 ? last : this.selected - 1);
    else if (event.key === 'Escape') this.closed = true;
    else if (event.key === 'Tab' && !event.shiftKey && chosen) this.#take(chosen);
    else if (event.key === 'Enter' && chosen && this.#enterTakes(chosen)) this.#take(chosen);
    else return;
    event.preventDefault();
  };

  /** Enter runs what is complete: an offer of something optional must not stand in its way. */
  #enterTakes(chosen: Suggestion): boolean {
    const { command, options } = this.#completion();
    if (!command || !this.text.includes(' ')) return chosen.text.trim() !== this.text || command === null;
    const missing = options.some(({ required, state }) => required && state === 'empty');
    const active = options.some(({ state }) => state === 'active');
    return (missing || active || !this.text.endsWith(' ')) && chosen.text.trim() !== this.text.trim();
  }

  #select(index: number): void {
    this.selected = index;
    this.querySelector(`#suggestion-${index}`)?.scrollIntoView({ block: 'nearest' });
  }

  #take(suggestion: Suggestion): void {
    this.#write(suggestion.text);
    this.#field?.focus();
  }

  #submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = this.text.trim();
    if (!text.startsWith('/')) return;
    this.closed = true;
    try {
      await this.run(text);
      this.#history = [...this.#history.slice(-19), text];
      if (this.text.trim() === text) this.#write('');
    } catch (error) {
      this.problem = error instanceof ProblemError ? error.message : 'The command could not be run. Try again.';
    }
  };

  #ask(): void {
    clearTimeout(this.#askTimer);
    this.#asking?.abort();
    const { remote } = this.#completion();
    if (!remote) {
      this.choices = { for: '', offered: [] };
      return;
    }
    const asking = new AbortController();
    this.#asking = asking;
    const text = this.text;
    const { personId, channelId } = this.context.view;
    this.#askTimer = setTimeout(async () => {
      try {
        const { choices } = await autocomplete({ personId, channelId, text, focused: remote.option }, asking.signal);
        this.choices = { for: text, offered: choices };
      } catch (error) {
        if (asking.signal.aborted) return;
        this.choices = { for: text, offered: [] };
        this.problem = error instanceof ProblemError ? error.message : '';
      }
    }, AUTOCOMPLETE_AFTER_MS);
  }
}

customElements.define('command-composer', CommandComposer);
