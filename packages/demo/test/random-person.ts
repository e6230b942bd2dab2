import type { PageMessage, PageState, PageUpdate } from '../../local-discord/src/index.ts';
import { COMMAND, COMPONENT, OPTION } from '../../local-discord/src/server/numbers.ts';
import type { FollowedPage } from './followed-page.ts';
import type { RunningDemo } from './running-demo.ts';

/** A person types one of these where anything may be typed: some are sensible, some are slips, some break a careless program. */
const TEXTS = [
  'tv',
  '20',
  '20%',
  '<30',
  'off:>40 -refurbished',
  'Berlin',
  '18:30',
  'de',
  '7d',
  '@everyone',
  '**x** `y`',
  '🎧',
  'a"b',
];
const MENUS: readonly unknown[] = [
  COMPONENT.stringSelect,
  COMPONENT.userSelect,
  COMPONENT.roleSelect,
  COMPONENT.mentionableSelect,
  COMPONENT.channelSelect,
];
const LINK_STYLE = 5;
/** The person uses the buttons and menus of so many of a channel's newest messages. */
const NEWEST = 6;
const ANSWERED_WITHIN_MS = 15_000;

type Option = NonNullable<PageState['commands'][number]['options']>[number];
type Item = Record<string, unknown>;
type Body = Readonly<Record<string, unknown>>;

/** A use of the bot, and how it ended. `refused`: Discord refused it before the bot was asked. */
export interface Use {
  what: string;
  is: 'answered' | 'deferred' | 'failed' | 'refused';
  /** Discord's sentence about it. */
  problem?: string;
}

interface Usable {
  path: string[];
  options: readonly Option[];
}

/** The subcommands, and the commands that have none, of all slash commands. */
function usablesOf({ commands }: PageState): Usable[] {
  const below = (path: string[], options: readonly Option[] = []): Usable[] => {
    const nested = options.flatMap((one) =>
      isOf(one, OPTION.subcommand, OPTION.subcommandGroup)
        ? below([...path, one.name], 'options' in one ? one.options : [])
        : [],
    );
    return nested.length > 0 ? nested : [{ path, options }];
  };
  return commands
    .filter(({ type }) => Number(type) === COMMAND.chatInput)
    .flatMap(({ name, options }) => below([name], options));
}

const isOf = ({ type }: Option, ...types: number[]) => types.includes(type);

function itemsOf({ components = [] }: { components?: readonly unknown[] }): Item[] {
  return (components as Item[]).flatMap((item) => {
    const children = ['components', 'component', 'accessory'].flatMap((name) =>
      item[name] ? [item[name]].flat() : [],
    );
    return [item, ...itemsOf({ components: children })];
  });
}

/** A person who uses every command, message command, button, menu and form of the bot in an order that the random numbers decide. */
export class RandomPerson {
  readonly #demo: RunningDemo;
  readonly #page: FollowedPage;
  readonly #random: () => number;
  /** The ends of uses by interaction id, and those who wait for one. */
  readonly #heard = new Map<string, Omit<Use, 'what'>>();
  readonly #waiting = new Map<string, (came: Omit<Use, 'what'>) => void>();
  readonly #form: { open: (PageUpdate & { type: 'modal' }) | null; channelId: string } = { open: null, channelId: '' };
  #next: Usable[] = [];

  /** @param random numbers from 0 up to 1 */
  constructor(demo: RunningDemo, page: FollowedPage, random: () => number) {
    this.#demo = demo;
    this.#page = page;
    this.#random = random;
    page.onUpdate((update) => this.#take(update));
  }

  #take(update: PageUpdate): void {
    if (update.type !== 'modal' && update.type !== 'interaction') return;
    if (update.type === 'modal') this.#form.open = update;
    const came =
      update.type === 'modal' ? { is: 'answered' as const } : { is: update.state, problem: update.problem ?? '' };
    this.#heard.set(update.interactionId, came);
    this.#waiting.get(update.interactionId)?.(came);
  }

