import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { Deliverer } from '../../../src/announcements/deliver/deliverer.ts';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { createPoller } from '../../../src/announcements/poll/poller.ts';
import type { Catalog } from '../../../src/catalog/catalog.ts';
import { CatalogHttpError } from '../../../src/catalog/errors.ts';
import { parseFeed } from '../../../src/catalog/portal/feeds.ts';
import type { AnnouncementKind } from '../../../src/deals/announcement.ts';
import { productKey } from '../../../src/deals/known-offer.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import type { Courier } from '../../../src/discord/courier.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { createLog } from '../../../src/shared/log.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { announcingAmong, announcingParts, aPersonal, recordsOf } from '../../helpers/announcing-features.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { sampled } from '../../helpers/sampled.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription, uuid } from '../../helpers/things.ts';

/** Whether people can watch products. */
const WATCHES = announcingAmong(FEATURES).length > 0;
/** Two polls are so far apart. */
const STEP_MS = 2 * MINUTE_MS;
const START = '2026-10-06T12:00:00Z';
/** The end of the quiet hours of those who have some. */
const MORNING = '2026-10-06T13:30:00Z';

/** An item as the catalog sends it. */
type Item = Record<string, unknown>;
const at = (dollars: number) => ({ Minimum: dollars, Maximum: dollars });
const iso = (minutes: number) => new Date(Date.parse(START) + minutes * MINUTE_MS).toISOString();

function whole(number: number, changes: Item = {}): Item {
  return {
    OfferId: uuid(number),
    Title: `Kettle ${number}.`,
    Subtitle: 'Steel',
    Condition: 'New',
    Categories: [`CASE-${number}`, 'HOME'],
    Photo: 'https://pictures.example/1.jpg',
    Url: 'https://www.example.com/offers/kettle',
    ForumUrl: 'https://forums.example.com/t/1',
    StartDate: iso(-60),
    EndDate: iso(3 * 24 * 60),
    SalePrice: at(80),
    ListPrice: at(160),
    IsSoldOut: false,
    IsDealOff: false,
    IsFeatured: false,
    IsFulfilledByPartner: false,
    IsAvailableOnMobileAppOnly: false,
    Site: 'www.example.com',
    ...changes,
  };
}

const SOLD_OUT = { IsSoldOut: true };
const CHEAPER = { SalePrice: at(40) };
/** It ends soon between the fourth answer and the sixth. */
const ENDING = { EndDate: iso(3 * 60 + 9) };
/** What the answers show of the offer, one after the other; null where they lack it. The last one shows it for long. */
interface Story {
  answers: readonly (Item | null)[];
  /** The answer that is odd. */
  odd: number;
  /** What its channel is owed, in this order. */
  owed: readonly string[];
  /** The kind that its channel doesn't ask for; absent where it asks for all. */
  without?: AnnouncementKind;
  /** What a person watches its product for; absent where nobody does. */
  watched?: 'low' | 'stock' | 'end' | 'price';
  /** How often that person is told; once where absent. */
  letters?: number;
}

