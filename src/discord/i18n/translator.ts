import type { PriceRange } from '../../deals/price.ts';
import type { LocalizedText, LocalizedValue } from '../../shared/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import { CORE_WORDS, LANGUAGE_OF, LOCALES, type Locale, type ValuesOf, type WordKey, type Words } from './catalog.ts';

/** Formats sentences, numbers and prices for one of Discord's locales. */
export interface Translator {
  /** The locale of number formats. */
  locale: Locale;
  /** A sentence of the catalogue. Values are inserted as they are, so foreign text has to be escaped already. */
  t<Key extends WordKey>(key: Key, ...values: Values<ValuesOf<Key, string>>): string;
  /** Translates a sentence that was chosen before the reader's language was known. */
  translate(localized: LocalizedText): string;
  number(value: number): string;
  /** Takes whole percent: 34 is `34%`. */
  percent(value: number): string;
  /** US dollars: `$84.95`, or `$159.99 – $199.99` for a range. */
  price(range: PriceRange): string;
  /** `3 minutes`: a duration in the largest unit that fits, rounded down. */
  span(ms: number): string;
  /** A day, in UTC: `Nov 29, 2026`. Discord would write it in each reader's language, whatever stands around it. */
  date(ms: number): string;
  /** An hour of the day, 0 to 23, in the language's style: `11 PM` or `23:00`. */
  hour(hour: number): string;
  /** `a, b, and c` */
  list(items: readonly string[]): string;
  /**
   * A mention of a command by its English path, `subscription add feed`, which Discord shows in each reader's language;
   * its name in this language where its id is not known.
   * @see https://discord.com/developers/docs/reference#message-formatting
   */
  command(path: string): string;
}

/** The translator for a locale; English where the locale is unknown or has no translation. */
export type Translators = (locale: string | null | undefined) => Translator;

/** A sentence without placeholders takes no values. */
type Values<V> = [keyof V] extends [never] ? [] : [values: V];

/** `{{name}}`, or `{{name, number}}` to be written as the language writes numbers, or `{{/command}}`. */
const PLACEHOLDER = /\{\{(?:\/([a-z -]+)|(\w+)(, number)?)\}\}/g;
/** Dollars below which a price is written with tenths of a cent. */
const TINY = 0.1;
const SMALLEST_UNIT = ['second', 1000] as const;
const UNITS = [['day', DAY_MS], ['hour', HOUR_MS], ['minute', MINUTE_MS], SMALLEST_UNIT] as const;

/**
 * @param idOf the id of a registered command by its English name; undefined where it is not known
 * @param more the sentences of features
 */
export function createTranslators(
  idOf: (name: string) => string | undefined,
  more: readonly Words[] = [],
): Translators {
  const created = new Map<Locale, Translator>();
  return (wanted) => {
    const locale = LOCALES.find((one) => one === wanted) ?? 'en-US';
    // On first use: the number and date formats of one language take some 500 KiB.
    const translator = created.get(locale) ?? createTranslator(locale, idOf, [CORE_WORDS, ...more]);
    created.set(locale, translator);
    return translator;
  };
}

/** A sentence of the catalogue whose reader's language is not known yet. */
export function message<Key extends WordKey>(
  key: Key,
  ...[values]: Values<ValuesOf<Key, LocalizedValue>>
): LocalizedText {
  return { key, values: values ?? {} };
}

/** Whether the core has a sentence with this key. */
export function isWordKey(text: string): text is WordKey {
  return Object.hasOwn(CORE_WORDS.en, text) || Object.hasOwn(CORE_WORDS.en, `${text}_other`);
}

function createTranslator(
  locale: Locale,
  idOf: (name: string) => string | undefined,
  words: readonly Words[],
): Translator {
  const sentences: Readonly<Record<string, string>> = Object.assign(
    {},
    ...words.map((one) => one[LANGUAGE_OF[locale]]),
  );
  // Shows -0 as 0.
  const numbers = new Intl.NumberFormat(locale, { signDisplay: 'negative' });
  const percents = new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'negative' });
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' });
  const alternatives = new Intl.ListFormat(locale, { type: 'disjunction' });
  const plurals = new Intl.PluralRules(locale);

  const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
  const tenths = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 3 });
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  // `formatRange` takes a hundred times as long as `format`: for a page of a list, as long as all else that is done for it.
  const [before = '', between = '', after = ''] = dollars.formatRange(1, 2).split(/\d.00/);
  const isHalfDay = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true;
  const hours = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    ...(isHalfDay ? { hour: 'numeric' } : { hour: '2-digit', minute: '2-digit' }),
  });
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const number = (value: number) => numbers.format(value);
  const percent = (value: number) => percents.format(value / 100);

  /** The plural form of a sentence for a number; `_other` where the language has a form that no sentence uses. */
  function formOf(key: string, count: string | number | undefined): string {
    const plural = typeof count === 'number' ? sentences[`${key}_${plurals.select(count)}`] : undefined;
    return plural ?? sentences[`${key}_other`] ?? sentences[key] ?? key;
  }

  function sentence(key: string, values: Readonly<Record<string, string | number>> = {}): string {
    return formOf(key, values['count']).replace(PLACEHOLDER, (_, path?: string, name = '', asNumber?: string) => {
      if (path !== undefined) return command(path);
      const value = values[name] ?? '';
      return asNumber && typeof value === 'number' ? number(value) : String(value);
    });
  }

  function command(path: string): string {
    const [name = ''] = path.split(' ');
    const id = idOf(name);
    if (id !== undefined) return `</${path}:${id}>`;
    return `\`/${path}\``;
  }

  function written(value: LocalizedValue): string | number {
    if (typeof value !== 'object') return value;
    if ('percent' in value) return percent(value.percent);
    if ('either' in value) return alternatives.format(value.either);
    return 'key' in value ? translate(value) : lists.format(value.map((part) => String(written(part))));
  }

  function translate({ key, values }: LocalizedText): string {
    return sentence(key, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, written(value)])));
  }

  return {
    locale,
    t: (key, ...given) => sentence(key, given[0]),
    translate,
    number,
    percent,
    price: ({ minimum, maximum }) => {
      const [least, most] = [amounts.format(minimum), amounts.format(maximum)];
      return least === most
        ? (minimum < TINY ? tenths : dollars).format(minimum)
        : `${before}${least}${between}${most}${after}`;
    },
    span: (ms) => {
      const [unit, unitMs] = UNITS.find(([, length]) => ms >= length) ?? SMALLEST_UNIT;
      const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
      return format.format(Math.floor(ms / unitMs));
    },
    date: (ms) => dates.format(ms),
    hour: (hour) => hours.format(Date.UTC(2000, 0, 1, hour)),
    list: (items) => lists.format(items),
    command,
  };
}

/** For where no bot is connected: mentions of commands are their names. */
export const translatorFor = createTranslators(() => undefined);
