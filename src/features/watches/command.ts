import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
} from 'discord-api-types/v10';
import { candidatesIn } from '../../../commands/known.ts';
import { offersIn } from '../../../commands/offer.ts';
import {
  feedChoices,
  feedNamed,
  filterChoices,
  mentionedOffer,
  offerChoices,
  offersMeant,
  requireFeed,
  severalMatch,
} from '../../../commands/options.ts';
import {
  ANYWHERE,
  type ChatRequest,
  type Command,
  type FeatureCommand,
  type MessageMenuCommand,
  type Request,
} from '../../../commands/shared.ts';
import { optionsFor, valuesIn, withDailyMode } from '../../../commands/subscription/settings.ts';
import { checking, fixable, InputError, type TypedOptions, typedIn } from '../../../commands/typed-options.ts';
import { placeOfPerson } from '../../deals/person.ts';
import { PACING_SETTINGS, pacingOf, USUAL_SETTINGS, withValues } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { timeZonesLike } from '../../deals/time-of-day.ts';
import type { ActionOf, FeatureAction } from '../../discord/action-table.ts';
import { offerChoiceCard } from '../../discord/cards/offer-card.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { act, TABLE } from './actions.ts';
import { addActions, addForms, askForAim, WATCHING, watchNew, watchOffer, writtenPrice } from './add.ts';
import { watchesCard } from './cards.ts';
import { describeWatch } from './describe.ts';
import { isClosed, personOf, requireWatch, usualFeed, watchesOf } from './own.ts';
import { asNotMessaged } from './reach.ts';
import type { OfferAim } from './watch.ts';
import { WORDS } from './words/index.ts';

const { described, named } = commandWords(WORDS);

const SETTINGS = {
  type: ApplicationCommandOptionType.Subcommand as const,
  name: 'settings',
  ...described('command.alert.settings'),
  options: optionsFor(PACING_SETTINGS),
};

const { String: TEXT, Number: AMOUNT, Subcommand } = ApplicationCommandOptionType;
const LEAST_PRICE = 0.01;
const MOST_PRICE = 999_999_999;
/** The choices of the option `when`; a price has an option of its own. */
const AIMS = ['stock', 'low', 'end'] as const satisfies readonly OfferAim[];

const ADD_OPTIONS: APIApplicationCommandBasicOption[] = [
  { type: TEXT, name: 'offer', ...described('command.alert.offer'), autocomplete: true, max_length: 1000 },
  {
    type: AMOUNT,
    name: 'price',
    ...described('command.alert.price'),
    min_value: LEAST_PRICE,
    max_value: MOST_PRICE,
  },
  {
    type: TEXT,
    name: 'when',
    ...described('command.alert.when'),
    choices: AIMS.map((aim) => ({ ...named(`command.alert.when.${aim}`), value: aim })),
  },
  { type: TEXT, name: 'filter', ...described('command.alert.filter'), autocomplete: true, max_length: 2000 },
  { type: TEXT, name: 'feed', ...described('command.alert.feed'), autocomplete: true, max_length: 100 },
];

const asked = fixable<ActionOf<typeof TABLE> & FeatureAction & { do: 'watch-again' }>({
  options: ADD_OPTIONS,
  readsItself: true,
  answer: add,
});

/** Private messages about one offer, or about new ones. A person manages their own watches, wherever they are. */
export const alert: FeatureCommand<typeof TABLE> = {
  table: TABLE,
  data: {
    name: 'alert',
    ...described('command.alert'),
    ...ANYWHERE,
    options: [
      {
        type: Subcommand,
        name: 'add',
        ...described('command.alert.add'),
        options: ADD_OPTIONS,
      },
      { type: Subcommand, name: 'list', ...described('command.alert.list') },
      {
        type: Subcommand,
        name: 'remove',
        ...described('command.alert.remove'),
        options: [
          { type: TEXT, name: 'id', ...described('command.alert.remove.id'), required: true, autocomplete: true },
        ],
      },
      SETTINGS,
    ],
  },
  answer: 'private',

  async execute(request) {
    switch (request.options.getSubcommand()) {
      case 'add':
        return asked.ask(act({ do: 'watch-again' }), request);
      case 'remove':
        return removeWatch(request.options.getString('id', true), request);
      case 'settings':
        return changeSettings(request);
      default:
        return listPage(1, request);
    }
  },

  async autocomplete(request) {
    const { options, services, translator } = request;
    const { name, value } = options.getFocused(true);
    switch (name) {
      case 'offer':
        return offerChoices(value, request);
      case 'feed':
        return feedChoices(value, services.feeds);
      case 'time-zone':
        return timeZonesLike(value).map((zone) => ({ name: zone, value: zone }));
      case 'filter': {
        const feed = feedNamed(options.getString('feed') ?? '', services.feeds) ?? usualFeed(services.feeds);
        return filterChoices(value, await candidatesIn({ kind: 'feed', feed }, services), request);
      }
      default:
        return watchesOf(request)
          .map((own) => ({ name: describeWatch(own, translator), value: own.id }))
          .filter((choice) => choice.name.toLowerCase().includes(value.trim().toLowerCase()));
    }
  },

  actions: {
    ...addActions,
    'watch-again': asked.button,
    watches: {
      answer: 'private',
      run: async ({ page }, request) => listPage(page, request),
    },
    unwatch: {
      answer: 'update',
      run: ({ watchId }, request) => removeWatch(watchId, request),
    },
    'watch-retry': {
      answer: 'update',
      async run(_, request) {
        const { people, subscriptions, deliverer, clock } = request.services;
        const { id } = request.person;
        const nowMs = clock.now();
        await people.update(id, (person) => ({
          ...person,
          closed: person.closed && { ...person.closed, sinceMs: nowMs, retryAtMs: nowMs },
        }));
        // Watches of somebody who could not be messaged for a month are paused, and what waited was dropped.
        for (const { id: watchId, pausedBy } of subscriptions.ofGuild(placeOfPerson(id))) {
          if (pausedBy === 'gone') await subscriptions.update(watchId, (before) => resumed(before, nowMs));
        }
        const channelId = people.get(id)?.channelId;
        if (channelId !== undefined) deliverer.retry(channelId);
        // After a restart, no pause is known but the one that was just ended in the state.
        deliverer.kick();
        return listPage(1, request);
      },
    },
  },
  forms: { ...addForms, 'watch-again': asked.form },
};

