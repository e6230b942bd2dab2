import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { Deliverer } from '../../../src/announcements/deliver/deliverer.ts';
import { KINDS_OF, newWatch } from '../../../src/announcements/kinds/of-source.ts';
import { createPoller } from '../../../src/announcements/poll/poller.ts';
import type { Catalog } from '../../../src/catalog/catalog.ts';
import { parseFeed } from '../../../src/catalog/portal/feeds.ts';
import { productKey } from '../../../src/deals/known-offer.ts';
import { placeOfPerson } from '../../../src/deals/watch.ts';
import type { Courier } from '../../../src/discord/courier.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openStore } from '../../../src/store/store.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription, uuid } from '../../helpers/things.ts';

const MINUTE_MS = 60_000;
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
    ...changes,
  };
}

const SOLD_OUT = { IsSoldOut: true };
const CHEAPER = { SalePrice: at(40) };
/** What the answers show of the offer, one after the other; null where they lack it. The last one shows it for long. */
interface Story {
  answers: readonly (Item | null)[];
  /** The answer that is odd. */
  odd: number;
  /** What its channel is owed, in this order. */
  owed: readonly string[];
}

const STORIES: Readonly<Record<string, Story>> = {
  'at first sight': { answers: [null, {}], odd: 1, owed: ['New offer'] },
  'while live': { answers: [null, {}, {}, {}], odd: 3, owed: ['New offer'] },
  'just before a drop': { answers: [null, {}, {}, {}, CHEAPER], odd: 3, owed: ['New offer', 'Price drop'] },
  'just after a drop': { answers: [null, {}, {}, CHEAPER, CHEAPER], odd: 4, owed: ['New offer', 'Price drop'] },
  'while sold out': {
    answers: [null, {}, {}, SOLD_OUT, SOLD_OUT, SOLD_OUT, SOLD_OUT, {}],
    odd: 5,
    owed: ['New offer', 'Back in stock'],
  },
  'after its end': {
    answers: [null, { EndDate: iso(7) }, { EndDate: iso(7) }, { EndDate: iso(7) }, { EndDate: iso(7) }],
    odd: 4,
    owed: ['New offer'],
  },
  'while it waits': { answers: [null, {}, {}, {}], odd: 3, owed: ['New offer'] },
  'while watched': { answers: [null, {}, {}, {}, CHEAPER], odd: 3, owed: ['New offer', 'Price drop'] },
};
/** The most answers of a story, and as many as any oddity takes to be forgotten. */
const ANSWERS = 11;

