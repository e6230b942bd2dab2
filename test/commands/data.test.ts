import {
  type APIApplicationCommandOption,
  type APIApplicationCommandStringOption,
  ApplicationCommandOptionType,
} from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { commandsWith } from '../../commands/index.ts';
import { TRANSLATED_LOCALES } from '../../src/discord/i18n/catalog.ts';
import { FEATURES } from '../../src/features/index.ts';

interface Named {
  name: string;
  description?: string;
  name_localizations?: Record<string, string> | null;
  description_localizations?: Record<string, string> | null;
  value?: unknown;
  options?: Named[];
  choices?: Named[];
}

const DATA = commandsWith(FEATURES).map(({ data }) => data as Named);

/** Options of options, at any depth. */
function below({ options = [] }: Named): Named[] {
  return options.flatMap((option) => [option, ...below(option)]);
}

/** Discord counts the longest translation of each text. @see https://discord.com/developers/docs/interactions/application-commands#slash-commands */
function sizeOf(data: Named): number {
  const longest = (text: string | undefined, translations: Record<string, string> | null | undefined) =>
    Math.max(text?.length ?? 0, ...Object.values(translations ?? {}).map(({ length }) => length));
  const value = typeof data.value === 'string' ? data.value.length : 0;
  const parts = [...(data.options ?? []), ...(data.choices ?? [])].map(sizeOf);
  return parts.reduce(
    (sum, size) => sum + size,
    longest(data.name, data.name_localizations) + longest(data.description, data.description_localizations) + value,
  );
}

test('no command is larger than Discord takes', () => {
  for (const data of DATA) expect([data.name, sizeOf(data) <= 8_000]).toEqual([data.name, true]);
});

test('every command’s name can be typed on any keyboard', () => {
  const names = DATA.filter(({ description }) => description !== undefined).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z-]{2,31}$/);
});

test('choices are in every language, but for the names of sites', () => {
  const choices = DATA.flatMap(below)
    .filter(({ name }) => name !== 'site')
    .flatMap((option) => option.choices ?? []);
  expect(choices.length).toBeGreaterThan(10);
  for (const { name, name_localizations: translations } of choices) {
    expect([name, Object.keys(translations ?? {})]).toEqual([name, TRANSLATED_LOCALES]);
  }
});

test('each source of /subscription add has only the options that work with it', () => {
  const add = DATA.filter(({ name }) => name === 'subscription')
    .flatMap(below)
    .find(({ name }) => name === 'add');
  const sources = add?.options ?? [];
  const optionsOf = (source: string) =>
    sources.find(({ name }) => name === source)?.options?.map(({ name }) => name) ?? [];
  expect(sources.map(({ name }) => name)).toEqual(['feed', 'events', 'dealcasts', 'polls', 'monkeychats']);
  expect(optionsOf('feed').slice(0, 2)).toEqual(['feed', 'channel']);
  expect(optionsOf('events').slice(0, 3)).toEqual(['type', 'site', 'channel']);
  const ofFeeds = ['feed', 'price-drop'];
  const ofEvents = ['type', 'site'];
  const ofPrices = ['max-price', 'min-discount'];
  expect(optionsOf('feed')).toEqual(expect.arrayContaining([...ofFeeds, ...ofPrices]));
  expect(optionsOf('events')).toEqual(expect.arrayContaining([...ofEvents, ...ofPrices]));
  expect(optionsOf('feed').filter((name) => ofEvents.includes(name))).toEqual([]);
  expect(optionsOf('events').filter((name) => ofFeeds.includes(name))).toEqual([]);
  for (const source of ['dealcasts', 'polls', 'monkeychats']) {
    expect(optionsOf(source)[0]).toBe('channel');
    expect(optionsOf(source).filter((name) => [...ofFeeds, ...ofEvents, ...ofPrices].includes(name))).toEqual([]);
  }
});

test('what has to be given stands first, as Discord wants it', () => {
  const isRequired = (option: Named) => (option as APIApplicationCommandOption).required === true;
  for (const { options = [] } of [...DATA, ...DATA.flatMap(below)]) {
    const required = options.filter(isRequired).length;
    expect(options.slice(0, required).every(isRequired)).toBe(true);
  }
});

test('an option that completes what is typed has no choices beside', () => {
  const texts = DATA.flatMap(below).filter(
    (option) => (option as APIApplicationCommandOption).type === ApplicationCommandOptionType.String,
  ) as APIApplicationCommandStringOption[];
  for (const option of texts) expect(option.autocomplete === true && option.choices !== undefined).toBe(false);
});
