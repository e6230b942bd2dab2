import {
  type APIApplicationCommandStringOption,
  type APIButtonComponentWithCustomId,
  ApplicationCommandOptionType,
} from 'discord-api-types/v10';
import { hasStarted, isLive } from '../src/announcements/kinds/index.ts';
import { isUuid } from '../src/catalog/fields.ts';
import {
  completionsOf,
  evaluate,
  type Filter,
  filterFromOptions,
  type KnownValues,
  parseFilter,
  parseTyped,
  subjectOfOffer,
  termsOf,
  valuesIn,
} from '../src/deals/filter/index.ts';
import { isGone, type KnownOffer, shownOffer } from '../src/deals/known-offer.ts';
import type { Offer } from '../src/deals/offer.ts';
import type { Subscription } from '../src/deals/subscription.ts';
import { type MentionedOffer, offerFacts } from '../src/discord/cards/offer-card.ts';
import type { CardContext } from '../src/discord/cards/parts.ts';
import { sayProblem } from '../src/discord/filter-mistake.ts';
import type { described } from '../src/discord/i18n/command-words.ts';
import { describeSource } from '../src/discord/i18n/describe-source.ts';
import { message, type Translator } from '../src/discord/i18n/translator.ts';
import { clamp, LIMITS } from '../src/discord/limits.ts';
import { escapeLine } from '../src/discord/markdown.ts';
import { type LocalizedText, UserError } from '../src/shared/errors.ts';
import type { LiveCandidates } from './known.ts';
import type { AutocompleteRequest, CommandServices, ManagerRequest, Request } from './shared.ts';
import { InputError } from './typed-options.ts';

/**
 * Finds the feed that a person typed, in the catalog's spelling.
 * @throws UserError that lists the available feeds
 */
export function requireFeed(typed: string, feeds: readonly string[]): string {
  const feed = feedNamed(typed, feeds);
  if (feed === undefined) throw new UserError(message('feed.unknown', { feeds: feeds.join(', ') }));
  return feed;
}

/** The same, undefined where there is no such feed. */
export function feedNamed(typed: string, feeds: readonly string[]): string | undefined {
  return feeds.find((name) => name.toLowerCase() === typed.trim().toLowerCase());
}

/** The feeds whose names contain the input; those that begin with it come first. */
export function feedChoices(typed: string, feeds: readonly string[]): { name: string; value: string }[] {
  const wanted = typed.trim().toLowerCase();
  return feeds
    .filter((name) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)))
    .map((name) => ({ name, value: name }));
}

/** Leaves room for the price after it, and for the note that the offer is over. */
const MOST_TITLE = LIMITS.choiceName - 40;
const MOST_TOLD = 100;

/**
 * The ids of the offers that an id, a link, search words or a filter refer to: at least one, the best match first.
 * @throws InputError of the option `offer` where no known offer matches. An id may belong to an unknown offer, for which the catalog can be
 * asked.
 */
export function offersMeant(typed: string, request: Request): [string, ...string[]] {
  const { offers, search, clock, readFilter } = request.services;
  const meant = typed.trim();
  if (isUuid(meant)) return [meant.toLowerCase()];
  if (isLink(meant)) {
    const known = offers.findByLink(meant);
    if (!known) throw new UserError(message('offer.notSeen'));
    return [known.offer.id];
  }
  const filter = filterIn(readFilter(meant, request)?.filter ?? meant);
  const found = filter ? matching(filter, offers, clock.now()) : search.find(meant);
  const [best, ...others] = found.map(({ offer }) => offer.id);
  if (best === undefined) {
    const sentence = message('offer.noWords', { words: `**${escapeLine(clamp(meant, MOST_TOLD))}**` });
    const wish = filter ? filter.text : filterFromOptions({ words: meant });
    throw new InputError(['offer'], sentence, {
      buttons: (translator) => [alertButtonFor(wish, request.services, translator)],
    });
  }
  return [best, ...others];
}

/**
 * The button that asks for an alert about a feed's offers that match a filter; null where nobody can have one, or there is no
 * filter. @param feed the usual one where absent
 */
export function alertButtonFor(
  filter: string,
  { feeds, personal }: CommandServices,
  translator: Translator,
  feed: string | undefined = feeds[0],
): APIButtonComponentWithCustomId | null {
  if (feed === undefined || filter === '') return null;
  return personal?.alertButton(feed, filter, translator) ?? null;
}

const MOST_TYPED_OFFER = 1000;

/** The option of a command that takes what `offersMeant` understands, with choices of `offerChoices`. */
export function offerOption(words: ReturnType<typeof described>): APIApplicationCommandStringOption {
  const type = ApplicationCommandOptionType.String;
  return { type, name: 'offer', ...words, required: true, max_length: MOST_TYPED_OFFER, autocomplete: true };
}

/** An offer as a choice shows it. @param title what it was called where it is mentioned; null where that is not known */
export function mentionedOffer(id: string, title: string | null, { offers }: CommandServices): MentionedOffer {
  const known = offers.get(id);
  return { id, title, listed: known ? shownOffer(known) : null };
}

/** The sentence that several offers match what somebody typed. */
export function severalMatch(typed: string): LocalizedText {
  return message('offer.several', { words: `**${escapeLine(clamp(typed.trim(), MOST_TOLD))}**` });
}

/** The filter that somebody typed in place of words; null where it asks about nothing but words of the title. */
function filterIn(typed: string): Filter | null {
  const parsed = parseFilter(typed);
  if (!parsed.ok) return null;
  return termsOf(parsed.filter.root).some(({ test }) => test.field.name !== 'text') ? parsed.filter : null;
}

