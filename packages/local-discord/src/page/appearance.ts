import type { MenuItem } from './context.ts';
import { recall, remember } from './remembered.ts';

const APPEARANCES = { system: 'Same as the system', light: 'Light', dark: 'Dark' } as const;
type Appearance = keyof typeof APPEARANCES;

const isAppearance = (value: string | null): value is Appearance => value !== null && value in APPEARANCES;

function chosenAppearance(): Appearance {
  const kept = recall('appearance');
  return isAppearance(kept) ? kept : 'system';
}

/** Applies the chosen appearance; the style sheet follows the system where none is chosen. */
export function applyAppearance(): void {
  document.documentElement.dataset['appearance'] = chosenAppearance();
}

/** The items of the menu that switches between light and dark. */
export function appearanceItems(): MenuItem[] {
  const chosen = chosenAppearance();
  return Object.entries(APPEARANCES).map(([appearance, label]) => ({
    label,
    checked: appearance === chosen,
    choose() {
      remember('appearance', appearance);
      applyAppearance();
    },
  }));
}
