import {
  type AutocompleteInteraction,
  DiscordAPIError,
  type Interaction,
  MessageFlagsBitField,
  type ModalSubmitInteraction,
} from 'discord.js';
import { ApplicationCommandType, MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import type { Clock } from '../../shared/clock.ts';
import { type LocalizedText, UserError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { createInteractionResponse, type RepliableInteraction } from './answering.ts';
import { noticeCard } from './cards/notice-card.ts';
import { pageForm, pageMistakeCard, withWrittenPage } from './cards/page-form.ts';
import type { Card } from './cards/parts.ts';
import type {
  ActionHandler,
  Audience,
  ChatCommand,
  Command,
  CommandContext,
  ComponentInteraction,
  FormHandler,
  MessageCommand,
  Reply,
} from './command.ts';
import { type Action, asksForPage, decodeAction } from './custom-id.ts';
import { message, type Translator, type Translators } from './i18n/translator.ts';
import { clamp, LIMITS } from './limits.ts';
import { sentenceFor } from './problems.ts';
import { createUserRateLimiter } from './user-rate-limiter.ts';

/** Slower answers are deferred: Discord gives up after 3 s. */
const DEFER_AFTER_MS = 800;
/** The wait after deferral until the person gets a progress message. */
const REASSURE_AFTER_MS = 4_000;

/** Discord's errors for interactions that came too late or twice, or whose channel is gone: nobody can be notified. */
const NOBODY_WAITS = new Set<number | string>([
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
]);

export interface RouterParts<S> {
  commands: readonly Command<S>[];
  /** The services that commands share. */
  shared: S;
  /** A card that a person gets privately beside an answer; null where there is none. */
  alsoTell?: ((interaction: RepliableInteraction, translator: Translator) => Promise<Card | null>) | undefined;
  translators: Translators;
  clock: Clock;
  log: Log;
}

/** Routes every interaction to its command and sends the result to the person. The only place that catches errors. */
export function createRouter<S>({ commands, shared, alsoTell, translators, clock, log }: RouterParts<S>) {
  const chatCommands = new Map(commands.filter(isChatCommand).map((command) => [command.data.name, command]));
  const messageCommands = new Map(commands.filter(isMessageCommand).map((command) => [command.data.name, command]));
  const translatorOf = wordsIn(translators);
  const respond = createResponder({ alsoTell, translators, clock, log });
  /** Clicks that are being handled. */
  const running = new Set<string>();

  /** A menu's choice is an action of its own, unless the menu's `custom_id` is an action that takes all chosen values. */
  async function act(interaction: ComponentInteraction): Promise<void> {
    const values = interaction.isButton() ? [] : interaction.values;
    const [chosen = ''] = values;
    const action = decodeAction(interaction.customId) ?? decodeAction(chosen);
    const handler = action && handlerOf<ActionHandler<Action, S>>(commands, action, 'actions');
    const unknown = message(interaction.isButton() ? 'failure.unknownButton' : 'failure.unknownMenu');
    if (!handler) return respond(interaction, 'private', refusal(unknown));
    if (asksForPage(interaction.customId) && 'page' in action) {
      return respond(interaction, 'private', async (translator) => pageForm(action, translator));
    }
    const click = [interaction.message.id, interaction.user.id, interaction.customId, ...values].join(' ');
    if (running.has(click)) return respond(interaction, 'private', refusal(message('failure.onItsWay')));
    running.add(click);
    try {
      await respond(interaction, handler.answer, (...more) => handler.run(action, interaction, shared, ...more));
    } finally {
      running.delete(click);
    }
  }

  async function submit(interaction: ModalSubmitInteraction): Promise<void> {
    const action = decodeAction(interaction.customId);
    if (asksForPage(interaction.customId) && action && 'page' in action) return turnTo(action, interaction);
    const handler = action && handlerOf<FormHandler<Action, S>>(commands, action, 'forms');
    if (!handler) return respond(interaction, 'private', refusal(message('failure.unknownForm')));
    await respond(interaction, handler.answer, (...more) => handler.run(action, interaction, shared, ...more));
  }

  /** Opens the page of a list that was entered in its form. */
  async function turnTo(action: Extract<Action, { page: number }>, interaction: ModalSubmitInteraction): Promise<void> {
    const handler = handlerOf<ActionHandler<typeof action, S>>(commands, action, 'actions');
    if (!handler) return respond(interaction, 'private', refusal(message('failure.unknownForm')));
    const turned = withWrittenPage(action, interaction.fields);
    if (turned)
      return respond(interaction, handler.answer, (...more) => handler.run(turned, interaction, shared, ...more));
    const { fields } = interaction;
    await respond(interaction, 'private', async (translator) => pageMistakeCard(action, fields, translator));
  }

  async function route(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) {
      return complete(interaction, chatCommands.get(interaction.commandName), shared, translatorOf(interaction, true));
    }
    if (isOfCard(interaction)) return act(interaction);
    if (interaction.isModalSubmit()) return submit(interaction);
    if (interaction.isChatInputCommand()) {
      const command = chatCommands.get(interaction.commandName);
      if (!command) return respond(interaction, 'private', refusal(message('failure.unknownCommand')));
      return respond(interaction, command.answer, (...more) => command.execute(interaction, shared, ...more));
    }
    if (interaction.isMessageContextMenuCommand()) {
      const command = messageCommands.get(interaction.commandName);
      if (!command) return respond(interaction, 'private', refusal(message('failure.unknownCommand')));
      return respond(interaction, command.answer, (...more) => command.execute(interaction, shared, ...more));
    }
  }

  return {
    /** Handles one interaction. Never rejects. */
    async handle(interaction: Interaction): Promise<void> {
      try {
        await route(interaction);
      } catch (error) {
        log[isNobodyWaiting(error) ? 'warn' : 'error'](
          { err: error, interaction: interaction.id },
          'an answer could not be sent',
        );
      }
    },
  };
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

/** Answers with what completes the option, within Discord's limits for choices. */
async function complete<S>(
  interaction: AutocompleteInteraction,
  command: ChatCommand<S> | undefined,
  shared: S,
  translator: Translator,
): Promise<void> {
  const choices = command?.autocomplete?.(interaction, shared, translator) ?? [];
  await interaction.respond(
    choices
      .filter(({ value }) => value.length <= LIMITS.choiceValue)
      .slice(0, LIMITS.autocompleteChoices)
      .map(({ name, value }) => ({ name: clamp(name, LIMITS.choiceName), value })),
  );
}

/** Answers a person with the result of some work, or with the reason why it failed. */
function createResponder({
  alsoTell,
  translators,
  clock,
  log,
}: Pick<RouterParts<unknown>, 'alsoTell' | 'translators' | 'clock' | 'log'>) {
  const translatorOf = wordsIn(translators);
  const userRateLimiter = createUserRateLimiter(clock);

  return async function respond(
    interaction: RepliableInteraction,
    audience: Audience | 'update',
    work: (translator: Translator, context: CommandContext) => Promise<Reply>,
  ): Promise<void> {
    const ownTranslator = translatorOf(interaction, true);
    const response = createInteractionResponse(interaction, audience, ownTranslator);
    const spend = () => userRateLimiter.spend(interaction.user.id);
    const context: CommandContext = {
      spend() {
        spend();
        response.defer();
      },
      asking: (maxAgeMs) => ({ lane: 'interactive', maxAgeMs, beforeRequest: () => context.spend() }),
    };
    let callOff = clock.after(DEFER_AFTER_MS, () => {
      response.defer();
      callOff = clock.after(REASSURE_AFTER_MS, reassure);
    });
    const refuse = (error: unknown) => response.refuse(noticeCard(sentenceFor(error, ownTranslator, log)));
    /** A form is the whole answer: nothing can follow it. */
    async function answer(reply: Reply): Promise<void> {
      if ('modal' in reply) return response.open(reply);
      await response.finish(reply);
      try {
        const more = await alsoTell?.(interaction, ownTranslator);
        if (more) await response.followUp(more);
      } catch (error) {
        log.warn({ err: error, interaction: interaction.id }, 'an answer could not be followed up');
      }
    }
    // The async wrapper turns synchronous errors into rejections.
    const outcome = await (async () =>
      work(translatorOf(interaction, isForOne(interaction, audience)), context))().then(
      (reply) => () =>
        answer(reply).catch((error: unknown) =>
          isNobodyWaiting(error) ? Promise.reject(error as Error) : refuse(error),
        ),
      (error: unknown) => () => refuse(error),
    );
    callOff();
    await outcome();

    function reassure(): void {
      response.progress(noticeCard(ownTranslator.t('progress.asking'))).catch((error: unknown) => {
        log.warn({ err: error, interaction: interaction.id }, 'could not defer an answer');
      });
    }
  };
}

/** The handler for an action's `do`; the compiler can't follow the types through the table. */
function handlerOf<H>(commands: readonly Command<never>[], action: Action, kind: 'actions' | 'forms'): H | undefined {
  return commands.map((command) => command[kind]?.[action.do]).find((handler) => handler !== undefined) as
    | H
    | undefined;
}

function isMessageCommand<S>(command: Command<S>): command is MessageCommand<S> {
  return command.data.type === ApplicationCommandType.Message;
}

function isChatCommand<S>(command: Command<S>): command is ChatCommand<S> {
  return !isMessageCommand(command);
}

function isNobodyWaiting(error: unknown): boolean {
  return error instanceof DiscordAPIError && NOBODY_WAITS.has(error.code);
}

/** Answers that a request can't be done. */
function refusal(localized: LocalizedText) {
  return () => Promise.reject(new UserError(localized));
}

/** Chooses the translator for an interaction: the person's language where only they read the answer, else the server's. */
function wordsIn(translators: Translators): (interaction: Interaction, forOne: boolean) => Translator {
  return ({ locale, guildLocale }, forOne) => translators(forOne ? locale : (guildLocale ?? locale));
}

/** Whether only the person reads the answer. Updating a private card stays private. */
function isForOne(interaction: RepliableInteraction, audience: Audience | 'update'): boolean {
  if (audience !== 'update') return audience === 'private';
  return (
    'message' in interaction && new MessageFlagsBitField(interaction.message?.flags ?? 0).has(MessageFlags.Ephemeral)
  );
}