const HUGE = 'x'.repeat(20_000);
const ODD_TEXT = '\u202e\u0000\ud800👩‍👩‍👧\u200b ﷽';
const WRONG_TYPES = [5, {}];
const TEXTS = [null, undefined, '', ODD_TEXT, HUGE, 'Another', ...WRONG_TYPES];
const LINKS = [...TEXTS, 'javascript:alert(1)', 'https://elsewhere.example/', `https://elsewhere.example/${HUGE}`];
const DATES = [
  null,
  undefined,
  '',
  'soon',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  iso(-24 * 60),
  ...WRONG_TYPES,
];
const PRICES = [
  null,
  undefined,
  '',
  '20',
  {},
  [],
  20,
  true,
  HUGE,
  at(0),
  at(-5),
  at(999_999),
  at(1e300),
  at(0.01),
  { Minimum: '80', Maximum: '80' },
  { Minimum: null, Maximum: null },
];
const FLAGS = [null, undefined, '', 'true', 1, {}];
const MALFORMED: Readonly<Record<string, readonly unknown[]>> = {
  Title: TEXTS,
  Subtitle: TEXTS,
  Condition: TEXTS,
  Categories: [null, undefined, '', 'HOME', [], [5], [null], {}, ['TOOLS'], [ODD_TEXT], Array(5000).fill('X')],
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
  OfferId: [null, undefined, '', 'no-id', 5],
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

/** Whatever can be odd, in each story; and each story without anything odd, first. */
function allCases(): Case[] {
  const oddities = [
    { field: 'nothing', values: [undefined], isEdited: false },
    ...Object.entries(MALFORMED).map(([field, values]) => ({ field, values, isEdited: false })),
    ...EDITED.map(([field, value]) => ({ field, values: [value], isEdited: true })),
  ].flatMap(({ field, values, isEdited }) =>
    values.map((value) => ({
      name: field === 'nothing' ? field : `${field} ${(JSON.stringify(value) ?? 'absent').slice(0, 40)}`,
      odd: field === 'nothing' ? {} : { [field]: value },
      isEdited,
    })),
  );
  let number = 0;
  return oddities.flatMap((oddity) =>
    Object.keys(STORIES).map((story) => {
      number += 1;
      return { ...oddity, name: `${story}: ${oddity.name}`, number, story };
    }),
  );
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
  const store = await openStore(temporaryState(), clock);
  const book = createOfferBook([], (feed) => store.resources.get(`feed:${feed}`));
  const currentState = new CurrentState(book, store);
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
    confirm: async () => ({ kind: 'done' }),
    mayRing: () => true,
    findPosted: async () => ({ kind: 'found', posted: new Map(), repeated: new Set(), isCutOff: false }),
    hasNonces: () => true,
    sendDirectMessage: async () => undefined,
  };
  const translatorOf = () => translatorFor('en-US');
  const deliverer: Deliverer = new Deliverer({
    store,
    courier,
    translatorOf,
    currentState,
    requestsPerSecond: 50,
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
    quota: () => ({ v2: quota, portal: quota }),
  };
  const running = new AbortController();
  const poller = createPoller({
    catalog: catalog as Catalog,
    offers: book,
    currentState,
    store,
    deliverer,
    minIntervalMs: MINUTE_MS,
    clock,
    log,
    signal: running.signal,
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

const QUIET = { fromMinute: 12 * 60, toMinute: 13 * 60 + 30 };
const channelOf = ({ number }: Case) => String(number);
const personOf = ({ number }: Case) => `person-${number}`;

/** Everybody follows what concerns their case alone, told by what can be read in each answer. */
async function subscribe({ subscriptions }: Awaited<ReturnType<typeof aBot>>['store'], one: Case): Promise<void> {
  const { number, story, odd } = one;
  const usual = aSubscription('s');
  const timing = story === 'while it waits' ? { ...usual.timing, timeZone: 'UTC', quiet: QUIET } : usual.timing;
  const filter = 'Title' in odd ? `category:CASE-${number}` : `title:"Kettle ${number}"`;
  const kinds = [...KINDS_OF.feed.all];
  await subscriptions.save({ ...usual, id: `s${number}`, channelId: channelOf(one), kinds, filter, timing });
  if (story !== 'while watched') return;
  const title = `Kettle ${number}.`;
  const product = { key: productKey({ title, condition: 'New' }), title, offerId: uuid(number) };
  const place = { id: `w${number}`, guildId: placeOfPerson(personOf(one)), channelId: personOf(one) };
  await subscriptions.save(newWatch({ ...usual, ...place, watch: { aim: 'price', product, below: 50 } }));
}

/** Every text that a channel's messages have shown, as if all cases were the same. */
const textsIn = (seen: Seen, { number }: Case) =>
  seen.map((texts) =>
    texts.map((text) => text.replaceAll(`Kettle ${number}.`, 'Kettle N.').replaceAll(uuid(number), 'ID')),
  );
const lastOf = (texts: readonly string[][]) => texts.map((shown) => shown.at(-1));
const headlines = (texts: readonly string[][]) => texts.map(([text]) => /\*\*(.*?)\*\*/.exec(text ?? '')?.[1]);

test('one odd answer changes nothing that anybody sees, and what was owed comes once', {
  timeout: 120_000,
}, async () => {
  const cases = allCases();
  const { store, posted, look, untilMorning } = await aBot();
  for (const one of cases) await subscribe(store, one);
  for (let answer = 0; answer < ANSWERS; answer += 1) {
    await look(cases.flatMap((one) => itemIn(answer, one) ?? []));
  }
  await untilMorning();
  const seenIn = (channelId: string): Seen => [...(posted.get(channelId)?.values() ?? [])];
  const plain = new Map(cases.filter(({ odd }) => Object.keys(odd).length === 0).map((one) => [one.story, one]));
  for (const one of cases) {
    const { name, story, isEdited } = one;
    const control = plain.get(story) as Case;
    const texts = textsIn(seenIn(channelOf(one)), one);
    const expected = textsIn(seenIn(channelOf(control)), control);
    expect(headlines(texts), name).toEqual(STORIES[story]?.owed);
    expect(lastOf(texts), name).toEqual(lastOf(expected));
    if (!isEdited && story !== 'at first sight') expect(texts, name).toEqual(expected);
    const letters = textsIn(seenIn(personOf(one)), one);
    expect(headlines(letters), name).toEqual(story === 'while watched' ? ['Your watch'] : []);
    expect(lastOf(letters), name).toEqual(lastOf(textsIn(seenIn(personOf(control)), control)));
    if (!isEdited) expect(letters, name).toEqual(textsIn(seenIn(personOf(control)), control));
  }
});

test('what two answers say of a live offer is believed, as far as it can be read', async () => {
  const cases = allCases().filter(({ story, isEdited }) => story === 'while live' && !isEdited);
  const { book, look } = await aBot();
  const items = (isOdd: boolean) => cases.map(({ number, odd }) => whole(number, isOdd ? odd : {}));
  await look([]);
  await look(items(false));
  await look(items(false));
  const before = new Map(cases.map((one) => [one.name, book.get(uuid(one.number))?.offer]));
  await look(items(true));
  for (const { name, number } of cases) expect(book.get(uuid(number))?.offer, name).toEqual(before.get(name));
  await look(items(true));
  for (const { name, number, odd } of cases) {
    const { value, unreadable } = await parseFeed(JSON.parse(JSON.stringify({ Items: [whole(number, odd)] })));
    const [offer] = value.offers;
    const known = before.get(name);
    if (!known) throw new Error('The offer is not known.');
    const unread = unreadable?.fields?.get(uuid(number)) ?? [];
    const asBefore = Object.fromEntries(unread.map((field) => [field, known[field as keyof typeof known]]));
    expect(book.get(uuid(number))?.offer, name).toEqual(offer ? { ...offer, ...asBefore } : known);
  }
});
