import type { AnnouncementKind } from '../../src/deals/announcement.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import type { Entity, Told } from '../model/catalog.ts';
import type { Finding } from '../model/channel.ts';
import { createDeadlines } from '../model/deadlines.ts';
import { inQuietHours, overposted } from '../model/limits.ts';
import { type NewsKind, readPost } from '../model/reading.ts';
import type { WallClocks } from '../model/wall-clocks.ts';
import { World } from '../model/world.ts';
import type { ClosedChannels } from './closed-channels.ts';
import type { Arrived } from './courier.ts';
import { type Follower, type OfferFacts, productOf, SMALL_SERVER } from './crowd.ts';
import type { TrueTime } from './true-time.ts';
import type { WeekEvents } from './week-events.ts';

/** The evidence by which a week is judged. */
export interface Evidence {
  followers: readonly Follower[];
  clocks: WallClocks;
  time: TrueTime;
  closed: ClosedChannels;
  absences: () => WeekEvents['absences'];
}

/** An offer as the model sees it, with all that filters ask for. */
interface OfferEntity extends Entity {
  facts: Pick<Offer, 'title' | 'subtitle' | 'condition' | 'categories' | 'listPrice'>;
}

const MOST_SAID = 20;
const KINDS: Partial<Record<AnnouncementKind, NewsKind>> = {
  'new-offer': 'new',
  relisted: 'new',
  'price-drop': 'drop',
  restocked: 'back',
  'all-time-low': 'low',
  'ending-soon': 'ends',
};

/** All that may make a watch of a product reach its aim. */
const NEWS_OF_WATCHES: readonly NewsKind[] = ['new', 'drop', 'back', 'low', 'ends'];

export function entityOf(offer: Offer): OfferEntity {
  const { title, subtitle, condition, categories, listPrice } = offer;
  return {
    id: offer.id,
    url: offer.url ?? '',
    first: 'new',
    product: productOf(offer),
    isSoldOut: offer.isSoldOut,
    endsAtMs: offer.endDateMs ?? Infinity,
    price: offer.salePrice?.minimum ?? Number.NaN,
    dearest: offer.salePrice?.maximum ?? Number.NaN,
    facts: { title, subtitle, condition, categories, listPrice },
  };
}

/** What an offer says of itself on the wire; null for one that is gone. Its condition it does not tell. */
export function toldOf(offer: object | undefined): Told | null {
  if (!offer) return null;
  const { Title, IsSoldOut, Items } = offer as { Title: string; IsSoldOut: boolean; Items: { SalePrice: number }[] };
  const prices = Items.map(({ SalePrice }) => SalePrice);
  return {
    product: null,
    price: Math.min(...prices),
    dearest: Math.max(...prices),
    isSoldOut: IsSoldOut,
    facts: { title: Title },
  };
}

/** Each entity's facts, which thousands of filters ask about. */
const FACTS_OF = new WeakMap<OfferEntity, OfferFacts>();

/** What filters ask for. The model changes no entity: what is believed anew is a new one. */
function factsOf(entity: OfferEntity): OfferFacts {
  const known = FACTS_OF.get(entity);
  if (known) return known;
  const { facts, price, dearest = price, endsAtMs } = entity;
  const found = {
    ...facts,
    salePrice: Number.isNaN(price) ? null : { minimum: price, maximum: dearest },
    endDateMs: endsAtMs === Infinity ? null : endsAtMs,
  };
  FACTS_OF.set(entity, found);
  return found;
}

/** The model of a week's world, in which everybody follows from the start on. */
export function createWorld({ followers, clocks, time, closed, absences }: Evidence): World<OfferEntity> {
  const byChannel = settingsByChannel(followers);
  const settingsOf = (channel: string) => byChannel.get(channel) ?? [];
  const world = new World<OfferEntity>(
    createDeadlines({
      settingsOf,
      clocks,
      time,
      foundOpenByMs: (...between) => closed.foundOpenByMs(...between),
      isAway: (channel, fromMs, untilMs) =>
        settingsOf(channel).some(({ guildId }) => guildId === SMALL_SERVER) &&
        absences().some((absence) => absence.fromMs <= untilMs && absence.untilMs + HOUR_MS >= fromMs),
    }),
  );
  for (const { subscription, feed, product, wants } of followers) {
    world.follow({
      channel: subscription.channelId,
      follows: product === null ? { resource: feed } : { product },
      kinds: product === null ? subscription.kinds.flatMap((kind) => KINDS[kind] ?? []) : NEWS_OF_WATCHES,
      leastDrop: product === null ? subscription.priceDropPercent : 0,
      hasExamples: false,
      awaitsState: product !== null,
      wants: (entity, botMs) => wants(factsOf(entity), botMs),
      dueAtMs: (botMs) => clocks.dueAtMs(subscription.timing, botMs),
    });
  }
  return world;
}

function settingsByChannel(followers: readonly Follower[]): Map<string, Follower['subscription'][]> {
  const byChannel = new Map<string, Follower['subscription'][]>();
  for (const { subscription } of followers) {
    const { channelId } = subscription;
    byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), subscription]);
  }
  return byChannel;
}

/** All that is wrong with what arrived, a line each. */
export function problemsOf(
  world: World<OfferEntity>,
  { followers, clocks, closed }: Evidence,
  arrived: readonly Arrived[],
  say: (line: string) => void,
): string[] {
  const byChannel = new Map<string, Arrived[]>();
  for (const one of arrived) {
    const { channelId, card } = one.message;
    byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), one]);
    world.channel(channelId).post(readPost(card), one.atMs);
  }
  const { debts, ofProducts, told, over } = world.counts();
  say(
    `${debts} owed, ${ofProducts} of watched products: ${told} told in ${arrived.length} posts, ${over} over before they could be.`,
  );
  const settings = settingsByChannel(followers);
  const rude = [...byChannel].flatMap(([channelId, posts]) => {
    const here = settings.get(channelId) ?? [];
    const most = Math.max(...here.map(({ mostPerHour }) => mostPerHour));
    const [atMs, botMs] = [posts.map((post) => post.atMs), posts.map((post) => post.botMs)];
    const timings = here.map(({ timing }) => timing);
    return [...overposted(channelId, atMs, most), ...inQuietHours(channelId, botMs, timings, clocks)];
  });
  const problems = [...shortened(world.findings()), ...shortened(rude), ...closed.problems()];
  if (ofProducts === 0) problems.push('No product that somebody watches had any news.');
  if (over > debts / 4) problems.push('Too much was over before it could be told to prove anything.');
  return problems;
}

/** A line for each of the first findings, and how many more there are. */
function shortened(findings: readonly Finding[]): string[] {
  const lines = findings
    .slice(0, MOST_SAID)
    .map(({ is, channel, url, why }) => `${channel}: ${is}: ${url ?? ''} ${why}.`);
  const more = findings.length - MOST_SAID;
  return more > 0 ? [...lines, `And ${more} more of that.`] : lines;
}
