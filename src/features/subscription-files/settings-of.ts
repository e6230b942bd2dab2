import {
  type Setting,
  type Settings,
  settingValue,
  USUAL_SETTINGS,
  valuesOf,
  withValues,
} from '../../deals/settings.ts';

/** The settings alone of something that has more, those of features included. @param all those that there are */
export function settingsAmong(settings: Settings, all: readonly Setting[]): Settings {
  const values = valuesOf(settings);
  const chosen = Object.fromEntries(all.map((setting) => [setting.field, settingValue(setting, values)]));
  const added = Object.entries(chosen).filter(([field]) => !(field in valuesOf(USUAL_SETTINGS)));
  return { ...withValues(USUAL_SETTINGS, chosen), ...Object.fromEntries(added) };
}
