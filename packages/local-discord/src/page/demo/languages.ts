import { performDemoAction } from '../api.ts';
import type { Context, MenuItem } from '../context.ts';
import { localeOf } from '../localized.ts';

/** The languages that the bot speaks, each by its own name. */
export const LANGUAGES = [
  ['en-US', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
  ['es-ES', 'Español'],
] as const;

/** The items of the menu that switches the language of the chosen person; none outside of a demo. */
export function languageItems(context: Context): MenuItem[] {
  const { server, view } = context;
  if (!server.demo) return [];
  const chosen = localeOf(context);
  return LANGUAGES.map(([locale, label], index) => ({
    label,
    checked: locale === chosen,
    choose: () =>
      void performDemoAction({ do: 'person-locale', personId: view.personId, locale }).catch(() => undefined),
    ...(index === 0 && { heading: 'Language' }),
  }));
}
