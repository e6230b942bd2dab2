/** Words that keep their capitals in the middle of a sentence, beside those with more than one or with a digit. */
const PROPER = new Set(['Bluetooth', 'Cabernet', 'Sauvignon']);

/** A product's name as it stands in the middle of a sentence: `4K smart TV`, `wireless headphones`. */
export function inSentence(noun: string): string {
  return noun
    .split(' ')
    .map((word) => (PROPER.has(word) || /\d|[A-Z].*[A-Z]/.test(word) ? word : word.toLowerCase()))
    .join(' ');
}

/** Whether a product comes in pairs and is spoken of in the plural. */
export function isPlural(noun: string): boolean {
  return /(phones|buds|Shoes|Gloves)$/.test(noun);
}

/** `an espresso machine`, `an LED floor lamp`, `a pair of wireless headphones`. */
export function withArticle(noun: string): string {
  if (isPlural(noun)) return `a pair of ${inSentence(noun)}`;
  return `${/^(?:[AEIOU]|LED)/i.test(noun) ? 'an' : 'a'} ${inSentence(noun)}`;
}
