import { type ChatInputCommandInteraction, PermissionsBitField } from 'discord.js';
import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { type CommandHelp, helpCard, type Reader } from '../src/discord/cards/help-card.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { ANYWHERE } from './places.ts';
import type { Command, MessageMenuCommand } from './shared.ts';

type AnyCommand = Command | MessageMenuCommand;
type Data = AnyCommand['data'];

/** Told from the commands' own data: what it says of them is always so. @param commands all there are, itself included */
export function createHelp(commands: () => readonly AnyCommand[]): Command {
  return {
    data: { ...named('command.help.name'), ...described('command.help'), ...ANYWHERE },
    answer: 'private',
    async execute(interaction, { subscriptions, clock }, words) {
      const { guildId } = interaction;
      const all = commands().map(({ data }) => data);
      const usable = all.filter((data) => isFor(interaction, data));
      const usageOf = (name: string) =>
        all.filter((data) => data.name === name).map((data) => nameOf(data, words.locale));
      return helpCard(
        {
          reader: readerOf(interaction),
          hasSubscriptions: guildId !== null && subscriptions.ofGuild(guildId).length > 0,
          subscribing: `/${usageOf('subscription').join('')} add`,
          looking: `/${usageOf('feed').join('')}`,
          commands: usable.flatMap((data) => linesOf(data, words.locale)),
        },
        { words, nowMs: clock.now() },
      );
    },
  };
}

function readerOf({ guildId, memberPermissions }: ChatInputCommandInteraction): Reader {
  if (guildId === null) return 'direct';
  return memberPermissions?.has(PermissionFlagsBits.ManageGuild) ? 'manager' : 'member';
}

/** Whether Discord lets the person use it where they are. */
function isFor({ guildId, memberPermissions }: ChatInputCommandInteraction, data: Data): boolean {
  const { contexts, default_member_permissions: needed } = data;
  if (guildId === null) return contexts?.includes(InteractionContextType.BotDM) ?? true;
  return !needed || (memberPermissions?.has(new PermissionsBitField(BigInt(needed))) ?? false);
}

/** One line for the command, or one for each of its subcommands. */
function linesOf(data: Data, locale: string): CommandHelp[] {
  const name = nameOf(data, locale);
  if (!('description' in data)) return [{ usage: name, description: null }];
  const options = data.options ?? [];
  const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [lineOf(`/${name}`, data, options, locale)];
  return subcommands.map((subcommand) =>
    lineOf(`/${name} ${nameOf(subcommand, locale)}`, subcommand, subcommand.options ?? [], locale),
  );
}

function lineOf(
  name: string,
  { description, description_localizations: translations }: Described,
  options: readonly (APIApplicationCommandOption | APIApplicationCommandBasicOption)[],
  locale: string,
): CommandHelp {
  const required = options.filter((option) => option.required === true).map((option) => option.name);
  const more = options.length > required.length ? ['…'] : [];
  return {
    usage: [name, ...required, ...more].join(' '),
    description: inLanguage(translations, locale) ?? description,
  };
}

/** By locale, as Discord takes them. */
type Translations = Readonly<Record<string, string | null | undefined>> | null | undefined;

interface Described {
  description: string;
  description_localizations?: Translations;
}

interface Named {
  name: string;
  name_localizations?: Translations;
}

function nameOf({ name, name_localizations: translations }: Named, locale: string): string {
  return inLanguage(translations, locale) ?? name;
}

function inLanguage(translations: Translations, locale: string): string | undefined {
  return translations?.[locale] ?? undefined;
}
