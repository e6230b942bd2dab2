import type {
  APIApplicationCommand,
  APIApplicationCommandOption,
  APIApplicationCommandOptionChoice,
} from 'discord-api-types/v10';
import { readCommandText } from '../server/command-line/text.ts';
import type { Context } from './context.ts';

/** The language in which a person uses the page, as Discord names it. */
export function localeOf({ server, view }: Pick<Context, 'server' | 'view'>): string {
  return server.demo?.locales.people[view.personId] ?? server.guild.preferred_locale;
}

type Level = APIApplicationCommand | APIApplicationCommandOption;
type Localizations = Readonly<Partial<Record<string, string | null>>> | null | undefined;

const localized = (text: string, texts: Localizations, locale: string) => texts?.[locale] ?? text;

/** Commands as Discord shows them to a person: names, descriptions and choices in their language. */
export function inLanguage<L extends Level>(level: L, locale: string): L {
  const options = 'options' in level ? level.options?.map((option) => inLanguage(option, locale)) : undefined;
  const choices = 'choices' in level ? level.choices : undefined;
  return {
    ...level,
    name: localized(level.name, level.name_localizations, locale),
    description: localized(level.description, level.description_localizations, locale),
    ...(options && { options }),
    ...(choices && { choices: choices.map((choice) => choiceInLanguage(choice, locale)) }),
  };
}

function choiceInLanguage(choice: APIApplicationCommandOptionChoice, locale: string) {
  return { ...choice, name: localized(choice.name, choice.name_localizations, locale) };
}

/** A typed command with the names by which it is registered: people may type those of their language, or these. */
export function registeredText(text: string, commands: readonly Level[], locale: string): string {
  const { names, options } = readCommandText(text);
  const changes: { start: number; end: number; name: string }[] = [];
  let within = commands;
  for (const { text: name, start, end } of names) {
    const found = named(name, within, locale);
    if (!found) return text;
    changes.push({ start, end, name: found.name });
    within = optionsOf(found);
  }
  for (const { name, start } of options) {
    const found = named(name, within, locale);
    if (found) changes.push({ start, end: start + name.length, name: found.name });
  }
  return changes
    .toReversed()
    .reduce((whole, { start, end, name }) => whole.slice(0, start) + name + whole.slice(end), text);
}

/** The registered name of an option of the command that is typed. */
export function registeredOption(text: string, option: string, commands: readonly Level[], locale: string): string {
  let within = commands;
  for (const { text: name } of readCommandText(text).names) within = optionsOf(named(name, within, locale));
  return named(option, within, locale)?.name ?? option;
}

const optionsOf = (level: Level | undefined): readonly Level[] =>
  level && 'options' in level ? (level.options ?? []) : [];

function named(typed: string, levels: readonly Level[], locale: string): Level | undefined {
  const name = typed.toLowerCase();
  return (
    levels.find((level) => localized(level.name, level.name_localizations, locale).toLowerCase() === name) ??
    levels.find((level) => level.name.toLowerCase() === name)
  );
}
