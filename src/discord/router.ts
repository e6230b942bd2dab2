import type { AutocompleteInteraction, Interaction, ModalSubmitInteraction } from 'discord.js';
import { UserError } from '../shared/errors.ts';
import type { ActionTable } from './action-table.ts';
import { createResponder, isNobodyWaiting, type ResponderParts } from './answering.ts';
import { type PageAction, pageForm, pageMistakeCard, withWrittenPage } from './cards/form.ts';
import {
  type ActionHandler,
  AutocompleteRequest,
  ChatRequest,
  type Command,
  type ComponentInteraction,
  ComponentRequest,
  type FormHandler,
  FormRequest,
  type Handlers,
  isChatCommand,
  isMessageCommand,
  MessageRequest,
  type RepliableInteraction,
} from './command.ts';
import { type AnyAction, asksForPage, decodeAnyAction } from './custom-id.ts';
import { message } from './i18n/translator.ts';
import { clamp, LIMITS } from './limits.ts';

type RefusalKey = `failure.${'unknownCommand' | 'unknownButton' | 'unknownMenu' | 'unknownForm' | 'onItsWay'}`;

/** One interaction that was answered or refused. */
export interface Answered {
  command: string;
  channelId: string | null;
  tookMs: number;
}

export interface RouterParts<S> extends ResponderParts<S> {
  commands: readonly Command<S>[];
  /** The handlers of buttons that belong to no command. */
  handlers?: readonly Handlers<S>[];
  onAnswered?: (answered: Answered) => void;
}

/** Routes every interaction to its command and sends the result to the person. The only place that catches errors. */
export function createRouter<S>({ commands, handlers = [], onAnswered, ...parts }: RouterParts<S>) {
  const { services, translators, offerButtons = [], clock, log } = parts;
  const all: readonly Handlers<S>[] = [...commands, ...handlers];
  const tables = tablesOf(all);
  const decode = (customId: string) => decodeAnyAction(customId, tables);
  const chatCommands = new Map(commands.filter(isChatCommand<S>).map((command) => [command.data.name, command]));
  const messageCommands = new Map(commands.filter(isMessageCommand).map((command) => [command.data.name, command]));
  const respond = createResponder(parts);
  /** Clicks that are being handled. */
  const running = new Set<string>();

  function refuse(interaction: RepliableInteraction, key: RefusalKey): Promise<void> {
    return respond(interaction, 'private', () => Promise.reject(new UserError(message(key))));
  }

  /** A menu's choice is an action of its own, unless the menu's `custom_id` is an action that takes all chosen values. */
  async function act(interaction: ComponentInteraction): Promise<void> {
    const values = interaction.isButton() ? [] : interaction.values;
    const [chosen = ''] = values;
    const action = decode(interaction.customId) ?? decode(chosen);
    const handler = action && handlerOf<ActionHandler<AnyAction, S>>(all, action, 'actions');
    if (!handler) return refuse(interaction, interaction.isButton() ? 'failure.unknownButton' : 'failure.unknownMenu');
    if (asksForPage(interaction.customId) && hasPage(action)) {
      return respond(interaction, 'private', async ({ translator }) => pageForm(action, translator));
    }
    const click = [interaction.message.id, interaction.user.id, interaction.customId, ...values].join(' ');
    if (running.has(click)) return refuse(interaction, 'failure.onItsWay');
    running.add(click);
    try {
      await respond(interaction, handler.answer, (parts) =>
        handler.run(action, new ComponentRequest(interaction, parts)),
      );
    } finally {
      running.delete(click);
    }
  }

  async function submit(interaction: ModalSubmitInteraction): Promise<void> {
    const action = decode(interaction.customId);
    if (asksForPage(interaction.customId) && action && hasPage(action)) return turnTo(action, interaction);
    const handler = action && handlerOf<FormHandler<AnyAction, S>>(all, action, 'forms');
    if (!handler) return refuse(interaction, 'failure.unknownForm');
    await respond(interaction, handler.answer, (parts) => handler.run(action, new FormRequest(interaction, parts)));
  }

  /** Opens the page of a list that was entered in its form. */
  async function turnTo(action: PageAction, interaction: ModalSubmitInteraction): Promise<void> {
    const handler = handlerOf<ActionHandler<AnyAction, S>>(all, action, 'actions');
    if (!handler) return refuse(interaction, 'failure.unknownForm');
    const { fields } = interaction;
    const turned = withWrittenPage(action, fields);
    if (turned) {
      return respond(interaction, handler.answer, (parts) => handler.run(turned, new FormRequest(interaction, parts)));
    }
    await respond(interaction, 'private', async ({ translator }) => pageMistakeCard(action, fields, translator));
  }

  /** Answers with what completes the option, within Discord's limits for choices. */
  async function complete(interaction: AutocompleteInteraction): Promise<void> {
    const translator = translators(interaction.locale);
    const request = new AutocompleteRequest(interaction, { services, translator, offerButtons, clock });
    const choices = (await chatCommands.get(interaction.commandName)?.autocomplete?.(request)) ?? [];
    await interaction.respond(
      choices
        .filter(({ value }) => value.length <= LIMITS.choiceValue)
        .slice(0, LIMITS.autocompleteChoices)
        .map(({ name, value }) => ({ name: clamp(name, LIMITS.choiceName), value })),
    );
  }

  async function route(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) return complete(interaction);
    if (isOfCard(interaction)) return act(interaction);
    if (interaction.isModalSubmit()) return submit(interaction);
    if (interaction.isChatInputCommand()) {
      const command = chatCommands.get(interaction.commandName);
      if (!command) return refuse(interaction, 'failure.unknownCommand');
      return respond(interaction, command.answer, (parts) => command.execute(new ChatRequest(interaction, parts)));
    }
    if (interaction.isMessageContextMenuCommand()) {
      const command = messageCommands.get(interaction.commandName);
      if (!command) return refuse(interaction, 'failure.unknownCommand');
      return respond(interaction, command.answer, (parts) => command.execute(new MessageRequest(interaction, parts)));
    }
  }

  return {
    /** Handles one interaction, and reports how long it took. Never rejects. */
    async handle(interaction: Interaction): Promise<void> {
      const startedMs = clock.monotonicMs();
      try {
        await route(interaction);
      } catch (error) {
        log[isNobodyWaiting(error) ? 'warn' : 'error'](
          { err: error, interaction: interaction.id },
          'an answer could not be sent',
        );
      }
      const tookMs = Math.round(clock.monotonicMs() - startedMs);
      onAnswered?.({
        command: labelOf(interaction, decode, (name) => chatCommands.has(name) || messageCommands.has(name)),
        channelId: interaction.channelId,
        tookMs,
      });
    },
  };
}

