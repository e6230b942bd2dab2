import { type Appearance, type AppearanceLayer, USUAL_APPEARANCE } from '../../deals/appearance.ts';

/** Settings to change; null takes a setting back. The colour has a null of its own, so it is wrapped. */
export type LookChange = { [K in keyof Appearance]?: { to: Appearance[K] } | null };

/** The settings after a change. */
export function changedLook(before: AppearanceLayer, change: LookChange): AppearanceLayer {
  const after = (Object.keys(USUAL_APPEARANCE) as (keyof Appearance)[]).flatMap((key) => {
    const next = change[key];
    if (next === null) return [];
    const value = next ? next.to : before[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(after);
}
