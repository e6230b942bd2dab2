import { z } from 'zod';
import {
  type AppearanceLayer,
  MOST_LINE,
  OVER_ACTIONS,
  readAppearance,
  STYLES,
  USUAL_APPEARANCE,
} from '../../deals/appearance.ts';
import type { FieldSetting } from '../../deals/settings.ts';
import { message } from '../../discord/i18n/translator.ts';
import { AUTO, formatColor } from './colors.ts';

const accent = z.string().transform((text, context): number | null => {
  if (text === AUTO) return null;
  if (/^#[0-9a-f]{6}$/i.test(text)) return Number.parseInt(text.slice(1), 16);
  context.addIssue({ code: 'custom', params: { mistake: message('file.noColour') } });
  return z.NEVER;
});

/** The names of a look's settings in files and in its form. */
export const NAMES = {
  style: 'style',
  accent: 'accent',
  line: 'line',
  isSilent: 'silent',
  hasChart: 'chart',
  whenOver: 'when-over',
} as const satisfies Record<keyof AppearanceLayer, string>;

const schema = z
  .strictObject({
    style: z.enum(STYLES).optional(),
    accent: accent.optional(),
    line: z.string().max(MOST_LINE).optional(),
    silent: z.boolean().optional(),
    chart: z.boolean().optional(),
    'when-over': z.enum(OVER_ACTIONS).optional(),
  })
  .transform((entry) => {
    const given = KEYS.filter((key) => entry[NAMES[key]] !== undefined);
    return given.length === 0 ? undefined : Object.fromEntries(given.map((key) => [key, entry[NAMES[key]]]));
  });

const KEYS = Object.keys(USUAL_APPEARANCE) as (keyof AppearanceLayer)[];

/** The look of a subscription's own. What it does not set is as its server has it. */
export const LOOK: FieldSetting = {
  field: 'look',
  name: 'look',
  kind: 'field',
  usual: undefined,
  inFiles: {
    schema: () => schema,
    names: Object.values(NAMES),
    written(stored) {
      const look = readAppearance(stored);
      const given = KEYS.filter((key) => look[key] !== undefined);
      const text = (key: keyof AppearanceLayer) => (key === 'accent' ? formatColor(look.accent ?? null) : look[key]);
      return given.length === 0 ? undefined : Object.fromEntries(given.map((key) => [NAMES[key], text(key)]));
    },
  },
};

declare module '../../deals/settings.ts' {
  interface SubscriptionFields {
    look: AppearanceLayer;
  }
}
