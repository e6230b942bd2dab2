import type {
  AutocompleteInteraction,
  ButtonInteraction,
  ChatInputCommandInteraction,
  StringSelectMenuInteraction,
} from 'discord.js';
import type {
  APIApplicationCommandOptionChoice,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { Card } from './cards/parts.ts';
import type { Action } from './custom-id.ts';
import type { Words } from './words/words.ts';

/**
 * A slash command: its data as Discord gets it, and what it does with the parts (`S`) that commands share.
 * `execute` answers with a card or throws: a UserError's sentence is shown to the person. `words` are those of whoever reads
 * the answer: the person where it is private, else the server.
 */
export interface Command<S> {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  /** Who sees the answer: everyone in the channel, or the person who asked. */
  answer: 'public' | 'private';
  execute(interaction: ChatInputCommandInteraction, shared: S, words: Words): Promise<Card>;
  /** At most 25 choices. May ask nobody outside. */
  autocomplete?(
    interaction: AutocompleteInteraction,
    shared: S,
    words: Words,
  ): APIApplicationCommandOptionChoice<string>[];
  /** What this command's buttons and menus do, wherever they stand. */
  actions?: { [D in Action['do']]?: ActionHandler<Extract<Action, { do: D }>, S> };
}

/** A button was clicked, or something was chosen from a menu. */
export type ComponentInteraction = ButtonInteraction | StringSelectMenuInteraction;

export interface ActionHandler<A extends Action, S> {
  /** Turns the card that the button stands on into another, or answers the person who clicked. */
  answer: 'update' | 'private';
  run(action: A, interaction: ComponentInteraction, shared: S, words: Words): Promise<Card>;
}