/** How the ids of features' actions are read. */
export function tablesOf(all: readonly Pick<Handlers<never>, 'table'>[]): ActionTable[] {
  return [...new Set(all.map(({ table }) => table).filter((table) => table !== undefined))];
}

/**
 * A label for the interaction, from a bounded set: `feed`, `subscription add feed`, a button's or form's action,
 * `autocomplete`. `unknown` for anything else, because labels must not contain names that others make up.
 */
function labelOf(
  interaction: Interaction,
  decode: (customId: string) => AnyAction | null,
  isKnown: (name: string) => boolean,
): string {
  if (interaction.isAutocomplete()) return 'autocomplete';
  if (interaction.isCommand()) {
    if (!isKnown(interaction.commandName)) return 'unknown';
    if (!interaction.isChatInputCommand()) return interaction.commandName;
    const { commandName, options } = interaction;
    return [commandName, options.getSubcommandGroup(false), options.getSubcommand(false)].filter(Boolean).join(' ');
  }
  if (!('customId' in interaction)) return 'unknown';
  const [chosen = ''] = interaction.isAnySelectMenu() ? interaction.values : [];
  return (decode(interaction.customId) ?? decode(chosen))?.do ?? 'unknown';
}

/** Whether a button or a menu was used, of the types that the bot's cards have. */
function isOfCard(interaction: Interaction): interaction is ComponentInteraction {
  return (
    interaction.isButton() ||
    interaction.isStringSelectMenu() ||
    interaction.isRoleSelectMenu() ||
    interaction.isChannelSelectMenu()
  );
}

function hasPage(action: AnyAction): action is PageAction {
  return 'page' in action;
}

/** The handler for an action, among those of its table; the compiler can't follow the types through the table. */
function handlerOf<H>(all: readonly Handlers<never>[], action: AnyAction, kind: 'actions' | 'forms'): H | undefined {
  const table = 'table' in action ? action.table : undefined;
  return all
    .filter((handlers) => handlers.table === table)
    .map((handlers) => handlers[kind]?.[action.do])
    .find((handler) => handler !== undefined) as H | undefined;
}
