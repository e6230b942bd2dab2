import { type ChatInputCommandInteraction, PermissionsBitField } from 'discord.js';
import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { type CommandHelp, helpCard, type Reader } from '../src/bot/discord/cards/help-card.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { ANYWHERE } from './places.ts';
import type { Command, MessageMenuCommand } from './shared.ts';

type AnyCommand = Command | MessageMenuCommand;
type Data = AnyCommand['data'];

/**
 * Builds the help from the commands' own data, so that it never goes stale.
 * @param commands all commands, this one included
 */
export function createHelp(commands: () => readonly AnyCommand[]): Command {
  return {
    data: { ...named('command.help.name'), ...described('command.help'), ...ANYWHERE },
    answer: 'private',
    async execute(interaction, { subscriptions, clock }, translator) {
      const { guildId } = interaction;
      const ids = await idsOf(interaction);
      const lines = commands()
        .map(({ data }) => data)
        .filter((data) => isFor(interaction, data))
        .flatMap((data) => linesOf(data, { locale: translator.locale, id: ids.get(data.name) }));
      return helpCard(
        {
          reader: readerOf(interaction),
          hasSubscriptions: guildId !== null && subscriptions.ofGuild(guildId).length > 0,
          subscribing: mention(['subscription', 'add', 'feed'], ids.get('subscription')),
          looking: mention(['feed'], ids.get('feed')),
          commands: lines,
        },
        { translator, nowMs: clock.now() },
      );
    },
  };
}

/** The ids of the registered commands, which clickable mentions need; empty where Discord does not list them. */
async function idsOf({ client }: ChatInputCommandInteraction): Promise<ReadonlyMap<string, string>> {
  const { commands } = client.application;
  const known = commands.cache.size > 0 ? commands.cache : await commands.fetch().catch(() => commands.cache);
  return new Map(known.map(({ name, id }) => [name, id]));
}

/**
 * @param path the command, and its subcommand where there is one
 * @see https://discord.com/developers/docs/reference#message-formatting
 */
function mention(path: readonly string[], id: string | undefined): string {
  const name = path.join(' ');
  return id === undefined ? `\`/${name}\`` : `</${name}:${id}>`;
}

function readerOf({ guildId, memberPermissions }: ChatInputCommandInteraction): Reader {
  if (guildId === null) return 'direct';
  return memberPermissions?.has(PermissionFlagsBits.ManageGuild) ? 'manager' : 'member';
}

/** Whether Discord lets the person use the command where they are. */
function isFor({ guildId, memberPermissions }: ChatInputCommandInteraction, data: Data): boolean {
  const { contexts, default_member_permissions: needed } = data;
  if (guildId === null) return contexts?.includes(InteractionContextType.BotDM) ?? true;
  return !needed || (memberPermissions?.has(new PermissionsBitField(BigInt(needed))) ?? false);
}

/** The language of a line, and the command's id for mentions where that is known. */
interface Reading {
  locale: string;
  id: string | undefined;
}

/** One line for the command, or one for each of its subcommands. */
function linesOf(data: Data, reading: Reading): CommandHelp[] {
  if (!('description' in data)) {
    const name = inLanguage(data.name_localizations, reading.locale) ?? data.name;
    return [{ usage: `\`${name}\``, description: null }];
  }
  return linesBelow([data.name], data, reading);
}

/** Discord nests subcommands once at most, in groups. */
function linesBelow(path: readonly string[], data: Described & WithOptions, reading: Reading): CommandHelp[] {
  const nested = (data.options ?? []).filter((option) => 'options' in option && isNested(option.type));
  if (nested.length === 0) return [lineOf(path, data, data.options ?? [], reading)];
  return nested.flatMap((option) => linesBelow([...path, option.name], option as Described & WithOptions, reading));
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
  { locale, id }: Reading,
): CommandHelp {
  const required = options.filter((option) => option.required === true).map((option) => option.name);
  const toFill = [...required, ...(options.length > required.length ? ['…'] : [])].join(' ');
  return {
    usage: toFill === '' ? mention(path, id) : `${mention(path, id)} \`${toFill}\``,
    description: inLanguage(translations, locale) ?? description,
  };
}

/** Texts by locale, as Discord takes them. */
type Translations = Readonly<Record<string, string | null | undefined>> | null | undefined;

interface Described {
  description: string;
  description_localizations?: Translations;
}

function inLanguage(translations: Translations, locale: string): string | undefined {
  return translations?.[locale] ?? undefined;
}
