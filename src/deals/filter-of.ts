import { allOf, type Filter, parseFilter } from './filter/index.ts';
import { type FeatureFlags, type FlagSetting, SETTINGS, type Setting, type SettingOf } from './settings.ts';
import type { Subscription } from './subscription.ts';

type Choosing = Pick<Subscription, 'filter' | keyof FeatureFlags>;

/** A setting by which a subscription chooses among offers. */
export type ChoosingSetting = SettingOf<'filter'> | FlagSetting;

const [FILTER] = SETTINGS;

/**
 * Compiles what a subscription takes: its filter, and the terms of its settings that choose. null where that can't be read.
 * @param settings all those that a subscription can have
 */
export function filterOf(subscription: Choosing, settings: readonly Setting[], parse = parseFilter): Filter | null {
  const choices = choicesOf(subscription, settings, parse);
  return choices && allOf(choices.map(({ filter }) => filter));
}

/** The same by its settings: its filter first, then those that choose. */
export function choicesOf(
  subscription: Choosing,
  settings: readonly Setting[],
  parse = parseFilter,
): { setting: ChoosingSetting; filter: Filter }[] | null {
  const choosing = settings.flatMap((setting) =>
    'terms' in setting && subscription[setting.field] === true ? [{ setting, text: setting.terms }] : [],
  );
  const parsed = [{ setting: FILTER, text: subscription.filter }, ...choosing].map(({ setting, text }) => ({
    setting,
    ...parse(text),
  }));
  return parsed.every((one) => one.ok) ? parsed : null;
}
