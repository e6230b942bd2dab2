import { parseFilter } from '../../deals/filter/index.ts';
import type { Language } from '../../discord/i18n/catalog.ts';
import { VOCABULARIES, type Vocabulary } from './vocabulary/index.ts';

/** What is typed where a filter goes has at most so many characters; longer text stays as it is. */
const MOST_CHARACTERS = 2_000;

/** A phrase, and the part of a filter that it means; null where it only looks like one. */
interface Rule {
  phrase: RegExp;
  read: (found: RegExpExecArray) => string | null;
}

/**
 * Reads what people type in their words as a filter: `vacuum under $60` as `vacuum price:<60`. What is no phrase stays as it
 * is, and so does all that is in quotes or has the filter's own form, and a text that would be no filter. Takes time linear in
 * the text.
 * @param language whose phrases are read besides English ones
 */
export function readPhrases(text: string, language: Language): string {
  if (text.length > MOST_CHARACTERS) return text;
  const rules = rulesFor(language);
  let read = '';
  for (let at = 0; at < text.length; ) {
    const kept = matchAt(KEPT, text, at)?.[0] ?? '';
    const found = kept === '' && isAtStart(text, at) ? phraseAt(rules, text, at) : null;
    read += found?.filter ?? (kept || text.charAt(at));
    at += found?.length ?? (kept.length || 1);
  }
  // A mistake is shown in what was typed.
  return read.trim() !== text.trim() && parseFilter(read).ok ? read : text;
}

function phraseAt(rules: readonly Rule[], text: string, at: number): { filter: string; length: number } | null {
  for (const { phrase, read } of rules) {
    const found = matchAt(phrase, text, at);
    if (!found) continue;
    const behind = matchAt(BEHIND, text, at + found[0].length);
    const filter = behind && read(found);
    if (filter) return { filter, length: found[0].length + behind[0].length };
  }
  return null;
}

/** Matches a sticky expression at exactly this position. */
function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** What stands between a phrase and the next word; a comma or a full stop belongs to no word. */
const BEHIND = /[,;.!]?(?=[\s)]|$)/y;

const isAtStart = (text: string, at: number) =>
  /\S/.test(text.charAt(at)) && (at === 0 || /[\s(]/.test(text.charAt(at - 1)));

/** Text in quotes, a regular expression, and a term with a field's English name and a value. */
const KEPT =
  /["“”„][^"“”„]*["“”„]?|\/(?:[^\\/\s]|\\\S|\\? )+\/[a-z]*(?![^\s)])|[a-z]+:(?:[<>]=?|=)?(?:["“”„][^"“”„]*["“”„]|[[{][^\]}]*[\]}]|[^\s()<>=≤≥][^\s()]*)/iuy;

const DIGITS = String.raw`\d{1,3}(?:[.,'\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?|\d{1,9}(?:[.,]\d{1,2})?`;
/** Thousands with a space between them, where a currency follows. */
const SPACED = String.raw`\d{1,3}(?: \d{3})+(?:[.,]\d{1,2})?(?=\s?(?:\$|CURRENCY))`;
const UNITS =
  'euros?|eur|gbp|pounds?|pfund|[kmgt]b|gb/s|[km]?hz|k?w|k?wh|m?ah|v|a|oz|fl|lbs?|k?g|mg|ml|l|cm|mm|m|ft|feet|foot|in(?! stock)|inch(?:es)?|yards?|mph|packs?|pk|counts?|ct|pcs|pieces?|stück|pièces?|piezas?|persons?|people|years?|jahre|ans|años|hours?|days?|min(?:utes?|uten|utos)?|sec(?:onds?)?|sekunden|hrs?|weeks?|months?|wochen|monate|semaines?|mois|semanas|meses|db|calories|stunden|tage|heures?|jours|horas|días|zoll|pouces?|pulgadas?|liter|litres?|litros?|k|p|h|d';
/** A number that isn't a part of a name or a measure. */
const ENDS = String.raw`(?![\p{L}\p{N}%"″'’]|[.,-]\d|\s*[%€£¥]|\s?(?:${UNITS})(?![\p{L}\p{N}]))`;
/** Up to three spaces: a longer run could be split between two of these in very many ways. */
const SPACE = String.raw`\s{0,3}`;
const GAP = String.raw`\s{1,3}`;
const COMPARISONS = '<=|>=|=<|=>|≤|≥|<|>';
const OPERATORS: Readonly<Record<string, string>> = { '=<': '<=', '=>': '>=', '≤': '<=', '≥': '>=', '=': '' };
const UNIT_LETTERS = { minutes: 'm', hours: 'h', days: 'd' } as const;

