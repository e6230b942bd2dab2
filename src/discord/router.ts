import {
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  DiscordAPIError,
  type Interaction,
} from 'discord.js';
import { MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import type { Clock } from '../clock.ts';
import { type Saying, UserError } from '../errors.ts';
import type { Log } from '../log.ts';
import { noticeCard } from './cards/notice-card.ts';
import type { Card } from './cards/parts.ts';
import type { Command, ComponentInteraction } from './command.ts';
import { type Action, decodeAction } from './custom-id.ts';
import { clamp, LIMITS } from './limits.ts';
import { sentenceFor } from './problems.ts';
import { say, type Words, wordsFor } from './words/words.ts';

/** An answer that takes longer is announced first: Discord gives up after 3 s. */
const DEFER_AFTER_MS = 800;

type Answer = 'public' | 'private' | 'update';
/** The words for an interaction: of the person where only they read it, else of the server. */
function wordsOf(interaction: Interaction, forOne: boolean): Words {
  return wordsFor(forOne ? interaction.locale : (interaction.guildLocale ?? interaction.locale));
}

type Answerable = ChatInputCommandInteraction | ComponentInteraction;

/** Interactions come in too late or twice; Discord says so with these, and nobody is left to tell. */
const NOBODY_WAITS = new Set<number | string>([
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
]);

export interface RouterParts<S> {
  commands: readonly Command<S>[];
  /** What commands share. */
  shared: S;
  clock: Clock;
  log: Log;
}

/** Takes every interaction to its command, and what becomes of it back to the person. The one place that catches. */
export function createRouter<S>({ commands, shared, clock, log }: RouterParts<S>) {
  const byName = new Map(commands.map((command) => [command.data.name, command]));

  async function respond(
    interaction: Answerable,
    answer: Answer,
    work: (words: Words) => Promise<Card>,
  ): Promise<void> {
    const waiting = new AbortController();
    // Whatever is thrown at once is caught like what is thrown later.
    const outcome = (async () => work(wordsOf(interaction, isForOne(interaction, answer))))().then(
      (card) => ({ card, failed: false }),
      (error: unknown) => ({ card: noticeCard(sentenceFor(error, wordsOf(interaction, true), log)), failed: true }),
    );
    const late = clock.sleep(DEFER_AFTER_MS, waiting.signal).then(
      () => true,
      () => false,
    );
    if (await Promise.race([late, outcome.then(() => false)])) await defer(interaction, answer);
    const { card, failed } = await outcome;
    waiting.abort();
    await send(interaction, failed && answer !== 'private' ? 'problem' : answer, card);
  }

  async function autocomplete(interaction: AutocompleteInteraction): Promise<void> {
    const choices =
      byName.get(interaction.commandName)?.autocomplete?.(interaction, shared, wordsOf(interaction, true)) ?? [];
    await interaction.respond(
      choices.slice(0, LIMITS.autocompleteChoices).map(({ name, value }) => ({
        name: clamp(name, LIMITS.choiceName),
        value,
      })),
    );
  }

  /** A button says what it does in its `custom_id`, a menu in the value that was chosen. */
  function act(interaction: ComponentInteraction): Promise<void> {
    const said = interaction.isButton() ? interaction.customId : (interaction.values[0] ?? '');
    const action = decodeAction(said);
    const handler = action && handlerOf(action);
    if (!handler) {
      return respond(interaction, 'private', unknown(say('failure.unknownButton')));
    }
    return respond(interaction, handler.answer, (words) => handler.run(action, interaction, shared, words));
  }

  /** An action's `do` picks the handler that takes it; the compiler can't follow that through the table. */
  function handlerOf(action: Action) {
    const actions = commands.map((command) => command.actions?.[action.do]);
    return actions.find((handler) => handler !== undefined) as
      | {
          answer: Answer;
          run(action: Action, interaction: ComponentInteraction, shared: S, words: Words): Promise<Card>;
        }
      | undefined;
  }

  async function route(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) return autocomplete(interaction);
    if (interaction.isButton() || interaction.isStringSelectMenu()) return act(interaction);
    if (!interaction.isChatInputCommand()) return;
    const command = byName.get(interaction.commandName);
    if (!command) return respond(interaction, 'private', unknown(say('failure.unknownCommand')));
    return respond(interaction, command.answer, (words) => command.execute(interaction, shared, words));
  }

  return {
    /** Handles one interaction. Never rejects. */
    async handle(interaction: Interaction): Promise<void> {
      try {
        await route(interaction);
      } catch (error) {
        const nobodyWaits = error instanceof DiscordAPIError && NOBODY_WAITS.has(error.code);
        log[nobodyWaits ? 'warn' : 'error']({ err: error, interaction: interaction.id }, 'an answer did not arrive');
      }
    },
  };
}

/** What answers that which an older or newer bot knows. */
function unknown(saying: Saying) {
  return () => Promise.reject(new UserError(saying));
}

/** Whether nobody else sees the answer: it is private, or changes a private one. */
function isForOne(interaction: Answerable, answer: Answer): boolean {
  return (
    answer === 'private' || (interaction.isMessageComponent() && interaction.message.flags.has(MessageFlags.Ephemeral))
  );
}

async function defer(interaction: Answerable, answer: Answer): Promise<void> {
  if (answer === 'update' && interaction.isMessageComponent()) await interaction.deferUpdate();
  else await interaction.deferReply(answer === 'private' ? { flags: MessageFlags.Ephemeral } : {});
}

/** Reply, edit or follow up, depending on what has been said already. Nobody is ever pinged by an answer. */
async function send(interaction: Answerable, answer: Answer | 'problem', { components }: Card): Promise<void> {
  const body = { components, allowedMentions: { parse: [] } };
  const forOne = { ...body, flags: MessageFlags.IsComponentsV2 | MessageFlags.Ephemeral } as const;
  const forAll = { ...body, flags: MessageFlags.IsComponentsV2 } as const;
  if (answer === 'problem' && interaction.isMessageComponent() && interaction.deferred)
    await interaction.followUp(forOne);
  else if (interaction.deferred) await interaction.editReply(forAll);
  else if (answer === 'update' && interaction.isMessageComponent()) await interaction.update(forAll);
  else await interaction.reply(answer === 'public' ? forAll : forOne);
}
