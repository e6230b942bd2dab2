import type { FeatureFlag } from '../../commands/shared.ts';
import type { Feature } from '../../src/app/feature.ts';
import { message } from '../../src/discord/i18n/translator.ts';

const SENTENCES = { 'panel.setting.featured': '**Featured** offers alone', 'button.featured': 'Only featured' };
const WORDS = { en: SENTENCES, de: SENTENCES, fr: SENTENCES, es: SENTENCES };

/** A flag that no feature has: a subscription takes featured offers alone. */
export const ONLY_FEATURED = {
  field: 'isFeaturedOnly',
  name: 'featured',
  kind: 'flag',
  usual: false,
  rank: 20,
  only: 'new-offer',
  terms: 'featured:true',
  option: { description: 'Featured offers alone', description_localizations: {} },
  line: 'panel.setting.featured',
  on: { step: 'featured', label: { ...message('button.filter'), key: 'button.featured' } },
  off: { step: 'all', label: { ...message('button.filter'), key: 'button.featured' } },
} as object as FeatureFlag;

/** The feature with the flag. */
export const onlyFeatured: Feature = { name: 'only-featured', words: WORDS, flags: [ONLY_FEATURED] };
