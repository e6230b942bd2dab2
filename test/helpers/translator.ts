import { createTranslators, type Translator } from '../../src/discord/i18n/translator.ts';
import { FEATURES } from '../../src/features/index.ts';

/** As the core's `translatorFor`, with the sentences of all features. */
export const translatorFor = createTranslators(
  () => undefined,
  FEATURES.flatMap(({ words }) => words ?? []),
);

/** A translator that writes dates to the second, for judges who compare them with what happened. */
export function withExactDates(translator: Translator): Translator {
  return { ...translator, date: (ms) => `<t:${Math.floor(ms / 1000)}:D>` };
}
