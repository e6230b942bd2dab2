import { allOf, type Filter, parseFilter } from './filter/index.ts';
import type { FeatureFlags, Setting } from './settings.ts';
import type { Subscription } from './subscription.ts';

/**
 * Compiles what a subscription takes: its filter, and the terms of its settings that choose. null where that can't be read.
 * @param settings all those that a subscription can have
 */
export function filterOf(
  subscription: Pick<Subscription, 'filter' | keyof FeatureFlags>,
  settings: readonly Setting[],
  parse = parseFilter,
): Filter | null {
  const choosing = settings.flatMap((one) => ('terms' in one && subscription[one.field] === true ? one.terms : []));
  const parsed = [subscription.filter, ...choosing].map((text) => parse(text));
  return parsed.every((one) => one.ok) ? allOf(parsed.map(({ filter }) => filter)) : null;
}
