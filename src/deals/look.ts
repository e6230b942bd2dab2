import { z } from 'zod';

/** How a post shows its deal: beside a small picture, or above a large one. */
export const STYLES = ['compact', 'large'] as const;
/** The treatment of a post whose deal is over: its title is struck through, or it is deleted. */
export const OVER_ACTIONS = ['strike', 'delete'] as const;
/** The most characters of the line above a post. */
export const MOST_LINE = 100;

/** How posts look, and how they arrive. */
export interface Look {
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

/** The settings of a server or a subscription; those that are absent come from the next layer. */
export type LookSettings = Partial<Look>;

/** The look of posts where nobody has set anything. */
export const USUAL_LOOK: Look = {
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
export function readLook(stored: unknown): LookSettings {
  const { data } = STORED.safeParse(stored);
  return data ? withoutAbsent(data) : {};
}

/** The look that the layers make together: a later layer wins, and what no layer sets has its default. */
export function lookOf(...layers: readonly (LookSettings | undefined)[]): Look {
  return Object.assign({ ...USUAL_LOOK }, ...layers);
}

/** Whether posts show what is attached to them. */
export function hasAttachments({ hasChart }: Pick<Look, 'hasChart'>): boolean {
  return hasChart;
}

/** Settings to change; null takes a setting back. The colour has a null of its own, so it is wrapped. */
export type LookChange = { [K in keyof Look]?: { to: Look[K] } | null };

/** The settings after a change. */
export function changedLook(before: LookSettings, change: LookChange): LookSettings {
  const after = (Object.keys(USUAL_LOOK) as (keyof Look)[]).flatMap((key) => {
    const next = change[key];
    if (next === null) return [];
    const value = next ? next.to : before[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(after);
}

function withoutAbsent(settings: { [K in keyof Look]?: Look[K] | undefined }): LookSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
