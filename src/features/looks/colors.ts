import { message, type Translator } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import type { LocalizedText } from '../../shared/errors.ts';

/** The colours that have a name: 0xRRGGBB, near those of their emoji. */
export const NAMED_COLORS = [
  { name: 'red', color: 0xdd2e44, mark: '🟥' },
  { name: 'orange', color: 0xf4900c, mark: '🟧' },
  { name: 'yellow', color: 0xfdcb58, mark: '🟨' },
  { name: 'green', color: 0x78b159, mark: '🟩' },
  { name: 'blue', color: 0x55acee, mark: '🟦' },
  { name: 'purple', color: 0xaa8ed6, mark: '🟪' },
  { name: 'brown', color: 0xc1694f, mark: '🟫' },
  { name: 'white', color: 0xe6e7e8, mark: '⬜' },
  { name: 'black', color: 0x31373d, mark: '⬛' },
] as const;

/** The text for the colour of the announcement's kind, in options and menus. */
export const AUTO = 'auto';

const HEX = /^#?([\da-f]{6})$/i;
const SHORT_HEX = /^#?([\da-f])([\da-f])([\da-f])$/i;

/** `#ff8800`; `auto` for the colour of the announcement's kind. */
export function formatColor(color: number | null): string {
  return color === null ? AUTO : `#${color.toString(16).padStart(6, '0')}`;
}

/** `🟥 Red`, `#ff8800`, or the words for the colour of the announcement's kind. */
export function describeColor(color: number | null, translator: Translator): string {
  const named = NAMED_COLORS.find((candidate) => candidate.color === color);
  if (named) return `${named.mark} ${translator.t(`look.color.${named.name}`)}`;
  return color === null ? translator.t('look.color.auto') : formatColor(color);
}

/**
 * Reads a colour that a person typed: `auto`, a name in their language or in English, `#ff8800` or `#f80`.
 * @returns a reason where it is none
 */
export function readColor(
  typed: string,
  translator: Translator,
): { color: number | null } | { problem: LocalizedText } {
  const text = typed.trim().toLowerCase();
  const isCalled = (color: number | null) => describeColor(color, translator).toLowerCase() === text;
  if (text === AUTO || isCalled(null)) return { color: null };
  const named = NAMED_COLORS.find(
    ({ name, color }) => text === name || text === translator.t(`look.color.${name}`).toLowerCase() || isCalled(color),
  );
  if (named) return { color: named.color };
  const digits =
    HEX.exec(text)?.[1] ??
    SHORT_HEX.exec(text)
      ?.slice(1)
      .flatMap((digit) => [digit, digit])
      .join('');
  if (digits) return { color: Number.parseInt(digits, 16) };
  return { problem: message('look.noColor', { text: escapeLine(typed) }) };
}
