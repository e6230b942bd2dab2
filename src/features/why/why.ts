import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { idChoices, offerChoices, offerOption, offersMeant, requireSubscription } from '../../../commands/options.ts';
import { type FeatureCommand, FOR_MANAGERS, type ManagerRequest } from '../../../commands/shared.ts';
import { checking, fixable } from '../../../commands/typed-options.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { FeatureAction } from '../../discord/action-table.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { knownTarget, roleTroubles } from '../../discord/permissions.ts';
import { UserError } from '../../shared/errors.ts';
import { act, TABLE } from './actions.ts';
import { postNow } from './post-now.ts';
import { whyCard } from './why-card.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const OPTIONS: APIApplicationCommandBasicOption[] = [
  offerOption(described('command.why.offer')),
  {
    type: ApplicationCommandOptionType.String,
    name: 'subscription',
    ...described('command.why.subscription'),
    required: true,
    autocomplete: true,
  },
];

const asked = fixable<FeatureAction & { do: 'why-again' }>({
  options: OPTIONS,
  async answer(typed, request) {
    const manager = request.asManager();
    const id = typed.get('subscription') ?? '';
    const found = await checking('subscription', () => requireSubscription(id, manager));
    const [offerId] = await checking('offer', () => offersMeant(typed.get('offer') ?? '', request));
    return explain(offerId, found, manager);
  },
});

/** Explains from the bot's own records; makes no request. Each click checks the person's permission anew. */
export const why: FeatureCommand<typeof TABLE> = {
  table: TABLE,
  data: {
    name: 'why',
    ...described('command.why'),
    ...FOR_MANAGERS,
    options: OPTIONS,
  },
  answer: 'private',

  execute: (request) => asked.ask(act({ do: 'why-again' }), request),

  autocomplete(request) {
    if (!request.isManager) return [];
    const { name, value } = request.options.getFocused(true);
    return name === 'offer' ? offerChoices(value, request) : idChoices(value, request);
  },

  actions: {
    'why-again': asked.button,
    why: {
      answer: 'update',
      async run({ offerId, subscriptionId }, request) {
        const manager = request.asManager();
        return explain(offerId, requireSubscription(subscriptionId, manager), manager);
      },
    },
    'post-now': {
      answer: 'update',
      async run({ offerId, subscriptionId }, request) {
        const manager = request.asManager();
        const found = requireSubscription(subscriptionId, manager);
        if (!(await postNow(offerId, found, request.services))) throw new UserError(message('why.notPostable'));
        return explain(offerId, found, manager);
      },
    },
  },
  forms: { 'why-again': asked.form },
};

async function explain(
  offerId: string,
  subscription: Subscription,
  { services, guild, cardContext }: ManagerRequest,
): Promise<Card> {
  const decision = await services.explainer.why(offerId, subscription);
  const roleIds = decision.steps.flatMap((step) =>
    step.step === 'happened' ? step.mentions.map(({ roleId }) => roleId) : [],
  );
  const troubles = await roleTroubles(guild, [...new Set(roleIds)], knownTarget(guild, subscription.channelId));
  return whyCard(decision, cardContext, troubles);
}
