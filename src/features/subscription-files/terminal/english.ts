import { createTranslators } from '../../../discord/i18n/translator.ts';
import { WORDS } from '../words/index.ts';

/** For the terminal, whose readers are not Discord's people. */
export const ENGLISH = createTranslators(() => undefined, [WORDS])('en-US');
