import type { Guild } from 'discord.js';
import { KINDS_OF } from '../../src/announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../src/deals/event.ts';
import { type Subscription, TIMING_MODES, type Timing, USUAL_TIMING } from '../../src/deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../../src/deals/time-of-day.ts';
import { form, type Input, type TextInput } from '../../src/discord/cards/form.ts';
import type { Modal, Reply } from '../../src/discord/command.ts';
import type { SubscriptionStep } from '../../src/discord/custom-id.ts';
import { message, type Translator } from '../../src/discord/i18n/translator.ts';
import { knownTarget, requireRole } from '../../src/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireSubscription } from '../options.ts';
import type { Command, ComponentRequest, InServer } from '../shared.ts';
import { askForCopy, copyToChosen } from './duplicate.ts';
import { editForm, editWith } from './edit.ts';
import { panel } from './panel.ts';
import { pauseNow, resumeNow } from './pause.ts';
import { sendTest } from './preview.ts';
import { askToRemove, removeNow, undoRemove } from './remove.ts';
import { change } from './save.ts';
import { filterOf, numberIn, timingFrom } from './settings.ts';
import { orMistake, type TypedOptions, typedAbove, typedInForm, typedTogether } from './typed-options.ts';

/**
 * Handlers of a panel's buttons and menus. Each checks anew that the person manages the server and that the
 * subscription belongs to it.
 */
export const panelActions = {
  subscription: {
    answer: 'update',
    async run({ step, subscriptionId }, asked) {
      const request = asked.asManager();
      if (step === 'undo-remove') return undoRemove(subscriptionId, request);
      const found = requireSubscription(subscriptionId, request);
      const alter = alteration(step, request);
      return alter ? panel(await change(found, alter, request), request) : answer(step, found, request);
    },
  },
} satisfies Command['actions'];

/** Handlers of the forms that a panel opens. */
export const panelForms = {
  subscription: {
    answer: 'update',
    async run({ step, subscriptionId }, asked) {
      const request = asked.asManager();
      const found = requireSubscription(subscriptionId, request);
      if (step === 'edit-again') return editWith(found, typedTogether(request), request);
      const typed = typedInForm(request);
      const { alter, again } = writtenAlteration(step, typed);
      const fix = { do: 'subscription', step: again, subscriptionId } as const;
      return orMistake({ fix, typed, subscriptionId }, request, async () =>
        panel(await change(found, alter, request), request),
      );
    },
  },
} satisfies Command['forms'];

type Alteration = (subscription: Subscription) => Subscription;

/** The change that the chosen values make to a subscription; null where the step has no values to choose. */
function alteration(step: SubscriptionStep, { values, guild }: ComponentRequest): Alteration | null {
  const amongst = <T extends string>(all: readonly T[]) => all.filter((one) => values.includes(one));
  switch (step) {
    case 'kinds':
      return (before) => {
        const kinds = amongst(KINDS_OF[before.source.kind].all);
        return { ...before, kinds: kinds.length > 0 ? kinds : before.kinds };
      };
    case 'types':
      return ({ source, ...rest }) => ({
        ...rest,
        source: source.kind === 'events' ? { ...source, types: amongst(EVENT_TYPES) } : source,
      });
    case 'sites':
      return ({ source, ...rest }) => ({
        ...rest,
        source: source.kind === 'events' ? { ...source, sites: amongst(SITE_PREFIXES) } : source,
      });
    case 'mode': {
      const [mode] = amongst(TIMING_MODES);
      return (before) => ({ ...before, timing: { ...before.timing, mode: mode ?? before.timing.mode } });
    }
    case 'role': {
      const [roleId] = values;
      const mentionRoleId = roleId === undefined ? null : requireRole(guild, roleId).id;
      return (before) => ({ ...before, mentionRoleId });
    }
    case 'tags':
      return (before) => ({ ...before, tagIds: tagsAmong(values, before, guild) });
    case 'publish':
      return (before) => {
        const isPublishable = knownTarget(guild, before.channelId)?.isPublishable ?? false;
        return { ...before, isPublished: isPublishable };
      };
    case 'unpublish':
      return (before) => ({ ...before, isPublished: false });
    default:
      return null;
  }
}