const STORIES: Readonly<Record<string, Story>> = {
  'at first sight': { answers: [null, {}], odd: 1, owed: ['New offer'] },
  'while live': { answers: [null, {}, {}, {}], odd: 3, owed: ['New offer'] },
  'just before a drop': { answers: [null, {}, {}, {}, CHEAPER], odd: 3, owed: ['New offer', 'Price drop'] },
  'just after a drop': { answers: [null, {}, {}, CHEAPER, CHEAPER], odd: 4, owed: ['New offer', 'Price drop'] },
  'before a low': {
    answers: [null, {}, {}, {}, CHEAPER],
    odd: 3,
    owed: ['New offer', 'All-time low'],
    without: 'price-drop',
    watched: 'low',
    letters: 2,
  },
  'before a low is sure': {
    answers: [null, {}, {}, CHEAPER, CHEAPER],
    odd: 4,
    owed: ['New offer', 'All-time low'],
    without: 'price-drop',
    watched: 'low',
    letters: 2,
  },
  'while sold out': {
    answers: [null, {}, {}, SOLD_OUT, SOLD_OUT, SOLD_OUT, SOLD_OUT, {}],
    odd: 5,
    owed: ['New offer', 'Back in stock'],
  },
  'while it is sold out and watched': {
    answers: [null, SOLD_OUT, SOLD_OUT, SOLD_OUT, SOLD_OUT, SOLD_OUT, {}],
    odd: 5,
    owed: ['Back in stock'],
    watched: 'stock',
  },
  'after its end': {
    answers: [null, { EndDate: iso(7) }, { EndDate: iso(7) }, { EndDate: iso(7) }, { EndDate: iso(7) }],
    odd: 4,
    owed: ['New offer'],
  },
  'before it ends soon': {
    answers: [null, ENDING, ENDING, ENDING],
    odd: 3,
    owed: ['New offer', 'Ending soon'],
    watched: 'end',
  },
  'as it ends soon': { answers: [null, ENDING, ENDING, ENDING], odd: 5, owed: ['New offer', 'Ending soon'] },
  'after it is back again': { answers: [null, {}, {}, {}], odd: 3, owed: ['Back again'] },
  'while it waits': { answers: [null, {}, {}, {}], odd: 3, owed: ['New offer'] },
  'while watched': {
    answers: [null, {}, {}, {}, CHEAPER],
    odd: 3,
    owed: ['New offer', 'Price drop'],
    watched: 'price',
  },
};
/** The most answers of a story, and as many as any oddity takes to be forgotten. */
const ANSWERS = 11;

