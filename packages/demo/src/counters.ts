import type { Finding } from '../../../test/model/channel.ts';
import { Patience } from '../../../test/model/patience.ts';
import { isAnnouncement, readPost } from '../../../test/model/reading.ts';
import { World } from '../../../test/model/world.ts';
import type { DemoCounters, PageMessage } from '../../local-discord/src/index.ts';
import { isDealOff, type Wanted, type WantedEntity } from './wanted.ts';

/**
 * How long the bot may take for what is due, while nothing is in its way: milliseconds of real time. Discord takes about
 * one post a second in a channel.
 */
const ALLOWANCE = { withinMs: 20_000, forEachMs: 1_500 };
/** The least price drop that the demo's subscriptions announce: percent. */
const LEAST_DROP = 10;
/** Most addresses that are remembered: those of hours. */
const MOST_REMEMBERED = 20_000;

/** The bot asks so for offers that are in doubt, and for those of which people want to know more. */
const OFFERS_THEMSELVES = /^\/(?:getoffers|offers\/)/;

/** The model's name for what is wanted of a path's answers. */
function resourceOf({ path, part = '' }: Wanted): string {
  return part === '' ? path : `${path} ${part}`;
}

/** Counts what is owed to a channel of the demo and what stands in it, by the model of the world. */
export class Counters {
  readonly #wanted: readonly Wanted[];
  readonly #channel: string;
  readonly #world = new World<WantedEntity>();
  readonly #patience: Patience;
  /** The addresses of what is followed here, and what each is of: other subscriptions may tell of more. */
  readonly #urls = new Map<string, string>();
  /** The addresses of what stood here before, of which nothing was posted since. */
  readonly #before = new Set<string>();
  /** Whether people have, or had, subscriptions of their own here. */
  #isOpenToAll = false;
  #isSkipped = false;
  #isLimited = false;
  #nowMs = 0;
  #edits = 0;

  /** @param standing the messages that stood in the channel before @param wanted what is wanted there, one at least */
  constructor(standing: readonly PageMessage[], wanted: readonly Wanted[]) {
    this.#wanted = wanted;
    this.#channel = wanted[0]?.place ?? '';
    const channel = this.#world.channel(this.#channel);
    this.#patience = new Patience(channel, ALLOWANCE);
    for (const post of standing.filter(isAnnouncement).map(readPost)) {
      channel.stood(post);
      for (const { url } of post.news) this.#before.add(url);
    }
    this.#follow();
  }

  #follow(): void {
    for (const wanted of this.#wanted) {
      const { place, dueAt } = wanted;
      this.#world.follow({
        channel: place,
        follows: { resource: resourceOf(wanted) },
        kinds: ['new', 'drop', 'back', 'event', 'dealcast'],
        leastDrop: LEAST_DROP,
        hasExamples: true,
        wants: ({ isWanted }) => isWanted,
        isSkipped: () => this.#isSkipped,
        dueAtMs: dueAt,
      });
    }
  }

  /** From now on any news may come of what is followed here, and has to be told once. */
  #allowAnything(): void {
    for (const wanted of this.#wanted) {
      this.#world.follow({
        channel: this.#channel,
        follows: { resource: resourceOf(wanted) },
        kinds: ['new', 'drop', 'back', 'low', 'ends', 'event', 'dealcast'],
        leastDrop: 0,
        hasExamples: true,
        wants: () => true,
        awaitsState: true,
        dueAtMs: (nowMs) => nowMs,
      });
    }
  }

  /**
   * Takes what people have made of the demo's subscriptions here.
   * @param isSkipped whether one of them is paused, removed or changed: what doesn't come meanwhile is skipped by choice
   * @param hasOthers whether there are others, which may announce anything
   * @param isLimited whether one of these allows fewer posts an hour, and so holds back all that waits here
   */
  setUp({ isSkipped, hasOthers, isLimited }: Record<'isSkipped' | 'hasOthers' | 'isLimited', boolean>): void {
    this.#isLimited = isLimited;
    if (isSkipped && !this.#isSkipped) this.#world.channel(this.#channel).skip();
    // The bot did not poll a source that nobody followed.
    if (!isSkipped && this.#isSkipped) this.#world.resume(this.#channel);
    this.#isSkipped = isSkipped;
    if (this.#isOpenToAll || !(isSkipped || hasOthers)) return;
    this.#isOpenToAll = true;
    this.#allowAnything();
  }

  /** Takes a whole answer of the catalog. @param nowMs the demo's time, by which offers end */
  serve(path: string, text: string, nowMs: number): void {
    this.#nowMs = nowMs;
    if (OFFERS_THEMSELVES.test(path)) {
      const offers = [JSON.parse(text)].flat() as { Id: string }[];
      this.#world.served(
        offers.map(({ Id }) => Id),
        { trueMs: nowMs, botMs: nowMs },
      );
    }
    for (const wanted of this.#wanted) {
      if (wanted.path !== path) continue;
      const entities = wanted.read(text, nowMs);
      for (const { url, addresses = [] } of entities) for (const each of [url, ...addresses]) this.#remember(each, url);
      this.#world.serve({ resource: resourceOf(wanted), entities }, { trueMs: nowMs, botMs: nowMs });
    }
  }

  post(message: PageMessage): void {
    if (!isAnnouncement(message)) return;
    const posted = readPost(message);
    const channel = this.#world.channel(this.#channel);
    const news = posted.news.flatMap(({ url: address, kind }) => {
      const url = this.#urls.get(address);
      const stoodBefore = this.#before.delete(address);
      if (url === undefined) return [];
      // Only the bot knows what it cost before the demo was started again, and whether it was in stock.
      const isOfChange = stoodBefore && kind !== 'new' && !channel.isOwedAbout(url);
      if (isOfChange) channel.stood({ ...posted, news: [{ url, kind }] });
      return isOfChange ? [] : [{ url, kind }];
    });
    channel.post({ ...posted, news }, this.#nowMs);
  }

  #remember(address: string, url: string): void {
    this.#urls.delete(address);
    this.#urls.set(address, url);
    for (const oldest of this.#urls.keys()) {
      if (this.#urls.size <= MOST_REMEMBERED) return;
      this.#urls.delete(oldest);
    }
  }

  edit(message: PageMessage): void {
    if (isAnnouncement(message)) this.#edits += 1;
  }

  /**
   * Nothing is owed to the channel, as it is gone: the first answers after its return are the first that it follows. A board that
   * stood in it is made again.
   */
  cancel(): void {
    this.#world.leave(this.#channel);
    for (const url of this.#urls.values()) if (isDealOff(url)) this.#world.channel(this.#channel).forgetTold(url);
    this.#follow();
    if (this.#isOpenToAll) this.#allowAnything();
  }

  /**
   * Lets real time pass.
   * @param calmMs for how long of it nothing was in the bot's way; 0 where something was
   * @param nowMs the demo's time
   */
  pass(calmMs: number, nowMs: number): void {
    this.#nowMs = nowMs;
    this.#patience.pass(this.#isLimited ? 0 : calmMs, nowMs);
  }

  /** The posts that count as second ones. */
  twice(): Finding[] {
    return this.#world.findings(this.#nowMs).filter(({ is }) => is === 'twice');
  }

  counts(): Omit<DemoCounters, 'skippedIn' | 'limitedIn'> {
    const { posted, waiting, held, skipped, lost } = this.#patience.tally(this.#nowMs);
    const twice = this.twice().length;
    return { owed: posted + waiting + lost, posted, waiting, held, skipped, twice, lost, edits: this.#edits };
  }
}