/** @throws UserError where the forum requires a tag and none is left */
function tagsAmong(values: readonly string[], before: Subscription, guild: Guild | null): string[] {
  const where = knownTarget(guild, before.channelId);
  const chosen = (where?.tags ?? []).map(({ id }) => id).filter((id) => values.includes(id));
  if (where?.isTagRequired && chosen.length === 0) throw new UserError(message('panel.tagRequired'));
  return chosen;
}

async function answer(
  step: SubscriptionStep,
  found: Subscription,
  request: ComponentRequest & InServer,
): Promise<Reply> {
  const { translator } = request;
  switch (step) {
    case 'filter':
    case 'filter-again':
      return filterForm(found, typedAbove(request), translator);
    case 'times':
    case 'times-again':
      return timesForm(found, typedAbove(request), translator);
    case 'limits':
    case 'limits-again':
      return limitsForm(found, typedAbove(request), translator);
    case 'edit-again':
      return editForm(found, typedAbove(request), translator);
    case 'pause':
      return pauseNow(found, request);
    case 'resume':
      return resumeNow(found, request);
    case 'test':
      return sendTest(found, request);
    case 'remove':
      return askToRemove(found, request);
    case 'remove-now':
      return removeNow(found, request);
    case 'duplicate':
      return askForCopy(found, request);
    case 'duplicate-to': {
      const [channelId = ''] = request.values;
      return copyToChosen(found, channelId, request);
    }
    default:
      return panel(found, request);
  }
}

/** The change that a form makes, and the step that opens it again. */
function writtenAlteration(
  step: SubscriptionStep,
  typed: TypedOptions,
): { alter: Alteration; again: 'filter-again' | 'times-again' | 'limits-again' } {
  switch (step) {
    case 'filter':
      return { again: 'filter-again', alter: (before) => ({ ...before, filter: writtenFilter(typed) }) };
    case 'times':
      return {
        again: 'times-again',
        alter: (before) => ({ ...before, timing: writtenTiming(typed, before.timing) }),
      };
    case 'limits':
      return { again: 'limits-again', alter: (before) => ({ ...before, ...writtenLimits(typed, before) }) };
    default:
      throw new UserError(message('failure.unknownForm'));
  }
}

/** Discord allows this many. The filter parser allows fewer, and its error names the position. */
const MOST_FILTER = 2000;

const actionOf = ({ id }: Subscription, step: SubscriptionStep) =>
  ({ do: 'subscription', step, subscriptionId: id }) as const;

/** @param typed what the person entered before; without it, the present settings are shown */
type SettingsForm = (subscription: Subscription, typed: TypedOptions, translator: Translator) => Modal;

const filterForm: SettingsForm = (subscription, typed, translator) => {
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
function writtenFilter(typed: TypedOptions): string {
  return filterOf('filter', typed.get('filter')?.trim() ?? '').text;
}

const timesForm: SettingsForm = (subscription, typed, translator) => {
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
function writtenTiming(typed: TypedOptions, before: Timing): Timing {
  return timingFrom(before, {
    mode: null,
    at: typed.get('at')?.trim() || formatTimeOfDay(USUAL_TIMING.dailyAtMinute),
    timeZone: typed.get('time-zone')?.trim() || USUAL_TIMING.timeZone,
    quietHours: typed.get('quiet-hours') ?? '',
  });
}

const limitsForm: SettingsForm = (subscription, typed, translator) => {
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
function writtenLimits(
  typed: TypedOptions,
  before: Subscription,
): Pick<Subscription, 'mostPerHour' | 'priceDropPercent'> {
  return {
    mostPerHour: numberIn(typed, 'most-per-hour') ?? before.mostPerHour,
    priceDropPercent: numberIn(typed, 'price-drop') ?? before.priceDropPercent,
  };
}