const HUGE = 'x'.repeat(20_000);
const ODD_TEXT = '\u202e\u0000\ud800👩‍👩‍👧\u200b ﷽';
/** What any field may hold: nothing, the wrong type, an odd text and a long one. */
const ANYWHERE = [null, undefined, '', 5, {}, [], ODD_TEXT, HUGE];
const LINKS = ['Another', 'javascript:alert(1)', 'https://elsewhere.example/', `https://elsewhere.example/${HUGE}`];
const DATES = ['soon', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', iso(-24 * 60)];
const ABSURD_PRICES = [at(999_999), at(0.01)];
/** Read as prices, although they are no ranges. */
const PLAIN_PRICES = ['20', 20];
const PRICES = [
  ...ABSURD_PRICES,
  ...PLAIN_PRICES,
  true,
  at(0),
  at(-5),
  at(1e300),
  { Minimum: '80', Maximum: '80' },
  { Minimum: null, Maximum: null },
];
const FLAGS = ['true', 1];
/** What else a field may hold. */
const MALFORMED: Readonly<Record<string, readonly unknown[]>> = {
  Title: ['Another'],
  Subtitle: ['Another'],
  Condition: ['Another'],
  Categories: ['HOME', [5], [null], ['TOOLS'], [ODD_TEXT], [HUGE], Array(5000).fill('X')],
  Photo: LINKS,
  Url: LINKS,
  ForumUrl: LINKS,
  StartDate: DATES,
  EndDate: DATES,
  SalePrice: PRICES,
  ListPrice: [...PRICES, at(200)],
  IsSoldOut: FLAGS,
  IsDealOff: [...FLAGS, true],
  IsFeatured: [...FLAGS, true],
  IsFulfilledByPartner: [...FLAGS, true],
  IsAvailableOnMobileAppOnly: [...FLAGS, true],
  Site: ['elsewhere.example.com'],
  OfferId: ['no-id'],
};

/** What believes one answer: then posts are edited, and edited back. */
const EDITED: readonly [field: string, value: unknown][] = [
  ['IsSoldOut', true],
  ['EndDate', iso(4 * 24 * 60)],
];

/** One offer, in a channel of its own. */
interface Case {
  name: string;
  number: number;
  story: string;
  odd: Item;
  /** Whether what one answer says is believed, so that a post may be edited. */
  isEdited: boolean;
}

/** Whatever can be odd, in each story; and each story without anything odd, first. A sample has all of the latter. */
function allCases(): Case[] {
  const oddities = [
    { field: 'nothing', values: [undefined], isEdited: false },
    ...Object.entries(MALFORMED).map(([field, own]) => ({ field, values: [...ANYWHERE, ...own], isEdited: false })),
    ...EDITED.map(([field, value]) => ({ field, values: [value], isEdited: true })),
  ].flatMap(({ field, values, isEdited }) =>
    values.map((value) => ({
      name: field === 'nothing' ? field : `${field} ${(JSON.stringify(value) ?? 'absent').slice(0, 40)}`,
      odd: field === 'nothing' ? {} : { [field]: value },
      isEdited,
    })),
  );
  const [nothing = [], ...odd] = oddities.map((oddity) => Object.keys(STORIES).map((story) => ({ ...oddity, story })));
  return [...nothing, ...sampled(odd.flat(), 200)].map((one, index) => ({
    ...one,
    name: `${one.story}: ${one.name}`,
    number: index + 1,
  }));
}

/** The item of a case in an answer; null where the answer lacks it. */
function itemIn(answer: number, { number, story, odd }: Case): Item | null {
  const { answers, odd: oddAnswer } = STORIES[story] as Story;
  const shown = answers[Math.min(answer, answers.length - 1)];
  return shown ? whole(number, answer === oddAnswer ? { ...shown, ...odd } : shown) : null;
}

/** What somebody has seen of a channel: each message's texts, the newest last. */
type Seen = string[][];

/** A bot without Discord and the catalog's network: what it is told is JSON, and what it posts is recorded. */
async function aBot() {
  const clock = new ManualClock(START);
  const log = createLog('silent');
  const store = await openStore(temporaryState(), clock, null, recordsOf(FEATURES));
  const book = createOfferBook([], (feed) => store.resources.get(`feed:${feed}`));
  const running = new AbortController();
  const { signal } = running;
  const { owedByOffers, ofDeliverer } = announcingParts(FEATURES, { store, offers: book, clock, signal });
  const currentState = new CurrentState(book, store, ofDeliverer.kinds);
  const posted = new Map<string, Map<string, string[]>>();
  const messagesIn = (channelId: string) => {
    const messages = posted.get(channelId) ?? new Map<string, string[]>();
    posted.set(channelId, messages);
    return messages;
  };
  const courier: Courier = {
    async post({ channelId, deliveryId, card }) {
      messagesIn(channelId).set(deliveryId, [textOf(card)]);
      return { kind: 'sent', place: { channelId, messageId: deliveryId } };
    },
    async edit({ channelId, messageId }, { card }) {
      messagesIn(channelId).get(messageId)?.push(textOf(card));
      return { kind: 'done' };
    },
    remove: async () => ({ kind: 'done' }),
    publish: async () => ({ kind: 'done' }),
    reply: async () => ({ kind: 'done' }),
    confirm: async () => ({ kind: 'done' }),
    mayRing: () => true,
    mayPin: () => false,
    pin: async () => ({ kind: 'done' }),
    findPosted: async () => ({ kind: 'found', posted: new Map(), messages: [], isCutOff: false }),
    hasNonces: () => true,
    sendDirectMessage: async () => undefined,
  };
  const deliverer: Deliverer = new Deliverer({
    ...ofDeliverer,
    store,
    courier,
    currentState,
    requestsPerSecond: 50,
    successes: () => 0,
    clock,
    log,
  });
  const page = { items: [] as readonly unknown[] };
  const quota = { limit: 1000, spent: 0, resetsAtMs: clock.now() + 24 * 60 * MINUTE_MS };
  const catalog: Partial<Catalog> = {
    feeds: {
      async get() {
        const { value, unreadable } = await parseFeed(JSON.parse(JSON.stringify({ Items: page.items })));
        return { value, unreadable, fetchedAtMs: clock.now(), isStale: false, malformed: 0 };
      },
    },
    offers: { get: () => Promise.reject(new CatalogHttpError('The catalog is busy.', 503)) },
    quota: () => ({ v2: quota, portal: quota }),
  };
  const poller = createPoller({
    settings: [],
    catalog: catalog as Catalog,
    offers: book,
    currentState,
    store,
    deliverer,
    owedByOffers,
    minIntervalMs: MINUTE_MS,
    clock,
    log,
    signal,
  });
  onTestFinished(async () => {
    running.abort();
    await deliverer.stop();
    await store.close();
  });
  async function look(items: readonly unknown[]) {
    page.items = items;
    await poller.poll('feed:Home', 'announcement');
    await clock.advance(1);
    // What time alone brings; the feed is not due again so soon.
    await poller.tick();
    await deliverer.settled();
    await clock.advance(STEP_MS);
  }
  async function untilMorning() {
    await clock.advance(Date.parse(MORNING) - clock.now());
    deliverer.kick();
    await deliverer.settled();
  }
  return { store, book, posted, look, untilMorning };
}

/** What its channel is owed. Where the first answer showed it at another price, its low is told later. */
function owedTo({ story, odd }: Case): readonly string[] {
  const { owed } = STORIES[story] as Story;
  const isWrongAtFirst =
    story === 'at first sight' && [...ABSURD_PRICES, ...PLAIN_PRICES, 5].some((price) => price === odd['SalePrice']);
  return isWrongAtFirst ? [...owed, 'All-time low'] : owed;
}

const QUIET = { fromMinute: 12 * 60, toMinute: 13 * 60 + 30 };
const channelOf = ({ number }: Case) => String(number);
const personOf = ({ number }: Case) => `person-${number}`;

const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

const keyOf = ({ number }: Case) => productKey({ title: `Kettle ${number}.`, condition: 'New' });

/** Each product cost $100 before; those that are back again were sold before. */
async function rememberPrices({ store }: Awaited<ReturnType<typeof aBot>>, cases: readonly Case[]): Promise<void> {
  const nowMs = Date.parse(START);
  const salePrice = { minimum: 100, maximum: 100 };
  const run = { fromMs: nowMs - 2 * WEEK_MS, untilMs: nowMs - WEEK_MS, price: salePrice };
  const before = cases.filter(({ story }) => story === 'after it is back again');
  await store.transact(async (changes) => {
    await store.prices.add(changes, new Map(cases.map((one) => [keyOf(one), [run]])));
    const past = (one: Case) => ({ offerId: uuid(one.number + 500_000), salePrice, endedAtMs: nowMs - WEEK_MS });
    for (const one of before) store.products.set(changes, keyOf(one), past(one));
  });
}

/** Everybody follows what concerns their case alone, told by what can be read in each answer. */
async function subscribe({ store }: Awaited<ReturnType<typeof aBot>>, one: Case): Promise<void> {
  const { number, story, odd } = one;
  const { without, watched } = STORIES[story] as Story;
  const usual = aSubscription('s');
  const timing = story === 'while it waits' ? { ...usual.timing, timeZone: 'UTC', quiet: QUIET } : usual.timing;
  const filter = 'Title' in odd ? `category:CASE-${number}` : `title:"Kettle ${number}"`;
  const kinds = KINDS_OF.feed.all.filter((kind) => kind !== without);
  await store.subscriptions.save({ ...usual, id: `s${number}`, channelId: channelOf(one), kinds, filter, timing });
  if (!watched || !WATCHES) return;
  const place = { id: `w${number}`, guildId: placeOfPerson(personOf(one)), channelId: personOf(one) };
  const product = { key: keyOf(one), title: `Kettle ${number}.`, offerId: uuid(number) };
  const watch = { aim: watched, product, below: watched === 'price' ? 50 : null };
  await store.subscriptions.save(aPersonal({ ...usual, ...place, watch }));
}

/** Every text that a channel's messages have shown, as if all cases were the same. */
const textsIn = (seen: Seen, { number }: Case) =>
  seen.map((texts) =>
    texts.map((text) => text.replaceAll(`Kettle ${number}.`, 'Kettle N.').replaceAll(uuid(number), 'ID')),
  );
const lettersOf = ({ watched, letters = 1 }: Story) =>
  watched && WATCHES ? Array<string>(letters).fill('Your alert') : [];
const lastOf = (texts: readonly string[][]) => texts.map((shown) => shown.at(-1));
const headlines = (texts: readonly string[][]) => texts.map(([text]) => /\*\*(.*?)\*\*/.exec(text ?? '')?.[1]);

const CASES = allCases();

test.each(Object.keys(STORIES))(
  'one odd answer %s changes nothing that anybody sees, and what was owed comes once',
  async (told) => {
    const cases = CASES.filter(({ story }) => story === told);
    const bot = await aBot();
    const { posted, look, untilMorning } = bot;
    await rememberPrices(bot, cases);
    await Promise.all(cases.map((one) => subscribe(bot, one)));
    for (let answer = 0; answer < ANSWERS; answer += 1) {
      await look(cases.flatMap((one) => itemIn(answer, one) ?? []));
    }
    await untilMorning();
    const seenIn = (channelId: string): Seen => [...(posted.get(channelId)?.values() ?? [])];
    const control = cases.find(({ odd }) => Object.keys(odd).length === 0) as Case;
    for (const one of cases) {
      const { name, story, isEdited } = one;
      const texts = textsIn(seenIn(channelOf(one)), one);
      const expected = textsIn(seenIn(channelOf(control)), control);
      expect(headlines(texts), name).toEqual(owedTo(one));
      expect(lastOf(texts).slice(0, expected.length), name).toEqual(lastOf(expected));
      if (!isEdited && story !== 'at first sight') expect(texts, name).toEqual(expected);
      const letters = textsIn(seenIn(personOf(one)), one);
      expect(headlines(letters), name).toEqual(lettersOf(STORIES[story] as Story));
      expect(lastOf(letters), name).toEqual(lastOf(textsIn(seenIn(personOf(control)), control)));
      if (!isEdited) expect(letters, name).toEqual(textsIn(seenIn(personOf(control)), control));
    }
  },
);

test.each<[string, Item]>([
  ['live', {}],
  ['sold-out', SOLD_OUT],
  ['ended', { EndDate: iso(3) }],
])('what two answers say of an offer that is %s is believed, as far as it can be read', async (_, state) => {
  const cases = CASES.filter(({ story, isEdited }) => story === 'while live' && !isEdited);
  const { book, look } = await aBot();
  const items = (isOdd: boolean) => cases.map(({ number, odd }) => whole(number, isOdd ? { ...state, ...odd } : state));
  await look([]);
  for (let answer = 0; answer < 3; answer += 1) await look(items(false));
  const before = new Map(cases.map((one) => [one.name, book.get(uuid(one.number))?.offer]));
  await look(items(true));
  for (const { name, number } of cases) expect(book.get(uuid(number))?.offer, name).toEqual(before.get(name));
  await look(items(true));
  for (const { name, number, odd } of cases) {
    const item = whole(number, { ...state, ...odd });
    const { value, unreadable } = await parseFeed(JSON.parse(JSON.stringify({ Items: [item] })));
    const [offer] = value.offers;
    const known = before.get(name);
    if (!known) throw new Error('The offer is not known.');
    // Each feed may name another site.
    const unread = ['site', ...(unreadable?.fields?.get(uuid(number)) ?? [])];
    const asBefore = Object.fromEntries(unread.map((field) => [field, known[field as keyof typeof known]]));
    expect(book.get(uuid(number))?.offer, name).toEqual(offer ? { ...offer, ...asBefore } : known);
  }
});
