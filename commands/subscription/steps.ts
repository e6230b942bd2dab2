import { KINDS_OF } from '../../src/bot/announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../src/bot/deals/event.ts';
import { type Subscription, TIMING_MODES } from '../../src/bot/deals/subscription.ts';
import type { CommandContext, ComponentInteraction, Reply } from '../../src/bot/discord/command.ts';
import type { SubscriptionStep } from '../../src/bot/discord/custom-id.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { knownTarget, requireManager, requireRole } from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { Command, CommandServices } from '../shared.ts';
import { askForCopy, copyToChosen } from './duplicate.ts';
import { editForm, editWith } from './edit.ts';
import { filterForm, limitsForm, timesForm, writtenFilter, writtenLimits, writtenTiming } from './forms.ts';
import { requireSubscription } from './id-option.ts';
import { orMistake, typedAbove, typedTogether } from './mistakes.ts';
import { panel } from './panel.ts';
import { pauseNow } from './pause.ts';
import { askToRemove, removeNow, undoRemove } from './remove.ts';
import { resumeNow } from './resume.ts';
import { change } from './save.ts';
import { sendTest } from './test.ts';
import { type TypedOptions, typedInForm } from './typed-options.ts';

/**
 * Handlers of a panel's buttons and menus. Each checks anew that the person manages the server and that the
 * subscription belongs to it.
 */
export const panelActions = {
  subscription: {
    answer: 'update',
    async run({ step, subscriptionId }, interaction, shared, translator, context) {
      const { guildId } = requireManager(interaction);
      if (step === 'undo-remove') return undoRemove(subscriptionId, guildId, interaction, shared, translator);
      const found = requireSubscription(subscriptionId, guildId, shared.subscriptions);
      const alter = alteration(step, interaction);
      if (!alter) return answer(step, found, interaction, shared, translator, context);
      return panel(await change(found, alter, shared, translator), interaction, shared, translator);
    },
  },
} satisfies Command['actions'];

/** Handlers of the forms that a panel opens. */
export const panelForms = {
  subscription: {
    answer: 'update',
    async run({ step, subscriptionId }, interaction, shared, translator) {
      const { guildId } = requireManager(interaction);
      const found = requireSubscription(subscriptionId, guildId, shared.subscriptions);
      if (step === 'edit-again') return editWith(found, typedTogether(interaction), interaction, shared, translator);
      const { alter, again } = writtenAlteration(step, typedInForm(interaction));
      const fix = { do: 'subscription', step: again, subscriptionId } as const;
      return orMistake({ fix, typed: typedInForm(interaction), subscriptionId }, shared, translator, async () =>
        panel(await change(found, alter, shared, translator), interaction, shared, translator),
      );
    },
  },
} satisfies Command['forms'];

type Alteration = (subscription: Subscription) => Subscription;

/** The change that the chosen values make to a subscription; null where the step has no values to choose. */
function alteration(step: SubscriptionStep, interaction: ComponentInteraction): Alteration | null {
  const values = interaction.isButton() ? [] : interaction.values;
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
      const mentionRoleId = roleId === undefined ? null : requireRole(interaction, roleId).id;
      return (before) => ({ ...before, mentionRoleId });
    }
    case 'tags':
      return (before) => ({ ...before, tagIds: tagsAmong(values, before, interaction) });
    case 'publish':
      return (before) => {
        const isPublishable = knownTarget(interaction, before.channelId)?.isPublishable ?? false;
        return { ...before, isPublished: isPublishable };
      };
    case 'unpublish':
      return (before) => ({ ...before, isPublished: false });
    default:
      return null;
  }
}

/** @throws UserError where the forum requires a tag and none is left */
function tagsAmong(values: readonly string[], before: Subscription, interaction: ComponentInteraction): string[] {
  const where = knownTarget(interaction, before.channelId);
  const chosen = (where?.tags ?? []).map(({ id }) => id).filter((id) => values.includes(id));
  if (where?.isTagRequired && chosen.length === 0) throw new UserError(message('panel.tagRequired'));
  return chosen;
}

async function answer(
  step: SubscriptionStep,
  found: Subscription,
  interaction: ComponentInteraction,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Reply> {
  switch (step) {
    case 'filter':
    case 'filter-again':
      return filterForm(found, typedAbove(interaction), translator);
    case 'times':
    case 'times-again':
      return timesForm(found, typedAbove(interaction), translator);
    case 'limits':
    case 'limits-again':
      return limitsForm(found, typedAbove(interaction), translator);
    case 'edit-again':
      return editForm(found, typedAbove(interaction), translator);
    case 'pause':
      return pauseNow(found, interaction, shared, translator);
    case 'resume':
      return resumeNow(found, interaction, shared, translator);
    case 'test':
      return sendTest(found, interaction, shared, translator, context);
    case 'remove':
      return askToRemove(found, interaction, shared, translator);
    case 'remove-now':
      return removeNow(found, interaction, shared, translator);
    case 'duplicate':
      return askForCopy(found, interaction, shared, translator);
    case 'duplicate-to':
      return copyToChosen(found, interaction, shared, translator);
    default:
      return panel(found, interaction, shared, translator);
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
