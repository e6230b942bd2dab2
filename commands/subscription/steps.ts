import type { ModalSubmitInteraction } from 'discord.js';
import { KINDS_OF } from '../../src/bot/announcements/kinds/of-source.ts';
import { EVENT_TYPES, SITE_PREFIXES } from '../../src/bot/deals/event.ts';
import { parseFilter } from '../../src/bot/deals/filter/index.ts';
import { type Subscription, TIMING_MODES } from '../../src/bot/deals/subscription.ts';
import { mistakeCard, writtenOn } from '../../src/bot/discord/cards/subscription-card.ts';
import type { CommandContext, ComponentInteraction, Reply } from '../../src/bot/discord/command.ts';
import type { SubscriptionStep } from '../../src/bot/discord/custom-id.ts';
import { sayMistake } from '../../src/bot/discord/filter-mistake.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { knownTarget, requireManager, requireRole } from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { Command, CommandServices } from '../shared.ts';
import { filterForm, limitsForm, timesForm, writtenFilter, writtenLimits, writtenTiming } from './forms.ts';
import { requireSubscription } from './id-option.ts';
import { panel } from './panel.ts';
import { pauseNow } from './pause.ts';
import { unsubscribe } from './remove.ts';
import { resumeNow } from './resume.ts';
import { change } from './save.ts';
import { sendTest } from './test.ts';

/**
 * Handlers of a panel's buttons and menus. Each checks anew that the person manages the server and that the
 * subscription belongs to it.
 */
export const panelActions = {
  subscription: {
    answer: 'update',
    async run({ step, subscriptionId }, interaction, shared, translator, context) {
      const { guildId } = requireManager(interaction);
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
      if (step === 'filter') return takeFilter(found, interaction, shared, translator);
      const alter = writtenAlteration(step, interaction);
      return panel(await change(found, alter, shared, translator), interaction, shared, translator);
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
      return filterForm(found, found.filter, translator);
    case 'filter-again': {
      const shown = interaction.message.components.map((component) => component.toJSON());
      return filterForm(found, writtenOn(shown), translator);
    }
    case 'times':
      return timesForm(found, translator);
    case 'limits':
      return limitsForm(found, translator);
    case 'pause':
      return pauseNow(found, interaction, shared, translator);
    case 'resume':
      return resumeNow(found, interaction, shared, translator);
    case 'test':
      return sendTest(found, interaction, shared, translator, context);
    case 'remove':
      return unsubscribe(found, interaction, shared, translator);
    default:
      return panel(found, interaction, shared, translator);
  }
}

/** A mistake turns the panel into a card that keeps the person's input for correction. */
async function takeFilter(
  found: Subscription,
  interaction: ModalSubmitInteraction,
  shared: CommandServices,
  translator: Translator,
): Promise<Reply> {
  const filter = writtenFilter(interaction);
  const parsed = parseFilter(filter);
  if (!parsed.ok) {
    const sentence = translator.translate(sayMistake(parsed.problem, filter));
    return mistakeCard(found.id, sentence, filter, { translator, nowMs: shared.clock.now() });
  }
  const changed = await change(found, (before) => ({ ...before, filter }), shared, translator);
  return panel(changed, interaction, shared, translator);
}

function writtenAlteration(step: SubscriptionStep, interaction: ModalSubmitInteraction): Alteration {
  switch (step) {
    case 'times':
      return (before) => ({ ...before, timing: writtenTiming(interaction, before.timing) });
    case 'limits':
      return (before) => ({ ...before, ...writtenLimits(interaction, before) });
    default:
      throw new UserError(message('failure.unknownForm'));
  }
}
