import { type Setting, settingsWith } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { field } from '../../src/discord/action-table.ts';
import type { LocalizedText } from '../../src/shared/errors.ts';
import type { CommandServices, FeatureCommands, FeatureField, FeatureFlag } from '../shared.ts';

/** The flags that features add to subscriptions. */
export function flagsOf(features: readonly Pick<FeatureCommands, 'flags'>[]): readonly FeatureFlag[] {
  return features.flatMap(({ flags = [] }) => flags);
}

/** The other fields that features add to subscriptions. */
export function fieldsOf(features: readonly Pick<FeatureCommands, 'fields'>[]): readonly FeatureField[] {
  return features.flatMap(({ fields = [] }) => fields);
}

/** All settings of a subscription: the core's and those of features. */
export function settingsOf(features: readonly Pick<FeatureCommands, 'flags' | 'fields'>[]): readonly Setting[] {
  return settingsWith(flagsOf(features), fieldsOf(features));
}

/** The actions of the panel's buttons for flags: further steps of the core's `subscription`. */
export function flagTable(flags: readonly FeatureFlag[]) {
  const steps = flags.flatMap(({ on, off }) => [on.step, off.step]);
  return { subscription: { step: field.oneOf(steps), subscriptionId: field.id } };
}

/** Why flags of the subscription don't work now. */
export function flagTroubles(subscription: Subscription, services: CommandServices): LocalizedText[] {
  return services.flags.flatMap((flag) => flag.troubles?.(subscription, services) ?? []);
}
