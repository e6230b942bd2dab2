import { ApplicationCommandType, PermissionFlagsBits } from 'discord-api-types/v10';
import { mentionedOffer } from '../../../commands/options.ts';
import { own, placeOf } from '../../../commands/own-subscriptions.ts';
import { ANYWHERE, type CommandServices, type Request } from '../../../commands/shared.ts';
import { entityKey, shownOf } from '../../announcements/kinds/index.ts';
import { goesByFilter } from '../../announcements/kinds/of-source.ts';
import type { EntityKey } from '../../deals/announcement.ts';
import { parseFilter } from '../../deals/filter/index.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { ActionOf, FeatureAction } from '../../discord/action-table.ts';
import { type MentionedOffer, offerChoiceCard } from '../../discord/cards/offer-card.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { MessageCommand, MessageRequest } from '../../discord/command.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { extractReferences } from '../../discord/links.ts';
import { UserError } from '../../shared/errors.ts';
import { act, TABLE } from './actions.ts';
import {
  type LessContext,
  lessAppliedCard,
  lessCard,
  lessOffersOnlyCard,
  lessUndoneCard,
  lessWhichCard,
} from './cards.ts';
import { filterDigest, type LessLike, withoutExclusion } from './proposals.ts';
import { WORDS } from './words/index.ts';

const { named } = commandWords(WORDS);

/**
 * A command in the menu of the bot's posts: proposes filters that leave out what is like an offer. In a server it changes
 * the subscription behind the post, which each click checks anew that the person may do; in direct messages one of the person's own.
 */
export const lessLikeThis: MessageCommand<CommandServices, ActionOf<typeof TABLE> & FeatureAction> = {
  table: TABLE,
  data: {
    type: ApplicationCommandType.Message,
    ...named('command.lessLikeThis.name'),
    ...ANYWHERE,
    // In direct messages, nobody needs it.
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
  },
  answer: 'private',
  async execute(request) {
    const post = await postIn(request);
    if (!post) throw new UserError(message('less.noPost'));
    const [only, another] = post.offers;
    if (!only) {
      const behind = requireAny(await own.behind(post.thing, post.id, request), request);
      return lessOffersOnlyCard(behind, contextOf(request));
    }
    if (!another) return ask(only.id, post.id, request);
    return offerChoiceCard(post.offers, request.cardContext, {
      which: message('offerDetails.which'),
      name: message('less.chooseOffer'),
      actionOf: (offerId) => act({ do: 'less', offerId, postId: post.id }),
    });
  },
  actions: {
    less: {
      answer: 'private',
      run: ({ offerId, postId }, request) => ask(offerId, postId, request),
    },
    'less-for': {
      answer: 'update',
      run: ({ offerId, subscriptionId }, request) => propose(offerId, own.require(subscriptionId, request), request),
    },
    'less-apply': {
      answer: 'update',
      async run({ offerId, subscriptionId, digest }, request) {
        const found = own.require(subscriptionId, request);
        const { proposals } = await lessLike(offerId, found, request);
        const proposal = proposals.find(({ filter }) => filterDigest(filter) === digest);
        if (!proposal) return propose(offerId, found, request, request.t('less.changed'));
        const after = await own.change(found, request, (current) =>
          current.filter === found.filter ? { ...current, filter: proposal.filter } : current,
        );
        if (after.filter !== proposal.filter) return propose(offerId, after, request, request.t('less.changed'));
        return lessAppliedCard(after, found.filter.trim().length, contextOf(request));
      },
    },
    'less-undo': {
      answer: 'update',
      async run({ subscriptionId, length, digest }, request) {
        const after = await own.change(own.require(subscriptionId, request), request, (current) => {
          const filter = withoutExclusion(current.filter, length);
          const isUnchanged = filterDigest(current.filter) === digest;
          if (!isUnchanged || !parseFilter(filter).ok) throw new UserError(message('less.notUndoable'));
          return { ...current, filter };
        });
        return lessUndoneCard(after, contextOf(request));
      },
    },
  },
};

/** The context of cards that name subscriptions. */
function contextOf({ cardContext, services: { personal } }: Request): LessContext {
  return { ...cardContext, personal };
}

/** A post or roll-up of the bot. */
interface PostedThings {
  id: string;
  offers: MentionedOffer[];
  /** What the message shows; of several things, the first. */
  thing: EntityKey;
}

/** The post or roll-up that the message is, by its buttons; null where it is none. */
async function postIn(request: MessageRequest<CommandServices>): Promise<PostedThings | null> {
  const { services } = request;
  const place = placeOf(request);
  const { actions } = extractReferences(request.message.components.map((component) => component.toJSON()));
  for (const action of actions) {
    if (action.do === 'offer' && action.deliveryId !== null) {
      const { offerId, deliveryId: id } = action;
      return { id, offers: [mentionedOffer(offerId, null, services)], thing: `offer:${offerId}` };
    }
    if (action.do === 'event' && action.deliveryId !== null) {
      return { id: action.deliveryId, offers: [], thing: `event:${action.eventId}` };
    }
    if ('subject' in action && action.deliveryId !== null) {
      return { id: action.deliveryId, offers: [], thing: `${action.do}:${action.subject}` };
    }
    const rollUp = action.do === 'roll-up' ? await services.deliveries.findRollUp(action.deliveryId) : undefined;
    const [first] = rollUp?.members ?? [];
    if (rollUp?.guildId !== place || !first) continue;
    const shown = rollUp.members.map(({ announcement }) => shownOf(announcement));
    const offers = shown.flatMap(({ as, item }) =>
      as === 'offer' ? [[item.id, mentionedOffer(item.id, item.title, services)] as const] : [],
    );
    return { id: rollUp.id, offers: [...new Map(offers).values()], thing: entityKey(first.announcement) };
  }
  return null;
}

/** Proposes filters to the subscription behind a post; asks which one where there are several. */
async function ask(offerId: string, postId: string, request: Request): Promise<Card> {
  const behind = requireAny(await own.behind(`offer:${offerId}`, postId, request), request);
  const candidates = behind.filter(goesByFilter);
  const [only, another] = candidates;
  if (!only) throw new UserError(notByFilter(request));
  return another ? lessWhichCard(offerId, candidates, contextOf(request)) : propose(offerId, only, request);
}

/** @throws UserError where a post is not known, or its subscriptions are gone */
function requireAny(behind: Subscription[] | null, request: Request): Subscription[] {
  if (!behind) throw new UserError(message('less.noPost'));
  if (behind.length === 0) throw new UserError(message(request.server === null ? 'less.goneWatch' : 'less.gone'));
  return behind;
}

async function propose(offerId: string, subscription: Subscription, request: Request, lead = ''): Promise<Card> {
  return lessCard(await lessLike(offerId, subscription, request), lead, contextOf(request));
}

/** Only people have subscriptions that go by no filter. */
const notByFilter = ({ services: { personal } }: Request) => personal?.notByFilter ?? message('less.gone');

/** @throws UserError where the offer is not known any more, or the subscription goes by no filter */
async function lessLike(offerId: string, subscription: Subscription, request: Request): Promise<LessLike> {
  if (!goesByFilter(subscription)) throw new UserError(notByFilter(request));
  const found = await request.services.lessLike(offerId, subscription);
  if (!found) throw new UserError(message('less.offerUnknown'));
  return found;
}