  /** Fills in the form that is open; where none is, uses a command, or a button or menu. */
  async use(): Promise<Use> {
    const { state } = this.#page;
    const form = this.#form.open;
    if (form) return this.#submit(state, form);
    return (this.#random() < 0.5 ? this.#press(state) : null) ?? this.#run(state);
  }

  /** Has somebody who manages the server use a command. @param text as typed */
  async command(text: string): Promise<Use> {
    const { people, channels } = this.#page.state;
    const personId = people.find(({ canManage }) => canManage)?.user.id;
    return this.#begin(text, '/page/commands', { personId, channelId: channels[0]?.id, text, files: [] });
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }

  /** The next of all commands; after the last they begin again in another order. */
  async #run(state: PageState): Promise<Use> {
    if (this.#next.length === 0) {
      const order = usablesOf(state).map((usable) => ({ usable, place: this.#random() }));
      this.#next = order.toSorted((one, other) => one.place - other.place).map(({ usable }) => usable);
    }
    const { path, options } = this.#next.pop() ?? { path: ['help'], options: [] };
    let text = `/${path.join(' ')}`;
    const person = { personId: this.#personOf(state), channelId: this.#channelOf(state) };
    const files: { name: string; contentType: string; base64: string }[] = [];
    for (const option of options) {
      if (!option.required && this.#random() < 0.6) continue;
      if (isOf(option, OPTION.attachment)) files.push({ name: 'a.txt', contentType: 'text/plain', base64: 'YQ==' });
      const value = await this.#valueOf(state, option, {
        ...person,
        text: `${text} ${option.name}:`,
        focused: option.name,
      });
      text += ` ${option.name}:${JSON.stringify(String(value))}`;
    }
    return this.#begin(text, '/page/commands', { ...person, text, files });
  }

  async #valueOf(state: PageState, option: Option, typing: Body): Promise<unknown> {
    if (isOf(option, OPTION.boolean)) return this.#pick(['true', 'false']);
    if (isOf(option, OPTION.channel)) {
      return `<#${this.#channelOf(state, 'channel_types' in option ? option.channel_types : undefined)}>`;
    }
    if (isOf(option, OPTION.role)) return `<@&${this.#pick(state.guild.roles)?.id}>`;
    if (isOf(option, OPTION.user, OPTION.mentionable)) return `<@${this.#personOf(state)}>`;
    if (isOf(option, OPTION.attachment)) return 'a.txt';
    if ('choices' in option && option.choices) return this.#pick<{ value: unknown }>(option.choices)?.value;
    if (isOf(option, OPTION.integer, OPTION.number)) {
      return (('min_value' in option && option.min_value) || 1) + Math.floor(this.#random() * 3);
    }
    if ('autocomplete' in option && option.autocomplete && this.#random() < 0.8) {
      const { choices = [] } = (await this.#ask('/page/autocomplete', typing)).said as {
        choices?: { value: unknown }[];
      };
      const chosen = this.#pick(choices);
      if (chosen) return chosen.value;
    }
    return this.#pick(TEXTS);
  }

  #press(state: PageState): Promise<Use> | null {
    const personId = this.#personOf(state);
    const channelId = this.#channelOf(state);
    const newest = (state.messages[channelId] ?? []).filter(
      ({ author, visible_to: only }) => author.bot === true && (only === null || only === personId),
    );
    const messages = newest.slice(-NEWEST);
    const [message, command] = [
      this.#pick(messages),
      this.#pick(state.commands.filter(({ type }) => Number(type) === COMMAND.message)),
    ];
    if (message && command && this.#random() < 0.2) {
      const chosen = { personId, channelId, messageId: message.id, name: command.name };
      return this.#begin(command.name, '/page/message-commands', chosen);
    }
    const usable = messages.flatMap((each) =>
      itemsOf(each)
        .filter(({ type, style, disabled }) => {
          const isUsable = MENUS.includes(type) || (type === COMPONENT.button && style !== LINK_STYLE);
          return isUsable && disabled !== true;
        })
        .map((item) => ({ message: each, item })),
    );
    const chosen = this.#pick(usable);
    return chosen ? this.#useItem(state, chosen, { personId, channelId }) : null;
  }

  #useItem(state: PageState, { message, item }: { message: PageMessage; item: Item }, person: Body): Promise<Use> {
    const customId = String(item['custom_id']);
    const values = item['type'] === COMPONENT.button ? undefined : this.#chosenFrom(state, item);
    return this.#begin(`${customId} ${String(values ?? '')}`, '/page/components', {
      ...person,
      messageId: message.id,
      customId,
      values,
    });
  }

  #chosenFrom(state: PageState, menu: Item): string[] {
    const options = (menu['options'] ?? []) as { value: string }[];
    const one = {
      [COMPONENT.stringSelect]: () => this.#pick(options)?.value,
      [COMPONENT.userSelect]: () => this.#personOf(state),
      [COMPONENT.roleSelect]: () => this.#pick(state.guild.roles)?.id,
      [COMPONENT.mentionableSelect]: () => this.#personOf(state),
      [COMPONENT.channelSelect]: () => this.#channelOf(state, menu['channel_types'] as number[] | undefined),
    }[Number(menu['type'])];
    return [one?.() ?? ''].filter((value) => value !== '');
  }

  async #submit(state: PageState, { personId, modal }: PageUpdate & { type: 'modal' }): Promise<Use> {
    this.#form.open = null;
    const inputs = itemsOf(modal).filter(({ custom_id: id }) => typeof id === 'string');
    const values = inputs.flatMap((input): [string, string | string[]][] => {
      const id = String(input['custom_id']);
      // Half are left as they are.
      if (this.#random() < 0.5) return [];
      return [[id, MENUS.includes(input['type']) ? this.#chosenFrom(state, input) : (this.#pick(TEXTS) ?? '')]];
    });
    const body = {
      personId,
      channelId: this.#form.channelId,
      customId: modal.custom_id,
      values: Object.fromEntries(values),
    };
    return this.#begin(`${modal.custom_id} ${JSON.stringify(body.values)}`, '/page/modals', body);
  }

  /** Mostly one who manages the server: others may use few commands. */
  #personOf({ people }: PageState): string {
    const managers = people.filter(({ canManage }) => canManage);
    return this.#pick(this.#random() < 0.8 ? managers : people)?.user.id ?? '';
  }

  /** A channel where one can write, of the types where they are given. */
  #channelOf({ channels }: PageState, types: readonly number[] = [0, 5, 11]): string {
    return this.#pick(channels.filter(({ type }) => types.includes(type)))?.id ?? '';
  }

  async #ask(path: string, body: Body): Promise<{ isTaken: boolean; said: Readonly<Record<string, unknown>> }> {
    const answer = await fetch(`${await this.#demo.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { isTaken: answer.ok, said: (await answer.json()) as Readonly<Record<string, unknown>> };
  }

  async #begin(what: string, path: string, body: Body): Promise<Use> {
    this.#form.channelId = String(body['channelId']);
    const { isTaken, said } = await this.#ask(path, body);
    if (!isTaken) return { what, is: 'refused', problem: String(said['message']) };
    const id = String(said['interactionId']);
    const came = this.#heard.get(id) ?? (await this.#untilHeard(id));
    this.#heard.delete(id);
    return { what, ...came };
  }

  /** It may be heard of before the request for it is answered. */
  #untilHeard(id: string): Promise<Omit<Use, 'what'>> {
    return new Promise((resolve) => {
      const end = (came: Omit<Use, 'what'>) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(came);
      };
      const timer = setTimeout(end, ANSWERED_WITHIN_MS, { is: 'failed', problem: 'Nothing was heard of it.' });
      this.#waiting.set(id, end);
    });
  }
}