/** The same by its former name, which people have in their fingers for a release. */
export const formerWatch: Command = {
  data: {
    ...alert.data,
    name: 'watch',
    ...described('command.watch'),
    options: alert.data.options?.map((option) => ({ ...option, ...described('command.watch') })),
  },
  answer: alert.answer,
  execute: (request) => alert.execute(request),
  autocomplete: async (request) => alert.autocomplete?.(request) ?? [],
};

/** A command in the menu of every message: watches an offer that the message refers to. */
export const watchThis: MessageMenuCommand = {
  data: { type: ApplicationCommandType.Message, ...named('command.watchThis.name'), ...ANYWHERE },
  answer: 'private',
  async execute(request) {
    const mentioned = await offersIn(request.message, request.services);
    const [only, another] = mentioned;
    if (!only) throw new UserError(message('offerDetails.none'));
    if (!another) return askForAim(only.id, request);
    return offerChoiceCard(mentioned, request.cardContext, WATCHING);
  },
};

/** @throws InputError where the options name neither an offer nor a filter, or both, or one of them has a mistake */
async function add(options: TypedOptions, request: Request): Promise<Card> {
  const { services } = request;
  const [offer, written, price, when] = ['offer', 'filter', 'price', 'when'].map((name) => options.get(name));
  if ((offer === undefined) === (written === undefined))
    throw new InputError(['offer'], message('watch.offerOrFilter'));
  if (written !== undefined) {
    if (price !== undefined || when !== undefined) {
      throw new InputError(['price', 'when'], message('watch.onlyWithOffer'));
    }
    const feed = await checking('feed', () =>
      requireFeed(options.get('feed') ?? usualFeed(services.feeds), services.feeds),
    );
    return checking('filter', () => watchNew(feed, written, request));
  }
  const typed = offer ?? '';
  const [offerId, ...others] = await checking('offer', () => offersMeant(typed, request));
  const below = price === undefined ? null : await checking('price', () => writtenPrice(price));
  const aim = below === null ? AIMS.find((candidate) => candidate === when) : 'price';
  if (others.length > 0) {
    return offerChoiceCard(
      [offerId, ...others].map((id) => mentionedOffer(id, null, services)),
      request.cardContext,
      {
        which: severalMatch(typed),
        name: message('watch.choose'),
        actionOf: (id) =>
          aim === undefined ? act({ do: 'watch', offerId: id }) : act({ do: 'watch-for', offerId: id, aim, below }),
      },
    );
  }
  if (aim === undefined) return askForAim(offerId, request);
  return watchOffer({ offerId, aim, below }, request);
}

function listPage(page: number, request: Request): Card {
  return watchesCard({ watches: watchesOf(request), page, isClosed: isClosed(request) }, request.cardContext);
}

/** Removes one of the person's watches; what waits for it alone is dropped. Answers with those that are left. */
async function removeWatch(id: string, request: Request): Promise<Card> {
  const { subscriptions, people, clock } = request.services;
  await subscriptions.remove(requireWatch(id, request).id);
  await people.update(request.person.id, (person) => ({ ...person, usedAtMs: clock.now() }));
  return listPage(1, request);
}

/** The watch goes on, and tells what is so by now. */
function resumed({ watch, ...before }: Subscription, nowMs: number): Subscription {
  return { ...before, ...(watch && { watch: asNotMessaged(watch, nowMs) }), pausedBy: null };
}

async function changeSettings(request: ChatRequest): Promise<Card> {
  const { people, subscriptions, deliverer } = request.services;
  const person = await personOf(request);
  const values = valuesIn(withDailyMode(typedIn(request)), PACING_SETTINGS);
  const pacing = pacingOf(withValues({ ...USUAL_SETTINGS, ...person }, values));
  await people.update(person.id, (before) => ({ ...before, ...pacing }));
  for (const { id } of watchesOf(request)) {
    await subscriptions.update(id, (before) => ({ ...before, ...pacing }));
  }
  // A shorter wait may have what waits due now.
  deliverer.kick();
  return listPage(1, request);
}
