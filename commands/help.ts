import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  InteractionContextType,
} from 'discord-api-types/v10';
import { type CommandHelp, type HelpLines, helpCard, type Reader } from '../src/discord/cards/help-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type * as discord from '../src/discord/command.ts';
import type { HelpTopic } from '../src/discord/custom-id.ts';
import { described } from '../src/discord/i18n/command-words.ts';
import type { Translator } from '../src/discord/i18n/translator.ts';
import { ANYWHERE, type Command, type CommandServices, type Request } from './shared.ts';

type AnyCommand = discord.Command<CommandServices>;
type Data = AnyCommand['data'];

/** The parts of /help. */
interface HelpParts {
  /** All commands, this one included. */
  commands: () => readonly AnyCommand[];
  /** Features' additions to the lines of the first page, for this reader. */
  added: (request: Request) => readonly HelpLines[];
}

/** Builds the help, whose list of commands comes from their own data, so that it never goes stale. */
export function createHelp({ commands, added }: HelpParts): Command {
  /** Who reads it is checked at every click. */
  function help(topic: HelpTopic, request: Request): Card {
    const { server, services, translator } = request;
    const usable = commands().filter(({ data }) => isFor(request, data));
    return helpCard(
      {
        topic,
        reader: readerOf(request),
        hasSubscriptions: server !== null && services.subscriptions.ofGuild(server).length > 0,
        added: added(request),
        commands: usable.flatMap(({ data }) => linesOf(data, translator)),
      },
      request.cardContext,
    );
  }
  return {
    data: { name: 'help', ...described('command.help'), ...ANYWHERE },
    answer: 'private',
    execute: async (request) => help('start', request),
    actions: {
      help: {
        answer: 'update',
        run: async ({ topic }, request) => help(topic, request),
      },
    },
  };
}

function readerOf({ server, isManager }: Request): Reader {
  if (server === null) return 'direct';
  return isManager ? 'manager' : 'member';
}

/** Whether Discord shows the person the command where they are. One for which no permission is enough is shown to administrators. */
function isFor({ server, permissions }: Request, data: Data): boolean {
  const { contexts, default_member_permissions: needed } = data;
  if (server === null) return contexts?.includes(InteractionContextType.BotDM) ?? true;
  if (needed === '0') return permissions?.has(PermissionFlagsBits.Administrator) ?? false;
  return !needed || (permissions?.has(new PermissionsBitField(BigInt(needed))) ?? false);
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
