import type {
  APIApplicationCommand,
  APIApplicationCommandOption,
  APIApplicationCommandOptionChoice,
} from 'discord-api-types/v10';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { COMMAND, OPTION } from '../server/numbers.ts';
import type { GivenFile } from '../server/page-api.ts';
import { autocomplete, ProblemError } from './api.ts';
import { type Help, helpAt, type Offer } from './completion.ts';
import { pillsOf } from './composer-pills.ts';
import {
  avatarOfUser,
  type Context,
  channelById,
  displayName,
  nameOfChannel,
  offeredCommands,
  personOf,
  titleOfChannel,
} from './context.ts';
import { icons } from './icons.ts';
import { inLanguage, localeOf, registeredOption, registeredText } from './localized.ts';
import { CATEGORY, isThread, topChannels } from './state.ts';
import { wordsOf } from './words.ts';

const AUTOCOMPLETE_AFTER_MS = 200;

/**
 * The field for slash commands. Commands and options are offered during typing; Tab or Enter takes an offer, Enter runs
 * a finished command. `run` gets the text, and resolves with the interaction's id; when it rejects, the text stays and
 * the problem is shown.
 */
export class CommandComposer extends LitElement {
  static override properties = {
    context: { attribute: false },
    run: { attribute: false },
    text: { state: true },
    caret: { state: true },
    selected: { state: true },
    closed: { state: true },
    problem: { state: true },
    choices: { state: true },
  };

  declare context: Context;
  declare run: (text: string, files: GivenFile[]) => Promise<string>;
  declare text: string;
  declare caret: number;
  /** The index of the offer that Enter or Tab takes; -1 for none. */
  declare selected: number;
  declare closed: boolean;
  declare problem: string;
  /** The server's choices for the value being typed. */
  declare choices: { for: string; offered: APIApplicationCommandOptionChoice[] };
  #asking: AbortController | null = null;
  #askTimer: ReturnType<typeof setTimeout> | undefined;
  #history: string[] = [];
  /** The files chosen for the command, by name. */
  readonly #files = new Map<string, GivenFile>();

  constructor() {
    super();
    this.text = '';
    this.caret = 0;
    this.selected = 0;
    this.closed = false;
    this.problem = '';
    this.choices = { for: '', offered: [] };
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** Sets the text to a beginning and puts the caret after it. */
  begin(text: string): void {
    this.#write(text, text.length);
    this.field?.focus();
  }

  /** The field that is typed in. */
  get field(): HTMLInputElement | null {
    return this.querySelector('#command');
  }

  #help(): Help {
    const locale = localeOf(this.context);
    const commands = this.#commands().map((command) => inLanguage(command, locale));
    const offered = this.choices.for === this.text ? this.choices.offered : [];
    return helpAt(this.text, this.caret, commands, (option) => this.#known(option), offered);
  }

  /** The commands by the names that they are registered with. */
  #commands(): APIApplicationCommand[] {
    return offeredCommands(this.context, COMMAND.chatInput);
  }

  /** The typed text as the server takes it. */
  #registered(text: string): string {
    return registeredText(text, this.#commands(), localeOf(this.context));
  }

