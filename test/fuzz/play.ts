import { setImmediate } from 'node:timers/promises';
import type { Request } from '../../commands/shared.ts';
import { owedTo, withoutTrace } from '../../src/announcements/explain/owed.ts';
import { isUntrue } from '../../src/announcements/explain/truth.ts';
import { isDealOver } from '../../src/announcements/kinds/index.ts';
import { newSubscription } from '../../src/announcements/kinds/of-source.ts';
import { CatalogHttpError } from '../../src/catalog/errors.ts';
import type { AnnouncementKind } from '../../src/deals/announcement.ts';
import { placeOfPerson } from '../../src/deals/person.ts';
import { USUAL_PACING_OF_PERSON } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { textsOf } from '../../src/discord/find-posted.ts';
import { FEATURES } from '../../src/features/index.ts';
import { createLog } from '../../src/shared/log.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import type { Person } from '../../src/store/server-records.ts';
import { openRecords } from '../../src/store/store.ts';
import { State } from '../../src/store/table/state.ts';
import { recordsOf } from '../helpers/announcing-features.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { MENTIONED } from '../helpers/mentioned.ts';
import { translatorFor } from '../helpers/translator.ts';
import type { Answer, Entity, Moment } from '../model/catalog.ts';
import type { Finding } from '../model/channel.ts';
import { inQuietHours } from '../model/limits.ts';
import { type NewsKind, readPost } from '../model/reading.ts';
import { createWallClocks } from '../model/wall-clocks.ts';
import { type Want, World } from '../model/world.ts';
import { assembleBot, type Bot } from '../simulated/bot.ts';
import { createCatalog, type NextAnswer } from './catalog.ts';
import { Discord } from './discord.ts';
import { type Life, Memory } from './memory.ts';
import { Promptness } from './promptness.ts';
import { idOfOffer, Shop } from './shop.ts';
import { type Event, type FeedName, lineOf, offerName, type Wish } from './story.ts';

/** How a story ended: all that is wrong by the model of the world, and what was told and seen, line by line. */
export interface Ending {
  findings: Finding[];
  trace: string[];
  posts: number;
}

type Records = Awaited<ReturnType<typeof openRecords>>;

const START = '2026-11-20T12:00:00Z';
/** Quiet hours begin so long after the start, and last so long. */
const QUIET = { fromMinute: 13 * 60, toMinute: 17 * 60 };
/**
 * After the last event so much time passes, in steps: offers are asked about; then they are not, a closed channel is tried again,
 * digests come, quiet hours end.
 */
const ASKING_STEPS = 24;
const AFTER_STEPS = 72;
const AFTER_STEP_MINUTES = 5;
/** How long the steps are in which so many minutes pass, at least: the bot works after each. */
const STEPS = [
  { fromMinutes: 24 * 60, stepMinutes: 30 },
  { fromMinutes: 60, stepMinutes: 10 },
  { fromMinutes: 0, stepMinutes: 1 },
] as const;
/** Turns of the event loop in which nobody asks for anything, after which nobody will. */
const CALM_TURNS = 5;
/** More turns than any work here takes: then it goes in circles. */
const MOST_TURNS = 20_000;
const DAYS = 40;
/** With so many requests a day, whatever is in doubt is asked about when it is due. */
const ENOUGH_REQUESTS = 200_000;
/** The audit judges nothing younger. */
const AUDITED_UNTIL_MS = 60 * MINUTE_MS;
const CLOCKS = createWallClocks(['UTC'], Date.parse(START) - 86_400_000, Date.parse(START) + DAYS * 86_400_000);

const NEWS_KINDS: Partial<Record<AnnouncementKind, NewsKind>> = {
  'new-offer': 'new',
  relisted: 'new',
  'price-drop': 'drop',
  restocked: 'back',
  'ending-soon': 'ends',
  'all-time-low': 'low',
};

