import type { Guild } from 'discord.js';
import { hasSetting, KINDS_OF } from '../../src/announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../src/deals/event.ts';
import {
  type ForValues,
  forValue,
  SETTINGS,
  type Setting,
  type SettingsForm,
  TIMING_MODES,
  withValues,
} from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { formatHours, formatTimeOfDay } from '../../src/deals/time-of-day.ts';
import type { ActionOf } from '../../src/discord/action-table.ts';
import { form } from '../../src/discord/cards/form.ts';
import type { Input } from '../../src/discord/cards/form-inputs.ts';
import type { Handlers, Modal, Reply } from '../../src/discord/command.ts';
import type { SubscriptionStep } from '../../src/discord/custom-id.ts';
import { message, type Translator } from '../../src/discord/i18n/translator.ts';
import { knownTarget } from '../../src/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireSubscription } from '../options.ts';
import type { Command, CommandServices, ComponentRequest, FeatureFlag, InServer } from '../shared.ts';
import {
  inputOf,
  orMistake,
  type TypedOptions,
  typedAbove,
  typedSinceOpened,
  typedTogether,
} from '../typed-options.ts';
import { askForCopy, copyToChosen } from './duplicate.ts';
import { editForm, editWith, filterTo } from './edit.ts';
import { flagTable } from './flags.ts';
import { panel } from './panel.ts';
import { pauseNow, resumeNow } from './pause.ts';
import { askToRemove, removeNow, undoRemove } from './remove.ts';
import { change } from './save.ts';
import { optionOf, valuesIn } from './settings.ts';

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

/** The handler of the panel's buttons that turn features' flags on and off. */
export function flagHandlers(
  flags: readonly FeatureFlag[],
): Handlers<CommandServices, ActionOf<ReturnType<typeof flagTable>>> {
  return {
    table: flagTable(flags),
    actions: {
      subscription: {
        answer: 'update',
        async run({ step, subscriptionId }, asked) {
          const request = asked.asManager();
          const found = requireSubscription(subscriptionId, request);
          const flag = flags.find(({ on, off }) => on.step === step || off.step === step);
          if (!flag) throw new UserError(message('failure.unknownButton'));
          const { field, on } = flag;
          const isOn = step === on.step && hasSetting(found.source.kind, flag);
          return panel(await change(found, (before) => withValues(before, { [field]: isOn }), request), request);
        },
      },
    },
  };
}

/** Handlers of the forms that a panel opens. */
export const panelForms = {
  subscription: {
    answer: 'update',
    async run({ step, subscriptionId }, asked) {
      const request = asked.asManager();
      const found = requireSubscription(subscriptionId, request);
      if (step === 'edit-again') return editWith(found, typedTogether(request), request);
      const name = formOf(step);
      if (!name) throw new UserError(message('failure.unknownForm'));
      const { typed: written, requireNoClash } = typedSinceOpened(
        request,
        inputsOf(name, found, NOTHING, request.translator),
      );
      const fix = { do: 'subscription', step: AGAIN[name], subscriptionId } as const;
      return orMistake({ fix, typed: written, subscriptionId }, request, async (typed) => {
        requireNoClash();
        const values = valuesIn(typed, settingsIn(name, found));
        const answer = await panel(await change(found, (before) => withValues(before, values), request), request);
        return { answer, asWords: filterTo(subscriptionId) };
      });
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
  const name = formOf(step);
  if (name) return settingsForm(name, found, typedAbove(request), translator);
  switch (step) {
    case 'edit-again':
      return editForm(found, typedAbove(request), request);
    case 'pause':
      return pauseNow(found, request);
    case 'resume':
      return resumeNow(found, request);
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

/** The most characters of a whole number in a form, with its `%`. */
const MOST_DIGITS = 4;
const FORMS: readonly SettingsForm[] = ['filter', 'times', 'limits'];
/** Opens a form again, with what the person typed. */
const AGAIN = { filter: 'filter-again', times: 'times-again', limits: 'limits-again' } as const;
const TITLES = { filter: 'form.filterTitle', times: 'form.timesTitle', limits: 'form.limitsTitle' } as const;

/** The form that a step opens or is sent from; undefined for another step. */
function formOf(step: SubscriptionStep): SettingsForm | undefined {
  return FORMS.find((form) => step === form || step === AGAIN[form]);
}

type SettingInForm = Extract<Setting, { form: unknown }>;

function settingsIn(name: SettingsForm, { source }: Subscription): SettingInForm[] {
  return SETTINGS.filter((setting) => 'form' in setting)
    .filter((setting) => setting.form.of === name && hasSetting(source.kind, setting))
    .toSorted((a, b) => a.form.rank - b.form.rank);
}

/**
 * A form with settings of a subscription.
 * @param typed what the person entered before; without it, the present settings are shown
 */
function settingsForm(
  name: SettingsForm,
  subscription: Subscription,
  typed: TypedOptions,
  translator: Translator,
): Modal {
  const action = { do: 'subscription', step: name, subscriptionId: subscription.id } as const;
  const inputs = inputsOf(name, subscription, typed, translator);
  return form(action, translator.t(TITLES[name]), inputs, inputsOf(name, subscription, NOTHING, translator));
}

const NOTHING: TypedOptions = new Map();

function inputsOf(name: SettingsForm, subscription: Subscription, typed: TypedOptions, translator: Translator) {
  return settingsIn(name, subscription).map((setting): Input => {
    const text = typed.get(setting.name) ?? forValue(TEXTS, setting, subscription, undefined);
    const { description: _, ...input } = inputOf(optionOf(setting), text, translator);
    const label = translator.t(`form.setting.${setting.name}`);
    if (input.takes !== 'text') return { ...input, label };
    const most = setting.kind === 'whole' ? MOST_DIGITS : input.most;
    return { ...input, label, most, example: setting.form.example, isLong: setting.kind === 'filter' };
  });
}

/** A value as the text of an input. */
const TEXTS: ForValues<string> = {
  filter: (text) => text,
  whole: String,
  choice: (choice) => choice,
  time: formatTimeOfDay,
  zone: (zone) => zone,
  hours: (hours) => (hours ? formatHours(hours) : ''),
  // No form asks for them with the other settings.
  tags: String,
  flag: String,
  field: () => '',
};
