import { type Interaction, PermissionsBitField } from 'discord.js';
import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { type CommandHelp, helpCard, type Reader } from '../src/bot/discord/cards/help-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { HelpTopic } from '../src/bot/discord/custom-id.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../src/bot/discord/i18n/translator.ts';
import { ANYWHERE } from './places.ts';
import type { Command, CommandServices, MessageMenuCommand } from './shared.ts';

type AnyCommand = Command | MessageMenuCommand;
type Data = AnyCommand['data'];

/**
 * Builds the help, whose list of commands comes from their own data, so that it never goes stale.
 * @param commands all commands, this one included
 */
export function createHelp(commands: () => readonly AnyCommand[]): Command {
  /** Who reads it is checked at every click. */
  function help(
    topic: HelpTopic,
    interaction: Interaction,
    { subscriptions, clock }: CommandServices,
    translator: Translator,
  ): Card {
    const { guildId } = interaction;
    const usable = commands().filter(({ data }) => isFor(interaction, data));
    return helpCard(
      {
        topic,
        reader: readerOf(interaction),
        hasSubscriptions: guildId !== null && subscriptions.ofGuild(guildId).length > 0,
        commands: usable.flatMap(({ data }) => linesOf(data, translator)),
      },
      { translator, nowMs: clock.now() },
    );
  }
  return {
    data: { ...named('command.help.name'), ...described('command.help'), ...ANYWHERE },
    answer: 'private',
    execute: async (interaction, shared, translator) => help('start', interaction, shared, translator),
    actions: {
      help: {
        answer: 'update',
        run: async ({ topic }, interaction, shared, translator) => help(topic, interaction, shared, translator),
      },
    },
  };
}

function readerOf({ guildId, memberPermissions }: Interaction): Reader {
  if (guildId === null) return 'direct';
  return memberPermissions?.has(PermissionFlagsBits.ManageGuild) ? 'manager' : 'member';
}

/** Whether Discord lets the person use the command where they are. */
function isFor({ guildId, memberPermissions }: Interaction, data: Data): boolean {
  const { contexts, default_member_permissions: needed } = data;
  if (guildId === null) return contexts?.includes(InteractionContextType.BotDM) ?? true;
  return !needed || (memberPermissions?.has(new PermissionsBitField(BigInt(needed))) ?? false);
}

/** One line for the command, or one for each of its subcommands. */
function linesOf(data: Data, translator: Translator): CommandHelp[] {
  if (!('description' in data)) {
    const name = inLanguage(data.name_localizations, translator) ?? data.name;
    return [{ usage: `\`${name}\``, description: null }];
  }
  return linesBelow([data.name], data, translator);
}

/** Discord nests subcommands once at most, in groups. */
function linesBelow(path: readonly string[], data: Described & WithOptions, translator: Translator): CommandHelp[] {
  const nested = (data.options ?? []).filter((option) => 'options' in option && isNested(option.type));
  if (nested.length === 0) return [lineOf(path, data, data.options ?? [], translator)];
  return nested.flatMap((option) => linesBelow([...path, option.name], option as Described & WithOptions, translator));
}

const isNested = (type: ApplicationCommandOptionType) =>
  type === ApplicationCommandOptionType.Subcommand || type === ApplicationCommandOptionType.SubcommandGroup;

interface WithOptions {
  options?: readonly (APIApplicationCommandOption | APIApplicationCommandBasicOption)[] | undefined;
}

function lineOf(
  path: readonly string[],
  { description, description_localizations: translations }: Described,
  options: readonly (APIApplicationCommandOption | APIApplicationCommandBasicOption)[],
  translator: Translator,
): CommandHelp {
  const required = options.filter((option) => option.required === true).map((option) => option.name);
  const toFill = [...required, ...(options.length > required.length ? ['…'] : [])].join(' ');
  const mention = translator.command(path.join(' '));
  return {
    usage: toFill === '' ? mention : `${mention} \`${toFill}\``,
    description: inLanguage(translations, translator) ?? description,
  };
}

/** Texts by locale, as Discord takes them. */
type Translations = Readonly<Record<string, string | null | undefined>> | null | undefined;

interface Described {
  description: string;
  description_localizations?: Translations;
}

function inLanguage(translations: Translations, { locale }: Translator): string | undefined {
  return translations?.[locale] ?? undefined;
}