/** Makes a watch, as the button below an offer does; undefined without such a feature. */
const WATCH_FOR = FEATURES.flatMap(({ commands = [] }) => commands)
  .flatMap(({ actions = {} }) => Object.entries(actions))
  .filter(([name]) => name === 'watch-for')
  .map(([, handler]) => handler as { run(action: object, request: Request): Promise<unknown> })[0];

const idOf = (channel: number) => String(100 + channel);

/** Plays a story with the bot's announcing half as it is, and judges it. */
export async function play(story: readonly Event[]): Promise<Ending> {
  return new Play().run(story);
}

class Play {
  readonly #clock = new ManualClock(START);
  readonly #memory = new Memory();
  readonly #discord = new Discord(
    () => this.#now(),
    (channelId) => this.#people.has(channelId),
  );
  readonly #shop = new Shop();
  readonly #world = new World<Entity>(({ foundAtMs, dueAtMs, isOptional }) => {
    return { fromMs: Math.max(foundAtMs, dueAtMs), untilMs: Infinity, isOptional, wrongByMs: 0 };
  });
  readonly #promptness = new Promptness();
  readonly #trace: string[] = [];
  readonly #quiet: Finding[] = [];
  /** What is believed otherwise than answers say, and the offers of which it is. */
  readonly #wrong: Finding[] = [];
  readonly #isWrong = new Set<string>();
  /** Those who have ever watched for something, by the channel of their direct messages. */
  readonly #people = new Map<string, string>();
  /** The subscription that each channel has. */
  readonly #subscriptions = new Map<number, Subscription>();
  #life: Life = { isOver: false, onStored: () => undefined, end: null };
  #bot: Bot<Records> | null = null;
  #answer: NextAnswer = null;
  /** What an answer says, and what the keys begin with by which the bot stores it: then it counts. */
  #heard: { key: string; take: () => void } | null = null;
  #quota = 0;
  #made = 0;
  /** Each message's duties, by the subscription for which it was posted. */
  readonly #owes = new Map<string, { isPublished: boolean; roleId: string | undefined }>();

  async run(story: readonly Event[]): Promise<Ending> {
    await this.#open();
    for (const event of story) await this.#happen(event);
    this.#trace.push('all is calm from here on');
    this.#life.end = null;
    this.#discord.calm();
    for (const [channelId, personId] of this.#people) await this.#askForMessages(channelId, personId);
    for (let step = 0; step < ASKING_STEPS; step += 1) await this.#minutes(AFTER_STEP_MINUTES);
    this.#quota = 0;
    for (let step = 0; step < AFTER_STEPS; step += 1) await this.#minutes(AFTER_STEP_MINUTES);
    for (const { channelId, card } of this.#discord.messages) this.#world.stand(channelId, readPost(card), this.#now());
    const others = [...this.#world.findings(), ...this.#quiet, ...this.#wrong];
    const findings = [...others, ...(await this.#audit()), ...(await this.#unfinished())];
    await this.#end();
    return { findings, trace: this.#trace, posts: this.#discord.messages.length };
  }

  /** What the bot itself finds: nothing is wrong that the model of the world doesn't find as well. */
  async #audit(): Promise<Finding[]> {
    const { store, offers, currentState, deliverer } = this.#bot ?? {};
    if (!store || !offers || !currentState || !deliverer) return [];
    const untilMs = this.#clock.now() - AUDITED_UNTIL_MS;
    const all = store.subscriptions.ofServers();
    const findings: Finding[] = [];
    for (const channel of new Set(all.map(({ channelId }) => channelId))) {
      const subscriptions = all.filter(({ channelId }) => channelId === channel);
      const messages = this.#discord.messages.filter(({ channelId }) => channelId === channel);
      const parts = { store, settings: [], offers, currentState, clock: this.#clock };
      const owed = await owedTo(subscriptions, { fromMs: 0, untilMs }, parts);
      const standing = new Set(messages.map(({ deliveryId }) => deliveryId));
      for (const { announcement } of await withoutTrace(owed, standing, store)) {
        const why = `${announcement.kind} of ${nameOf(announcement.subject)}, by the audit`;
        findings.push({ is: 'lost', channel, url: null, why });
      }
      for (const post of (await store.posts.inChannels(new Set([channel]))).get(channel) ?? []) {
        const message = messages.find(({ messageId }) => messageId === post.messageId);
        const isPending = store.edits.pending(channel).some(({ deliveryId }) => deliveryId === post.deliveryId);
        if (!message || isPending || post.postedAtMs > untilMs) continue;
        if (!isUntrue({ texts: textsOf(message.card.components) }, deliverer.currentCard(post))) continue;
        findings.push({ is: 'untrue', channel, url: null, why: `${nameOf(post.announcement.subject)}, by the audit` });
      }
    }
    return findings;
  }

  /**
   * Finds requests that still wait although nothing hinders them, posts that are not published, and roles that were rung twice or
   * not at all. Each post of a subscription that rings for all has its role.
   */
  async #unfinished(): Promise<Finding[]> {
    const { store, currentState } = this.#bot ?? {};
    if (!store || !currentState) return [];
    const nowMs = this.#clock.now();
    const findings: Finding[] = [];
    const find = (is: Finding['is'], channel: string, why: string) => findings.push({ is, channel, url: null, why });
    for (const channel of new Set(this.#discord.messages.map(({ channelId }) => channelId))) {
      const posts = (await store.posts.inChannels(new Set([channel]))).get(channel) ?? [];
      const live = new Set(
        posts
          .filter(({ announcement }) => !isDealOver(currentState.of(announcement), nowMs))
          .map(({ messageId }) => messageId),
      );
      for (const kind of ['edits', 'publications', 'replies', 'removals'] as const) {
        const waiting = store[kind].pending(channel).length;
        if (waiting > 0) find('late', channel, `${waiting} ${kind} still wait`);
      }
      for (const { channelId, messageId, isPublished, rung, card } of this.#discord.messages) {
        if (channelId !== channel) continue;
        const owes = this.#owes.get(messageId);
        const text = textOf(card);
        if (owes?.isPublished && !isPublished && live.has(messageId)) find('lost', channel, `not published: ${text}`);
        if (new Set(rung).size < rung.length) find('twice', channel, `rung twice: ${text}`);
        if (owes?.roleId !== undefined && !rung.includes(owes.roleId)) find('lost', channel, `not rung: ${text}`);
      }
    }
    return findings;
  }

  #now(): Moment {
    return { trueMs: this.#clock.now(), botMs: this.#clock.now() };
  }

  #say(line: string): void {
    const minutes = Math.round((this.#clock.now() - Date.parse(START)) / MINUTE_MS);
    this.#trace.push(`${String(minutes).padStart(5)} min  ${line}`);
  }

  async #happen(event: Event): Promise<void> {
    if (event.do !== 'poll') this.#say(lineOf(event));
    if (this.#shop.happen(event, this.#clock.now())) return;
    switch (event.do) {
      case 'poll':
        return this.#poll(event.feed, event.answer);
      case 'quota':
        this.#quota = event.requests;
        return;
      case 'pass':
        return this.#pass(event.minutes);
      case 'follow':
        return this.#follow(event.channel, event.wish);
      case 'leave':
        return this.#leave(event.channel);
      case 'watch':
        return this.#watch(event);
      case 'unwatch':
        return this.#leave(event.person);
      case 'next post':
        this.#discord.nextPost(idOf(event.channel), event.outcome);
        return;
      case 'next change':
        this.#discord.nextChange(idOf(event.channel), event.outcome);
        return;
      case 'close':
        this.#discord.close(idOf(event.channel));
        return;
      case 'open':
        this.#discord.open(idOf(event.channel));
        return;
      case 'kill':
        this.#life.end = { ...event };
        return;
      case 'restart':
        await this.#end();
        await this.#open();
        return this.#settle();
      default:
        throw new Error(`Nothing does "${event.do}".`);
    }
  }

  /** Lets a minute pass, and polls: no two answers come at the same moment. */
  async #poll(feed: FeedName, how: 'whole' | 'error' | 'stale'): Promise<void> {
    await this.#minutes(1);
    if (how === 'whole') {
      const { items, says } = this.#shop.answer(feed, this.#clock.now());
      this.#say(`${feed}: ${items.map(itemLine).join('; ') || 'nothing'}`);
      this.#answer = items;
      this.#heard = { key: 'resource:', take: () => this.#serve(says) };
    } else {
      this.#say(`${feed}: ${how}`);
      this.#answer = how;
    }
    await this.#bot?.poller.poll(`feed:${feed}`, 'announcement').catch(() => undefined);
    if (this.#heard) this.#say('(the bot was killed before it could store that)');
    this.#heard = null;
    this.#answer = null;
    await this.#settle();
    // Doubts are asked about right after an answer.
    await this.#tick();
  }

  async #minutes(minutes: number): Promise<void> {
    await this.#clock.advance(minutes * MINUTE_MS);
    await this.#settle();
    await this.#tick();
  }

  #serve(says: Answer<Entity>): void {
    this.#world.serve(says, this.#now());
    this.#promptness.answer(says, this.#clock.now());
  }

  async #tick(): Promise<void> {
    if (this.#shop.isMistaken || this.#quota < ENOUGH_REQUESTS) this.#promptness.forget();
    this.#world.pass(this.#now());
    await this.#bot?.poller.tick();
    this.#heard = null;
    await this.#settle();
    this.#compare();
    this.#time();
  }

  /** What is new is believed as soon as the offer itself says the same, which it is asked soon. */
  #time(): void {
    const nowMs = this.#clock.now();
    const isBelieved: Parameters<Promptness['late']>[1] = (id, { isSoldOut, price, product }) => {
      const { offer } = this.#bot?.offers.get(id) ?? {};
      const isPriced = (offer?.salePrice?.minimum ?? Number.NaN) === price || Number.isNaN(price);
      return offer?.isSoldOut === isSoldOut && isPriced && offer.title === product;
    };
    for (const id of this.#promptness.late((one) => this.#shop.itself(one, nowMs), isBelieved, nowMs)) {
      this.#say(`    ✗ ${nameOf(id)} is not believed`);
      this.#wrong.push({ is: 'late', channel: idOf(0), url: id, why: 'not believed, although it says so itself' });
    }
  }

  /** Compares what is believed of offers, as everything shows them, with what the answers make believed. */
  #compare(): void {
    for (const known of this.#bot?.offers.all() ?? []) {
      const { offer, feeds } = known;
      // Whether a feed that has dropped an offer and shows it again is believed is open.
      const isShown = Object.values(feeds).every(
        ({ unseenSinceMs, goneSinceMs }) => (unseenSinceMs ?? goneSinceMs) === null,
      );
      if (!isShown) continue;
      const { id, url, isSoldOut, salePrice, title: product } = offer;
      const price = salePrice?.minimum ?? Number.NaN;
      if (this.#isWrong.has(id) || this.#world.mayBe(id, { isSoldOut, price, product })) continue;
      this.#isWrong.add(id);
      const why = `believed to be ${product}, $${price}${isSoldOut ? ', sold out' : ''}`;
      this.#say(`    ✗ ${nameOf(id)} is ${why}`);
      this.#wrong.push({ is: 'untrue', channel: idOf(0), url, why });
    }
  }

  async #pass(minutes: number): Promise<void> {
    const { stepMinutes = 1 } = STEPS.find(({ fromMinutes }) => minutes >= fromMinutes) ?? {};
    for (let passed = 0; passed < minutes; passed += stepMinutes) await this.#minutes(stepMinutes);
  }

  async #follow(channel: number, wish: Wish): Promise<void> {
    if (this.#subscriptions.has(channel)) return;
    this.#made += 1;
    const subscription = subscriptionOf(`s${this.#made}`, idOf(channel), wish, this.#clock.now());
    this.#subscriptions.set(channel, subscription);
    await this.#store((store) => store.subscriptions.save(subscription));
    this.#world.follow(wantOf(subscription, wish));
  }

  async #watch({ person, offer, wish }: Extract<Event, { do: 'watch' }>): Promise<void> {
    const offerId = idOfOffer(offer);
    const known = this.#bot?.offers.get(offerId)?.offer;
    if (this.#subscriptions.has(person) || !known || !WATCH_FOR) return;
    const { aim, timing } = wish;
    const below = aim === 'price' ? wish.below : null;
    const pacing = { ...USUAL_PACING_OF_PERSON, timing: timingOf(USUAL_PACING_OF_PERSON.timing, timing) };
    const placed = { id: String(person), channelId: idOf(person), locale: 'en-US', usedAtMs: this.#clock.now() };
    const record: Person = { ...placed, ...pacing, closed: null, shownWaiting: null };
    this.#people.set(record.channelId, record.id);
    // What is known of them stays, as where a command asks for it.
    await this.#store(({ people }) =>
      people.save(record.id, { ...record, closed: people.get(record.id)?.closed ?? null }),
    );
    await this.#store(() => WATCH_FOR.run({ offerId, aim, below }, this.#requestOf(record.id)));
    const [made] = this.#bot?.store.subscriptions.ofGuild(placeOfPerson(record.id)) ?? [];
    if (!made) throw new Error('The watch was not made.');
    this.#subscriptions.set(person, made);
    const dueAtMs = (botMs: number) => CLOCKS.dueAtMs(pacing.timing, botMs);
    const watch = { channel: idOf(person), offerId, product: known.title, aim, below: below ?? Infinity, dueAtMs };
    this.#world.watch(watch, this.#now());
    await this.#settle();
  }

  /** As the button does in the answer that says that messages wait. */
  async #askForMessages(channelId: string, personId: string): Promise<void> {
    await this.#store(({ people }) =>
      people.update(personId, (person) => ({ ...person, closed: person.closed && { ...person.closed, retryAtMs: 0 } })),
    );
    this.#bot?.deliverer.retry(channelId);
    this.#bot?.deliverer.kick();
    await this.#settle();
  }

  /** What a person asks the bot for. */
  #requestOf(personId: string): Request {
    if (!this.#bot) throw new Error('The bot does not run.');
    const { store, offers, deliverer } = this.#bot;
    const { subscriptions, deliveries, people, transact, postingPause } = store;
    const services = {
      subscriptions,
      deliveries,
      people,
      transact,
      postingPause,
      offers,
      deliverer,
      feeds: ['Home'],
      clock: this.#clock,
    };
    const cardContext = { translator: translatorFor('en-US'), nowMs: this.#clock.now() };
    return { person: { id: personId }, locale: 'en-US', services, cardContext } as unknown as Request;
  }

  async #leave(channel: number): Promise<void> {
    const subscription = this.#subscriptions.get(channel);
    if (!subscription) return;
    this.#subscriptions.delete(channel);
    await this.#store((store) => store.subscriptions.remove(subscription.id));
    this.#world.leave(idOf(channel));
    await this.#settle();
  }

  /** Stores what a person wants, who tries again where the bot is killed meanwhile. */
  async #store(write: (store: Records) => Promise<unknown>): Promise<void> {
    do {
      if (this.#life.isOver) await this.#reopen();
      await (this.#bot && write(this.#bot.store).catch(() => undefined));
    } while (this.#life.isOver);
  }

  async #open(): Promise<void> {
    const onStored = (keys: Iterable<string>) => {
      const { key, take } = this.#heard ?? {};
      if (key === undefined || ![...keys].some((stored) => stored.startsWith(key))) return;
      this.#heard = null;
      take?.();
    };
    this.#life = { isOver: false, onStored, end: null };
    this.#promptness.forget();
    const log = createLog('silent');
    const store = await openRecords(
      new State(this.#memory.backend(this.#life), { log }),
      this.#clock,
      recordsOf(FEATURES),
    );
    const courier = this.#discord.courier(this.#life);
    const catalog = createCatalog(
      { nextAnswer: () => this.#answer, offers: (ids) => this.#ask(ids), quota: () => this.#quota },
      this.#clock,
      log,
    );
    const around = { catalog, courier, clock: this.#clock, minIntervalMs: DAYS * 86_400_000, mentions: MENTIONED };
    this.#bot = await assembleBot(store, around, log);
    this.#bot.deliverer.kick();
  }

  async #end(): Promise<void> {
    const ending = this.#bot?.stop();
    this.#bot = null;
    await ending;
    this.#life.isOver = true;
  }

  async #reopen(): Promise<void> {
    const { downMinutes = 0 } = this.#life.end ?? {};
    await this.#end();
    await this.#clock.advance(downMinutes * MINUTE_MS);
    this.#say('the bot was killed, and starts again');
    await this.#open();
  }

  /** Lets all work come to its end or to a wait, and shows the world what has come of it. */
  async #settle(): Promise<void> {
    for (;;) {
      await this.#rest();
      this.#look();
      if (!this.#life.isOver) return;
      await this.#reopen();
    }
  }

  async #rest(): Promise<void> {
    let turns = 0;
    for (let calm = 0; calm < CALM_TURNS; calm += 1) {
      const asked = this.#memory.questions + this.#discord.requests;
      await setImmediate();
      turns += 1;
      if (turns > MOST_TURNS) throw new Error('The work goes in circles.');
      if (this.#memory.questions + this.#discord.requests > asked) calm = -1;
    }
  }

  #look(): void {
    for (const { kind, channelId, messageId, card, at } of this.#discord.sights.splice(0)) {
      if (kind === 'publication' || kind === 'reply') {
        const rung = this.#discord.messages.find((one) => one.messageId === messageId)?.rung.join(', ');
        this.#say(`    → #${Number(channelId) - 100} ${kind === 'reply' ? `rings ${rung}` : 'published'}`);
        continue;
      }
      const posted = readPost(card);
      this.#world.show(channelId, posted, at);
      this.#say(`    → #${Number(channelId) - 100} ${kind}: ${textOf(card)}`);
      if (kind === 'edit') continue;
      this.#world.channel(channelId).post(posted, at.trueMs);
      const { id, mentioned, isPublished = false, timing } = this.#subscriptions.get(Number(channelId) - 100) ?? {};
      const ringsForAll = mentioned?.some((one) => typeof one !== 'string' && one.filter === '');
      this.#owes.set(messageId, { isPublished, roleId: id !== undefined && ringsForAll ? roleOf(id) : undefined });
      if (timing) this.#quiet.push(...inQuietHours(channelId, [at.botMs], [timing], CLOCKS));
    }
  }

  /** The bot asks for offers themselves. */
  #ask(ids: readonly string[]): unknown[] {
    const asked = this.#shop.ask(ids, this.#clock.now());
    const lines = asked?.offers.map((offer) => toldLine(offer as Record<string, unknown>)) ?? ['error'];
    this.#say(`asked of ${ids.map(nameOf).join(', ')}: ${lines.join('; ') || 'nothing'}`);
    if (asked === null) throw new CatalogHttpError('The catalog does not answer.', 503);
    this.#heard = { key: 'offer:', take: () => this.#world.ask(asked.says, this.#now()) };
    return asked.offers;
  }
}

function subscriptionOf(id: string, channelId: string, wish: Wish, createdAtMs: number): Subscription {
  const filter = [
    wish.below === null ? '' : `price:<${wish.below}`,
    wish.category === null ? '' : `category:${wish.category}`,
  ].filter(Boolean);
  const made = newSubscription({
    id,
    guildId: '1',
    channelId,
    source: { kind: 'feed', feed: wish.feed },
    createdBy: '100',
    createdAtMs,
    catchUp: 0,
  });
  return {
    ...made,
    ...(wish.rings !== undefined && { mentioned: [{ roleId: roleOf(id), filter: wish.rings }] }),
    isPublished: wish.isPublished === true,
    kinds: [...wish.kinds],
    priceDropPercent: wish.leastDrop,
    mostPerHour: wish.mostPerHour,
    filter: filter.join(' '),
    timing: timingOf(made.timing, wish.timing),
  };
}

function timingOf(usual: Subscription['timing'], timing: Wish['timing']): Subscription['timing'] {
  const quiet = timing === 'quiet for hours' ? QUIET : null;
  return { ...usual, mode: timing === 'hourly' ? 'hourly' : 'at-once', quiet };
}

function wantOf({ channelId, timing }: Subscription, { feed, kinds, leastDrop, below, category }: Wish): Want<Entity> {
  const asks = new Set([...(below === null ? [] : ['price']), ...(category === null ? [] : ['categories'])]);
  return {
    channel: channelId,
    follows: { resource: feed },
    kinds: [...new Set(kinds.flatMap((kind) => NEWS_KINDS[kind] ?? []))],
    leastDrop,
    hasExamples: false,
    wants: ({ price, facts }) =>
      (below === null || price < below) &&
      (category === null || (facts?.['categories'] as string[] | null)?.includes(category) === true),
    asks,
    dueAtMs: (botMs) => CLOCKS.dueAtMs(timing, botMs),
  };
}

/** The role that a subscription rings. */
const roleOf = (subscriptionId: string) => `9${subscriptionId.slice(1)}`;

const nameOf = (id: string) => offerName(Number(id.slice(-12)));

/** What an offer says of itself on the wire, in a few words. */
function toldLine({ Id, Title, IsSoldOut, IsOfferLiveNow, Items }: Record<string, unknown>): string {
  const said = `${String(Title).replace('Kettle number ', 'product ')} $${(Items as { SalePrice: number | null }[])[0]?.SalePrice}`;
  return `${nameOf(String(Id))} ${said} sold out: ${String(IsSoldOut)}${IsOfferLiveNow === true ? '' : ' not live'}`;
}

/** An item on the wire in a few words. */
function itemLine(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { OfferId, Title, Url, SalePrice, IsSoldOut, EndDate, Categories } = item as Record<string, unknown>;
  const name = String(Url).split('/').at(-1);
  const price = (SalePrice as { Minimum?: number } | null)?.Minimum;
  const words = [
    `${name} ${price === undefined ? JSON.stringify(SalePrice) : `$${price}`}`,
    OfferId === undefined ? 'without an id' : '',
    Title === '' ? 'without a title' : String(Title).replace('Kettle number ', 'product '),
    IsSoldOut === false ? '' : IsSoldOut === true ? 'sold out' : `sold out: ${JSON.stringify(IsSoldOut)}`,
    EndDate === null ? '' : `ends ${JSON.stringify(EndDate)}`,
    JSON.stringify(Categories),
  ];
  return words.filter(Boolean).join(' ');
}

/** What a card says first. */
function textOf(card: { components: unknown }): string {
  const texts = JSON.stringify(card.components).match(/"content":"(?:[^"\\]|\\.)*"/g) ?? [];
  const text = texts.map((one) => JSON.parse(`{${one}}`).content as string).join(' | ');
  return text.replaceAll('\n', ' | ').slice(0, 160);
}
