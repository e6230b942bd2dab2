import { z } from 'zod';

/** How a post shows its deal: beside a small picture, or above a large one. */
export const STYLES = ['compact', 'large'] as const;
/** The treatment of a post whose deal is over: its title is struck through, or it is deleted. */
export const OVER_ACTIONS = ['strike', 'delete'] as const;
/** The most characters of the line above a post. */
export const MOST_LINE = 100;

/** What posts' cards can be, and how they arrive. */
export interface Appearance {
  style: (typeof STYLES)[number];
  /** The stripe at the card's side: 0xRRGGBB; null for the colour of the announcement's kind. */
  accent: number | null;
  /** Foreign text, because a person typed it: one line above the card; '' for none. */
  line: string;
  /** Whether posts arrive without a notification. */
  isSilent: boolean;
  /** Whether a post shows what its product cost, where that is known for long enough. */
  hasChart: boolean;
  whenOver: (typeof OVER_ACTIONS)[number];
}

/** Settings of one layer; those that are absent come from the layer before. */
export type AppearanceLayer = Partial<Appearance>;

/** The appearance of posts where nobody has set anything. */
export const USUAL_APPEARANCE: Appearance = {
  style: 'compact',
  accent: null,
  line: '',
  isSilent: false,
  hasChart: true,
  whenOver: 'strike',
};

/** Each setting by itself: one that can't be read counts as absent, and the others stay. */
const STORED = z.object({
  style: z.enum(STYLES).optional().catch(undefined),
  accent: z.int().min(0).max(0xffffff).nullable().optional().catch(undefined),
  line: z.string().max(MOST_LINE).optional().catch(undefined),
  isSilent: z.boolean().optional().catch(undefined),
  hasChart: z.boolean().optional().catch(undefined),
  whenOver: z.enum(OVER_ACTIONS).optional().catch(undefined),
});

/** Reads stored settings; none where they are malformed. */
export function readAppearance(stored: unknown): AppearanceLayer {
  const { data } = STORED.safeParse(stored);
  return data ? withoutAbsent(data) : {};
}

/** The appearance that the layers make together: a later layer wins, and what no layer sets has its default. */
export function appearanceFrom(...layers: readonly (AppearanceLayer | undefined)[]): Appearance {
  return Object.assign({ ...USUAL_APPEARANCE }, ...layers);
}

/** Whether posts show what is attached to them. */
export function hasAttachments({ hasChart }: Pick<Appearance, 'hasChart'>): boolean {
  return hasChart;
}

function withoutAbsent(settings: { [K in keyof Appearance]?: Appearance[K] | undefined }): AppearanceLayer {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
