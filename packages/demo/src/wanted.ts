import type { Entity } from '../../../test/model/catalog.ts';
import type { DemoPlace } from '../../local-discord/src/index.ts';

/** An offer, an event or a dealcast, and whether the subscription wants it as it is now. */
export interface WantedEntity extends Entity {
  isWanted: boolean;
  /** The addresses by which a post may name it besides its own: a Deal-off has none, so its board links to an offer in it. */
  addresses?: readonly string[];
}

/** The news that one of the demo's subscriptions wants, computed without the bot's code. */
export interface Wanted {
  place: DemoPlace;
  /** The path of the catalog's answers, which are whole. */
  path: string;
  /** Which of what these answers show, where others of the place want something else of them. */
  part?: string;
  read: (text: string, nowMs: number) => WantedEntity[];
  /** When news of a moment may be posted: epoch milliseconds. */
  dueAt: (nowMs: number) => number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The hours of UTC in which #events is quiet. */
const QUIET = { from: 22, to: 7 } as const;
/** News that is served less than this before a digest may come with the next one: milliseconds. */
const MARGIN_MS = 5_000;

const atOnce = (nowMs: number) => nowMs;

/** The next full hour. */
const hourly = (nowMs: number) => (Math.floor((nowMs + MARGIN_MS) / HOUR_MS) + 1) * HOUR_MS;

/** The end of the quiet hours, within them. */
function outsideQuiet(nowMs: number): number {
  const hour = ((nowMs + MARGIN_MS) % DAY_MS) / HOUR_MS;
  if (hour >= QUIET.to && hour < QUIET.from) return nowMs;
  const endMs = Math.floor(nowMs / DAY_MS) * DAY_MS + QUIET.to * HOUR_MS;
  return endMs >= nowMs ? endMs : endMs + DAY_MS;
}

interface FeedItem {
  OfferId: string;
  Url: string;
  EndDate: string | null;
  IsSoldOut: boolean;
  SalePrice: Range | null;
  ListPrice: Range | null;
}

interface Range {
  Minimum: number;
  Maximum: number;
}

/** Nobody in a channel follows a product; what has no price can't be sold out. */
const OF_CHANNELS = { product: null, isSoldOut: false, price: Number.NaN } as const;

const endOf = (end: string | null) => (end === null ? Number.POSITIVE_INFINITY : Date.parse(end));

function offersWhere(isWanted: (item: FeedItem) => boolean): Wanted['read'] {
  return (text) =>
    (JSON.parse(text) as { Items: FeedItem[] }).Items.map((item) => ({
      id: item.OfferId,
      url: item.Url,
      ...OF_CHANNELS,
      first: 'new',
      isSoldOut: item.IsSoldOut,
      endsAtMs: endOf(item.EndDate),
      price: item.SalePrice?.Minimum ?? Number.NaN,
      isWanted: isWanted(item),
    }));
}

/** The discount of the least reduced variant from its list price, in whole percent. */
function leastPercentOff({ SalePrice: sale, ListPrice: list }: FeedItem): number {
  if (!sale || !list) return 0;
  const off = (now: number, before: number) => Math.floor((1 - now / before) * 100 + 1e-9);
  return Math.min(off(sale.Minimum, list.Minimum), off(sale.Maximum, list.Maximum));
}

interface WireEvent {
  Id: string;
  Type: string;
  Site: string;
  Url?: string;
  StartDate: string;
  EndDate: string | null;
  Offers?: { Url: string }[];
}

/** The events of the type that have an address, at the sites that begin with one of the names. */
function eventsOf(type: string, sites: readonly string[]): Wanted['read'] {
  return (text, nowMs) =>
    (JSON.parse(text) as WireEvent[])
      .filter(({ StartDate: start }) => Date.parse(start) <= nowMs)
      .map((event) => ({
        id: event.Id,
        url: event.Url ?? '',
        ...OF_CHANNELS,
        first: 'event',
        endsAtMs: endOf(event.EndDate),
        isWanted: event.Type === type && sites.some((site) => event.Site.startsWith(`${site}.`)),
      }));
}

/** The counters' name for a Deal-off, which has no address of its own. */
const DEAL_OFF = 'deal-off:';

export function isDealOff(url: string): boolean {
  return url.startsWith(DEAL_OFF);
}

/** The Deal-offs, which end when they are not listed any more. */
function dealOffs(text: string, nowMs: number): WantedEntity[] {
  return (JSON.parse(text) as WireEvent[])
    .filter(({ Type: type, StartDate: start }) => type === 'DealOff' && Date.parse(start) <= nowMs)
    .map((event) => ({
      id: event.Id,
      url: `${DEAL_OFF}${event.Id}`,
      addresses: (event.Offers ?? []).map(({ Url: url }) => url),
      ...OF_CHANNELS,
      first: 'event',
      endsAtMs: endOf(event.EndDate),
      isWanted: true,
    }));
}

function dealcasts(text: string, nowMs: number): WantedEntity[] {
  return (JSON.parse(text) as { YouTubeUrl: string; StartDate: string }[])
    .filter(({ StartDate: start }) => Date.parse(start) <= nowMs)
    .map(({ YouTubeUrl: url, StartDate: start }) => ({
      id: `${url} ${start}`,
      url,
      ...OF_CHANNELS,
      first: 'dealcast',
      endsAtMs: Number.POSITIVE_INFINITY,
      isWanted: true,
    }));
}

/** The wishes of the demo's subscriptions (first-subscriptions.ts), as a person reads them in their panels. */
export const WANTED: readonly Wanted[] = [
  { place: 'deals', path: '/feed/Electronics', read: offersWhere(() => true), dueAt: atOnce },
  { place: 'deals', path: '/2/dealcasts.json', read: dealcasts, dueAt: atOnce },
  { place: 'digest', path: '/feed/Home', read: offersWhere(() => true), dueAt: hourly },
  {
    place: 'events',
    path: '/2/events.json',
    read: eventsOf('DealPlus', ['electronics', 'home']),
    dueAt: outsideQuiet,
  },
  { place: 'events', path: '/2/events.json', part: 'deal-offs', read: dealOffs, dueAt: atOnce },
  {
    place: 'forum',
    path: '/feed/Gourmet',
    read: offersWhere((item) => leastPercentOff(item) >= 40),
    dueAt: atOnce,
  },
  {
    place: 'thread',
    path: '/feed/Shirts',
    read: offersWhere(({ SalePrice: price }) => price !== null && price.Minimum < 15),
    dueAt: atOnce,
  },
];