/** The offers that can be bought and match, the newest first. */
function matching(filter: Filter, offers: CommandServices['offers'], nowMs: number): KnownOffer[] {
  return [...offers.all()]
    .filter((known) => !isGone(known, nowMs) && evaluate(filter, subjectOfOffer(shownOffer(known)), nowMs))
    .toSorted((a, b) => (b.offer.startDateMs ?? 0) - (a.offer.startDateMs ?? 0));
}

/** Autocomplete choices for an offer, from a partial input. */
export function offerChoices(typed: string, { services, cardContext: context }: AutocompleteRequest) {
  const { offers, search } = services;
  const exact = offers.get(typed.trim().toLowerCase()) ?? (isLink(typed) ? offers.findByLink(typed) : null);
  const found = exact ? [exact] : search.complete(typed, LIMITS.autocompleteChoices);
  return found.map((known) => ({ name: offerName(shownOffer(known), context), value: known.offer.id }));
}

function isLink(typed: string): boolean {
  return /^\s*https?:\/\//i.test(typed) && URL.canParse(typed);
}

function offerName(offer: Offer, context: CardContext): string {
  return [clamp(offer.title.trim(), MOST_TITLE), offerFacts(offer, context)].filter((part) => part !== '').join(' · ');
}

/** Leaves room for the count after it. */
const MOST_SHOWN = LIMITS.choiceName - 40;

type Candidates = LiveCandidates['candidates'];

/** Problems of a filter that isn't finished: the person only needs to type on. */
const UNFINISHED: ReadonlySet<string> = new Set([
  'missing-value',
  'unexpected-end',
  'unclosed-quote',
  'unclosed-parenthesis',
  'unclosed-regex',
  'unclosed-range',
  'bad-unit',
  'bad-place',
]);

const knownValues = new WeakMap<Candidates, Map<string, readonly string[]>>();

/**
 * The choices of an option `filter` while somebody types it: first the typed text, with how much it matches or its mistake,
 * then ways to continue it. A continuation's name is its text, because Discord's client goes on with the name when
 * somebody types more after choosing one.
 * @param live what the filter is going to look at; null where that is not known
 */
export function filterChoices(
  typed: string,
  live: LiveCandidates | null,
  request: AutocompleteRequest,
): { name: string; value: string }[] {
  const { translator, cardContext, services } = request;
  const candidates = live?.candidates ?? [];
  const own = services.readFilter(typed, request)?.filter ?? typed;
  const summary = summaryOf(own, live && candidates, translator, cardContext.nowMs);
  return [
    ...(summary === null ? [] : [{ name: summary, value: typed }]),
    ...completionsOf(typed, valuesOf(candidates))
      .filter((whole) => whole.length <= LIMITS.choiceValue)
      .map((whole) => ({ name: whole, value: whole })),
  ];
}

/** How much a whole filter matches, as far as that is known, or its mistake; null while it needs to be continued. */
function summaryOf(typed: string, candidates: Candidates | null, translator: Translator, nowMs: number): string | null {
  if (typed.trim() === '') return null;
  const parsed = parseTyped(typed);
  if (!parsed.ok) return UNFINISHED.has(parsed.problem.code) ? null : translator.translate(sayProblem(parsed.problem));
  // A complete filter comes first in any case, because Discord's client takes the first choice on Enter.
  if (!candidates || isCostly(parsed.filter)) return typed;
  const all = candidates.filter(({ announcement }) => hasStarted(announcement, nowMs) && isLive(announcement, nowMs));
  const matching = all.filter(({ subject }) => evaluate(parsed.filter, subject, nowMs)).length;
  return translator.t('filter.count', { filter: clamp(typed.trim(), MOST_SHOWN), matching, all: all.length });
}

/** Regular expressions take too long to be tried on every offer at each letter. */
function isCostly({ root }: Filter): boolean {
  return termsOf(root).some(({ test }) => test.kind === 'regex');
}

/** Cached as long as the candidates are. */
function valuesOf(candidates: Candidates): KnownValues {
  const kept = knownValues.get(candidates) ?? new Map<string, readonly string[]>();
  knownValues.set(candidates, kept);
  return (field) => {
    const values =
      kept.get(field.name) ??
      valuesIn(
        candidates.map(({ subject }) => subject),
        field,
      );
    kept.set(field.name, values);
    return values;
  };
}

/** The option that names one of the server's subscriptions. */
export function idOption(
  words: ReturnType<typeof described>,
): APIApplicationCommandStringOption & { required: true; autocomplete: true } {
  return {
    type: ApplicationCommandOptionType.String,
    name: 'id',
    ...words,
    required: true,
    autocomplete: true,
  };
}

/** The server's subscriptions whose names contain the input. */
export function idChoices(
  typed: string,
  { guild, services, translator }: AutocompleteRequest,
): { name: string; value: string }[] {
  if (!guild) return [];
  return services.subscriptions
    .ofGuild(guild.id)
    .map((entry) => ({
      name: subscriptionName(entry, guild.channels.cache.get(entry.channelId)?.name, translator),
      value: entry.id,
    }))
    .filter((choice) => choice.name.toLowerCase().includes(typed.trim().toLowerCase()));
}

/**
 * Finds a subscription of this server. Another server's is treated as missing, so that its existence stays private.
 * @throws UserError where there is none
 */
export function requireSubscription(id: string, { server, services }: ManagerRequest): Subscription {
  const found = services.subscriptions.get(id);
  if (found?.guildId !== server) throw new UserError(message('subscription.unknown'));
  return found;
}

function subscriptionName({ source }: Subscription, channelName: string | undefined, translator: Translator): string {
  const values = { source: describeSource(source, translator) };
  if (channelName === undefined) return translator.t('subscription.choiceInDeleted', values);
  return translator.t('subscription.choice', { ...values, channel: channelName });
}
