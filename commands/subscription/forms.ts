import { type Subscription, type Timing, USUAL_TIMING } from '../../src/bot/deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../../src/bot/deals/time-of-day.ts';
import { form, type Input, type TextInput } from '../../src/bot/discord/cards/form.ts';
import type { Modal } from '../../src/bot/discord/command.ts';
import type { SubscriptionStep } from '../../src/bot/discord/custom-id.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { filterOf, numberIn } from './settings.ts';
import { timingFrom } from './times.ts';
import type { TypedOptions } from './typed-options.ts';

/** Discord allows this many. The filter parser allows fewer, and its error names the position. */
const MOST_FILTER = 2000;

const actionOf = ({ id }: Subscription, step: SubscriptionStep) =>
  ({ do: 'subscription', step, subscriptionId: id }) as const;

/** @param typed what the person entered before; without it, the present settings are shown */
type SettingsForm = (subscription: Subscription, typed: TypedOptions, translator: Translator) => Modal;

export const filterForm: SettingsForm = (subscription, typed, translator) => {
  const input: Input = {
    name: 'filter',
    takes: 'text',
    label: translator.t('form.filter'),
    example: 'ssd -refurb* price:<50 off:>=40',
    value: typed.get('filter') ?? subscription.filter,
    most: MOST_FILTER,
    isLong: true,
  };
  return form(actionOf(subscription, 'filter'), translator.t('form.filterTitle'), [input]);
};

/** The filter that the person entered. @throws InputError where it has a mistake */
export function writtenFilter(typed: TypedOptions): string {
  return filterOf('filter', typed.get('filter')?.trim() ?? '').text;
}

export const timesForm: SettingsForm = (subscription, typed, translator) => {
  const { timeZone, dailyAtMinute, quiet } = subscription.timing;
  const input = (name: string, label: string, example: string, present: string, most: number): TextInput => ({
    name,
    takes: 'text',
    label,
    example,
    value: typed.get(name) ?? present,
    most,
  });
  const usualAt = formatTimeOfDay(USUAL_TIMING.dailyAtMinute);
  return form(actionOf(subscription, 'times'), translator.t('form.timesTitle'), [
    input('time-zone', translator.t('form.timeZone'), 'Europe/Berlin', timeZone, 100),
    input('at', translator.t('form.at'), usualAt, formatTimeOfDay(dailyAtMinute), 20),
    input('quiet-hours', translator.t('form.quietHours'), '22:00–07:00', quiet ? formatHours(quiet) : '', 40),
  ]);
};

/** Applies the entered times to a timing; an emptied field resets to its default. @throws InputError */
export function writtenTiming(typed: TypedOptions, before: Timing): Timing {
  return timingFrom(before, {
    mode: null,
    at: typed.get('at')?.trim() || formatTimeOfDay(USUAL_TIMING.dailyAtMinute),
    timeZone: typed.get('time-zone')?.trim() || USUAL_TIMING.timeZone,
    quietHours: typed.get('quiet-hours') ?? '',
  });
}

export const limitsForm: SettingsForm = (subscription, typed, translator) => {
  const { mostPerHour, priceDropPercent, source } = subscription;
  const most: Input = {
    name: 'most-per-hour',
    takes: 'text',
    label: translator.t('form.most'),
    example: '30',
    value: typed.get('most-per-hour') ?? String(mostPerHour),
    most: 4,
  };
  const drop: Input = {
    name: 'price-drop',
    takes: 'text',
    label: translator.t('form.priceDrop'),
    example: '10',
    value: typed.get('price-drop') ?? String(priceDropPercent),
    most: 4,
  };
  const inputs = source.kind === 'feed' ? [most, drop] : [most];
  return form(actionOf(subscription, 'limits'), translator.t('form.limitsTitle'), inputs);
};

/** The limits that the person entered. @throws InputError where a value is not a number in range */
export function writtenLimits(
  typed: TypedOptions,
  before: Subscription,
): Pick<Subscription, 'mostPerHour' | 'priceDropPercent'> {
  return {
    mostPerHour: numberIn(typed, 'most-per-hour') ?? before.mostPerHour,
    priceDropPercent: numberIn(typed, 'price-drop') ?? before.priceDropPercent,
  };
}
