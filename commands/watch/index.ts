import type { ChatInputCommandInteraction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { timeZonesLike } from '../../src/bot/deals/time-of-day.ts';
import type { OfferAim } from '../../src/bot/deals/watch.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { described, named } from '../../src/bot/discord/i18n/command-words.ts';
import { describeWatch } from '../../src/bot/discord/i18n/describe-watch.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';
import { feedChoices, feedNamed } from '../feed-option.ts';
import { filterChoices } from '../filter-choices.ts';
import { candidatesIn } from '../live-candidates.ts';
import { offerChoices, offersMeant } from '../offer-option.ts';
import { ANYWHERE } from '../places.ts';
import type { Command, CommandServices } from '../shared.ts';
import { closedActions } from './closed.ts';
import { listActions, listPage, removeWatch } from './list.ts';
import { feedActions, feedForms, watchNew } from './new-offers.ts';
import { askForAim, offerActions, offerForms, watchOffer } from './offer.ts';
import { watchesOf } from './save.ts';
import { settings } from './settings.ts';
import { usualFeed } from './watchable.ts';

const { String: TEXT, Number: AMOUNT, Subcommand } = ApplicationCommandOptionType;
const LEAST_PRICE = 0.01;
const MOST_PRICE = 999_999_999;
/** The choices of the option `when`; a price has an option of its own. */
const AIMS = ['stock', 'low', 'end'] as const satisfies readonly OfferAim[];

/** Private messages about one offer, or about new ones. A person manages their own watches, wherever they are. */
export const watch: Command = {
  data: {
    ...named('command.watch.name'),
    ...described('command.watch'),
    ...ANYWHERE,
    options: [
      {
        type: Subcommand,
        name: 'add',
        ...described('command.watch.add'),
        options: [
          { type: TEXT, name: 'offer', ...described('command.watch.offer'), autocomplete: true, max_length: 1000 },
          {
            type: AMOUNT,
            name: 'price',
            ...described('command.watch.price'),
            min_value: LEAST_PRICE,
            max_value: MOST_PRICE,
          },
          {
            type: TEXT,
            name: 'when',
            ...described('command.watch.when'),
            choices: AIMS.map((aim) => ({ ...named(`command.watch.when.${aim}`), value: aim })),
          },
          { type: TEXT, name: 'filter', ...described('command.watch.filter'), autocomplete: true, max_length: 2000 },
          { type: TEXT, name: 'feed', ...described('command.watch.feed'), autocomplete: true, max_length: 100 },
        ],
      },
      { type: Subcommand, name: 'list', ...described('command.watch.list') },
      {
        type: Subcommand,
        name: 'remove',
        ...described('command.watch.remove'),
        options: [
          { type: TEXT, name: 'id', ...described('command.watch.remove.id'), required: true, autocomplete: true },
        ],
      },
      settings.data,
    ],
  },
  answer: 'private',

  async execute(interaction, shared, translator) {
    switch (interaction.options.getSubcommand()) {
      case 'add':
        return add(interaction, shared, translator);
      case 'remove':
        return removeWatch(interaction.options.getString('id', true), interaction, shared, translator);
      case 'settings':
        return settings.execute(interaction, shared, translator);
      default:
        return listPage(1, interaction, shared, translator);
    }
  },

  autocomplete(interaction, shared, translator) {
    const { name, value } = interaction.options.getFocused(true);
    switch (name) {
      case 'offer':
        return offerChoices(value, shared, translator);
      case 'feed':
        return feedChoices(value, shared.feeds);
      case 'time-zone':
        return timeZonesLike(value).map((zone) => ({ name: zone, value: zone }));
      case 'filter': {
        const feed = feedNamed(interaction.options.getString('feed') ?? '', shared.feeds) ?? usualFeed(shared.feeds);
        return filterChoices(value, candidatesIn({ kind: 'feed', feed }, shared), translator, shared.clock.now());
      }
      default:
        return watchesOf(interaction, shared)
          .map((own) => ({ name: describeWatch(own, translator), value: own.id }))
          .filter((choice) => choice.name.toLowerCase().includes(value.trim().toLowerCase()));
    }
  },

  actions: { ...offerActions, ...feedActions, ...listActions, ...closedActions },
  forms: { ...offerForms, ...feedForms },
};

/** @throws UserError where the options name neither an offer nor a filter, or both */
async function add(
  interaction: ChatInputCommandInteraction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const { options } = interaction;
  const [offer, written, below] = [options.getString('offer'), options.getString('filter'), options.getNumber('price')];
  if ((offer === null) === (written === null)) throw new UserError(message('watch.offerOrFilter'));
  if (written !== null) {
    if (below !== null || options.getString('when') !== null) throw new UserError(message('watch.onlyWithOffer'));
    const feed = options.getString('feed') ?? usualFeed(shared.feeds);
    return watchNew({ feed, written }, interaction, shared, translator);
  }
  const [offerId] = offersMeant(offer ?? '', shared);
  const aim = below === null ? AIMS.find((candidate) => candidate === options.getString('when')) : 'price';
  if (aim === undefined) return askForAim(offerId, interaction, shared, translator);
  return watchOffer({ offerId, aim, below }, interaction, shared, translator);
}
