import { createTranslators } from '../../src/discord/i18n/translator.ts';
import { FEATURES } from '../../src/features/index.ts';

/** As the core's `translatorFor`, with the sentences of all features. */
export const translatorFor = createTranslators(
  () => undefined,
  FEATURES.flatMap(({ words }) => words ?? []),
);