  #known(option: APIApplicationCommandOption): APIApplicationCommandOptionChoice[] {
    const { server } = this.context;
    const named = (name: string) => ({ name, value: name });
    const people = () => server.people.map(({ user }) => named(`@${displayName(user)}`));
    const roles = () => server.guild.roles.map(({ name }) => named(`@${name.replace(/^@/, '')}`));
    switch (option.type) {
      case OPTION.channel: {
        const types = option.channel_types;
        return topChannels(server.channels)
          .filter(({ type }) => type !== CATEGORY && (!types || types.some((allowed) => allowed === type)))
          .map((channel) => named(`#${nameOfChannel(channel)}`));
      }
      case OPTION.user:
        return people();
      case OPTION.role:
        return roles();
      case OPTION.mentionable:
        return [...people(), ...roles()];
      case OPTION.attachment:
        return [...this.#files.keys()].map(named);
      default:
        return [];
    }
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('text')) this.#ask();
  }

  protected override updated(changed: PropertyValues): void {
    const field = this.field;
    if (changed.has('text') && field && field.selectionStart !== this.caret) {
      field.setSelectionRange(this.caret, this.caret);
    }
    this.#alignPills();
  }

  protected override render(): unknown {
    const help = this.#help();
    const offers = this.closed ? [] : help.offers;
    const channel = channelById(this.context, this.context.view.channelId);
    const place = channel
      ? isThread(channel)
        ? 'this post'
        : titleOfChannel(channel, this.context.server.botName)
      : 'this channel';
    const asking = help.remote !== null && this.choices.for !== this.text;
    const isMessage = this.#isMessage();
    return html`<form class="composer" @submit=${this.#submit}>
      ${offers.length > 0 || help.command ? this.#drawPanel(help, offers, asking) : nothing}
      <div class="composer-row">
        ${this.#drawPeople()}
        <div class="command-input">
          <div class="pills" aria-hidden="true">${pillsOf(this.text).map(({ text, kind }) => html`<span data-kind=${kind}>${text}</span>`)}</div>
          ${this.#drawField(offers, place)}
        </div>
        <button class="send" aria-label=${isMessage ? wordsOf(this.context).sendMessage : 'Run the command'} ?disabled=${!this.text.startsWith('/') && !isMessage}>
          ${icons.enter}
        </button>
      </div>
      <p id="composer-note" class="composer-note" role="status" ?data-problem=${this.problem !== ''}>
        ${this.problem || this.#hint()}
      </p>
    </form>`;
  }

  #drawField(offers: readonly Offer[], place: string): unknown {
    return html`<input
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
          aria-expanded=${offers.length > 0 ? 'true' : 'false'}
          aria-activedescendant=${offers.length > 0 && this.selected >= 0 ? `suggestion-${this.selected}` : nothing}
          aria-describedby="composer-note"
          placeholder=${`Type / for commands in ${place}`}
          .value=${this.text}
          @input=${this.#onInput}
          @keydown=${this.#onKey}
          @select=${this.#onCaret}
          @keyup=${this.#onCaret}
          @click=${this.#onCaret}
          @scroll=${this.#alignPills}
        />`;
  }

  /** Keeps the pills under the text that they stand for, when the field has scrolled. */
  #alignPills = (): void => {
    const pills = this.querySelector('.pills');
    if (pills) pills.scrollLeft = this.field?.scrollLeft ?? 0;
  };

  #hint(): string {
    if (this.text === '') return '';
    if (!this.text.startsWith('/')) return 'Only slash commands are available here: begin with / to see them.';
    return this.context.server.commands.length === 0
      ? 'There are no commands yet; the bot brings them when it connects.'
      : '';
  }

  #drawPanel({ command, options }: Help, offers: Offer[], asking: boolean): unknown {
    const active = options.find(({ state }) => state === 'active');
    return html`<div class="composer-panel">
      ${
        command
          ? html`<div class="command-hint">
            <b>${command.title}</b>
            ${options.map(
              ({ name, state, required, description }) => html`<button
                type="button"
                class="chip"
                data-state=${state}
                ?data-required=${required}
                ?disabled=${state !== 'open'}
                title=${description}
                @click=${() => this.#addOption(name)}
              >
                ${name}
              </button>`,
            )}
            <span class="hint-text">${active?.description ?? command.description}</span>
          </div>`
          : nothing
      }
      ${active?.takesFile ? this.#drawFileField() : nothing}
      ${asking && offers.length === 0 ? html`<p class="asking">Looking for choices…</p>` : nothing}
      <div id="suggestions" class="suggestions" role="listbox" aria-label="Suggestions">
        ${offers.map(
          (offer, index) => html`<div
            class="suggestion"
            id=${`suggestion-${index}`}
            role="option"
            aria-selected=${index === this.selected ? 'true' : 'false'}
            @pointerdown=${(event: Event) => event.preventDefault()}
            @click=${() => this.#take(offer)}
          >
            <span class="suggestion-label">${offer.label}</span>
            <span class="suggestion-text">${offer.description}</span>
          </div>`,
        )}
      </div>
    </div>`;
  }

  #drawFileField(): unknown {
    return html`<div class="file-field">
      <input type="file" aria-label="File to attach" @change=${this.#onFile} />
    </div>`;
  }

  /** Puts the chosen file's name where the option's value is typed. */
  #onFile = async (event: Event): Promise<void> => {
    const file = event.target instanceof HTMLInputElement ? event.target.files?.[0] : undefined;
    if (!file) return;
    const name = file.name.replace(/[^\w.-]/g, '_');
    this.#files.set(name, { name, contentType: file.type, base64: await base64Of(file) });
    const text = `${this.text.replace(/\S*$/, (word) => word.slice(0, word.indexOf(':') + 1))}${name} `;
    this.#write(text, text.length);
    this.field?.focus();
  };

  #drawPeople(): unknown {
    const { server, actions } = this.context;
    const current = personOf(this.context);
    return html`<div class="people" role="group" aria-label="Act as">
      ${server.people.map(({ user, canManage }) => {
        const name = displayName(user);
        const note = `${name}${canManage ? ', manages the server' : ', a member'}`;
        return html`<button
          type="button"
          class="person"
          aria-pressed=${user.id === current?.user.id ? 'true' : 'false'}
          aria-label=${`Act as ${note}`}
          title=${`Act as ${note}`}
          @click=${() => actions.choosePerson(user.id)}
        >
          <img src=${avatarOfUser(user)} alt="" />${canManage ? html`<span class="crown">${icons.crown}</span>` : nothing}
          <span class="person-name">${name}</span>
        </button>`;
      })}
    </div>`;
  }

  #onInput = (event: Event): void => {
    if (!(event.target instanceof HTMLInputElement)) return;
    this.#write(event.target.value, event.target.selectionStart ?? event.target.value.length);
  };

  #onCaret = (): void => {
    this.caret = this.field?.selectionStart ?? this.caret;
  };

  #write(text: string, caret: number): void {
    this.text = text;
    this.caret = caret;
    this.selected = 0;
    this.closed = false;
    this.problem = '';
  }

  #onKey = (event: KeyboardEvent): void => {
    const help = this.#help();
    const offers = this.closed ? [] : help.offers;
    const last = offers.length - 1;
    const chosen = offers[this.selected];
    const previous = this.#history.at(-1);
    if (event.key === 'ArrowUp' && this.text === '' && previous !== undefined) {
      this.#write(previous, previous.length);
      this.closed = true;
    } else if (offers.length === 0 || event.isComposing) return;
    else if (event.key === 'ArrowDown') this.#select(this.selected >= last ? 0 : this.selected + 1);
    else if (event.key === 'ArrowUp') this.#select(this.selected <= 0 ? last : this.selected - 1);
    else if (event.key === 'Escape') this.closed = true;
    else if (event.key === 'Tab' && !event.shiftKey && chosen) this.#take(chosen);
    // Enter runs a complete command, unless the person has moved to another offer.
    else if (event.key === 'Enter' && chosen && (help.unfinished || this.selected > 0)) this.#take(chosen);
    else return;
    event.preventDefault();
  };

  #select(index: number): void {
    this.selected = index;
    this.querySelector(`#suggestion-${index}`)?.scrollIntoView({ block: 'nearest' });
  }

  #take(offer: Offer): void {
    this.#write(offer.text, offer.caret);
    this.field?.focus();
  }

  /** Continues the command with an option whose value is typed next. */
  #addOption(name: string): void {
    this.begin(`${this.text.trimEnd()} ${name}:`);
  }

  /** Whether what is typed is a message to the channel. In a demo people use the bot's commands alone. */
  #isMessage(): boolean {
    return this.context.server.demo === null && this.text.trim() !== '' && !this.text.startsWith('/');
  }

  /** Keeps what was sent, for the arrow keys. */
  #remember(text: string): void {
    this.#history = [...this.#history.slice(-19), text];
  }

  #submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = this.text.trim();
    if (this.#isMessage()) {
      this.context.actions.act({ do: 'post', channelId: this.context.view.channelId, content: text });
      // Where Discord refuses it, the arrow key brings it back.
      this.#remember(text);
      this.#write('', 0);
      return;
    }
    if (!text.startsWith('/')) return;
    this.closed = true;
    try {
      await this.run(
        this.#registered(text),
        [...this.#files.values()].filter(({ name }) => text.includes(name)),
      );
      this.#files.clear();
      this.#remember(text);
      if (this.text.trim() === text) this.#write('', 0);
    } catch (error) {
      this.problem = error instanceof ProblemError ? error.message : 'The command could not be run. Try again.';
    }
  };

  #ask(): void {
    clearTimeout(this.#askTimer);
    this.#asking?.abort();
    const { remote } = this.#help();
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
        const focused = registeredOption(text, remote.option, this.#commands(), localeOf(this.context));
        const typed = { personId, channelId, text: this.#registered(text), focused };
        const { choices } = await autocomplete(typed, asking.signal);
        this.choices = { for: text, offered: choices };
      } catch (error) {
        if (asking.signal.aborted) return;
        this.choices = { for: text, offered: [] };
        this.problem = error instanceof ProblemError ? error.message : '';
      }
    }, AUTOCOMPLETE_AFTER_MS);
  }
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result.replace(/^.*;base64,/, '') : '');
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });
}

customElements.define('command-composer', CommandComposer);