/** All rules of a language and of English, in the order in which they are tried. */
const rulesFor = memoized((language: Language): readonly Rule[] => {
  const words = inBoth(language);
  const any = (...names: (keyof Vocabulary)[]) => names.map((name) => words[name]).join('|');
  const spaced = SPACED.replace('CURRENCY', words.currency);
  const currency = String.raw`(?:\$|(?:${words.currency})(?![\p{L}]))`;
  const money = String.raw`(?:(?:us)?\$\s?(?:${DIGITS})(?![\p{L}\p{N}%])(?:\s?${currency})?|usd\s(?:${DIGITS})${ENDS}|(?:${spaced}|${DIGITS})\s?${currency})`;
  const amount = `(?:${money}|(?:${DIGITS})${ENDS})`;
  const percent = String.raw`(\d{1,3})\s?%`;
  const end = String.raw`(?![\p{L}\p{N}*])`;
  const before = `(?:(?:${words.filler})${GAP})?(?:(?:${words.price})${GAP})?`;
  const timeUnit = `(?:(m|h|d|${words.minutes}|${words.hours}|${words.days}))${end}`;
  const unitOf = (unit: string) =>
    Object.entries(UNIT_LETTERS).find(
      ([name, letter]) =>
        unit.toLowerCase() === letter || new RegExp(`^(?:${words[name as keyof Vocabulary]})$`, 'iu').test(unit),
    )?.[1] ?? 'h';
  const rule = (source: string, read: Rule['read']): Rule => ({ phrase: new RegExp(source, 'iuy'), read });
  const compared = (name: keyof Vocabulary, operator: string, of: string) =>
    rule(`${before}(?:${words[name]})${SPACE}(${of})`, ([, written = '']) => priceTerm(operator, written));
  const conditions = [
    { of: words.refurbished, term: 'refurbished' },
    { of: words.used, term: 'used' },
    { of: words.openBox, term: 'open-box' },
    { of: words.isNew, term: 'condition:new' },
  ];
  return [
    rule(`(?:${words.price})${SPACE}:?${SPACE}(=|${COMPARISONS})${SPACE}(${amount})`, ([, sign = '', written = '']) =>
      priceTerm(operatorOf(sign), written),
    ),
    rule(
      `(?:${words.off})${SPACE}:?${SPACE}(${COMPARISONS})${SPACE}(\\d{1,3})\\s?%?${end}`,
      ([, sign = '', number = '']) => `off:${operatorOf(sign)}${number}`,
    ),
    rule(
      `(?:${words.ends})${SPACE}:?${SPACE}(${COMPARISONS})${SPACE}(\\d{1,6})\\s?${timeUnit}`,
      ([, sign = '', number = '', unit = '']) => `ends:${operatorOf(sign)}${number}${unitOf(unit)}`,
    ),
    rule(`(${COMPARISONS})${SPACE}(${amount})`, ([, sign = '', written = '']) => priceTerm(operatorOf(sign), written)),
    rule(
      `(?:(${any('atLeast')})${GAP}|(${any('above')})${GAP})?-?${percent}${SPACE}(?:${words.discount})${end}`,
      ([, , isAbove, number]) => `off:${isAbove === undefined ? '>=' : '>'}${number}`,
    ),
    rule(`(?:${words.halfPrice})${end}`, () => 'off:>=50'),
    rule(`(?:${words.between})${GAP}(${amount})${GAP}(?:${words.and})${GAP}(${amount})`, ([, low = '', high = '']) =>
      rangeTerm(low, high),
    ),
    rule(
      `(?:(?:${words.from})${GAP})?(${money}|${DIGITS})\\s?(?:(?:${words.to})(?![\\p{L}])|-|–)\\s?(${money}|${DIGITS})${end}`,
      ([whole, low = '', high = '']) => (new RegExp(currency, 'iu').test(whole) ? rangeTerm(low, high) : null),
    ),
    compared('below', '<', amount),
    compared('atMost', '<=', amount),
    compared('atMostOfMoney', '<=', money),
    compared('above', '>', money),
    compared('atLeast', '>=', money),
    ...conditions.map(({ of, term }) =>
      rule(`(?:${any('without', 'no')})${SPACE}(?<=[\\s'’])(?:${of})${end}`, () => `-${term}`),
    ),
    ...conditions.flatMap(({ of, term }) => [
      rule(`(?:${words.only})${GAP}(?:${of})${end}`, () => term),
      rule(`(?:${of})${GAP}(?:${words.only})${end}`, () => term),
    ]),
    rule(`(?:${words.no})${GAP}(?:${words.byPartner})${end}`, () => 'partner:false'),
    rule(`(?:${words.byPartner})${end}`, () => 'partner:true'),
    rule(`(?:${words.inStock})${end}`, () => 'soldout:false'),
    rule(`(?:${words.endsToday})${end}`, () => 'ends:<24h'),
    rule(
      `(?:${words.endsIn})${GAP}(?:(?:${words.below})${GAP})?(\\d{1,4})\\s?${timeUnit}`,
      ([, number = '', unit = '']) => `ends:<${number}${unitOf(unit)}`,
    ),
    rule(
      `(?:${words.without})${GAP}(?!(?:and|or|not)${end})(\\p{L}[\\p{L}\\p{N}]+)${end}`,
      ([, word = '']) => `-${word}`,
    ),
  ];
});

/** The alternatives of both languages. */
function inBoth(language: Language): Vocabulary {
  const [english, own] = [VOCABULARIES.en, VOCABULARIES[language]];
  const names = Object.keys(english) as (keyof Vocabulary)[];
  const both = names.map((name) => [name, language === 'en' ? english[name] : `${own[name]}|${english[name]}`]);
  return Object.fromEntries(both) as Record<keyof Vocabulary, string>;
}

const operatorOf = (sign: string) => OPERATORS[sign] ?? sign;

function priceTerm(operator: string, written: string): string | null {
  const number = numberIn(written);
  return number === null ? null : `price:${operator}${number}`;
}

function rangeTerm(low: string, high: string): string | null {
  const [from, to] = [numberIn(low), numberIn(high)];
  return from === null || to === null || from > to ? null : `price:${from}..${to}`;
}

/**
 * The number in an amount: the last of `.` and `,` is its decimal point where fewer than three digits follow.
 * @example
 * numberIn('$1.299,99') // 1299.99
 */
function numberIn(written: string): number | null {
  const digits = written.replace(/[^\d.,]/g, '').replace(/^[.,]+|[.,]+$/g, '');
  const [, whole = '', cents = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/.exec(digits) ?? [];
  const number = Number(`${whole.replace(/[.,]/g, '')}.${cents || '0'}`);
  return Number.isFinite(number) && digits !== '' ? number : null;
}

function memoized<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
