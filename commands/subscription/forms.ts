import type { ModalSubmitInteraction } from 'discord.js';
import { MOST_PER_HOUR, type Subscription, type Timing, USUAL_TIMING } from '../../src/bot/deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../../src/bot/deals/time-of-day.ts';
import { form, type Input } from '../../src/bot/discord/cards/form.ts';
import type { Modal } from '../../src/bot/discord/command.ts';
import type { SubscriptionStep } from '../../src/bot/discord/custom-id.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { escapeLine } from '../../src/bot/discord/markdown.ts';
import { UserError } from '../../src/shared/errors.ts';

import { timingFrom } from './times.ts';

/** Discord allows this many. The filter parser allows fewer, and its error names the position. */
const MOST_FILTER = 2000;

const actionOf = ({ id }: Subscription, step: SubscriptionStep) =>
  ({ do: 'subscription', step, subscriptionId: id }) as const;

/** @param written the initial text */
export function filterForm(subscription: Subscription, written: string, translator: Translator): Modal {
  const input: Input = {
    name: 'filter',
    label: translator.t('form.filter'),
    example: 'ssd -refurb* price:<50 off:>=40',
    value: written,
    most: MOST_FILTER,
    isLong: true,
  };
  return form(actionOf(subscription, 'filter'), translator.t('form.filterTitle'), [input]);
}

/** The filter that the person entered in the form. */
export function writtenFilter({ fields }: ModalSubmitInteraction): string {
  return fields.getTextInputValue('filter').trim();
}

export function timesForm(subscription: Subscription, translator: Translator): Modal {
  const { timeZone, dailyAtMinute, quiet } = subscription.timing;
  return form(actionOf(subscription, 'times'), translator.t('form.timesTitle'), [
    {
      name: 'time-zone',
      label: translator.t('form.timeZone'),
      example: 'Europe/Berlin',
      value: timeZone,
      most: 100,
    },
    {
      name: 'at',
      label: translator.t('form.at'),
      example: formatTimeOfDay(USUAL_TIMING.dailyAtMinute),
      value: formatTimeOfDay(dailyAtMinute),
      most: 20,
    },
    {
      name: 'quiet-hours',
      label: translator.t('form.quietHours'),
      example: '22:00–07:00',
      value: quiet ? formatHours(quiet) : '',
      most: 40,
    },
  ]);
}

/** Applies the entered times to a timing; an emptied field resets to its default. @throws UserError */
export function writtenTiming({ fields }: ModalSubmitInteraction, before: Timing): Timing {
  return timingFrom(before, {
    mode: null,
    at: fields.getTextInputValue('at').trim() || formatTimeOfDay(USUAL_TIMING.dailyAtMinute),
    timeZone: fields.getTextInputValue('time-zone').trim() || USUAL_TIMING.timeZone,
    quietHours: fields.getTextInputValue('quiet-hours'),
  });
}

export function limitsForm(subscription: Subscription, translator: Translator): Modal {
  const { mostPerHour, priceDropPercent, source } = subscription;
  const most: Input = {
    name: 'most-per-hour',
    label: translator.t('form.most'),
    example: '30',
    value: String(mostPerHour),
    most: 4,
  };
  const drop: Input = {
    name: 'price-drop',
    label: translator.t('form.priceDrop'),
    example: '10',
    value: String(priceDropPercent),
    most: 4,
  };
  const inputs = source.kind === 'feed' ? [most, drop] : [most];
  return form(actionOf(subscription, 'limits'), translator.t('form.limitsTitle'), inputs);
}

/** The limits that the person entered. @throws UserError where a value is not a number in range */
export function writtenLimits(
  { fields }: ModalSubmitInteraction,
  before: Subscription,
): Pick<Subscription, 'mostPerHour' | 'priceDropPercent'> {
  const mostPerHour = requireNumber(fields.getTextInputValue('most-per-hour'), MOST_PER_HOUR);
  const hasDrop = fields.fields.has('price-drop');
  const priceDropPercent = hasDrop
    ? requireNumber(fields.getTextInputValue('price-drop'), 99)
    : before.priceDropPercent;
  return { mostPerHour, priceDropPercent };
}

function requireNumber(text: string, most: number): number {
  const number = /^\d{1,4}\s*%?$/.test(text.trim()) ? Number.parseInt(text, 10) : 0;
  if (number < 1 || number > most) throw new UserError(message('limits.noNumber', { text: escapeLine(text), most }));
  return number;
}
