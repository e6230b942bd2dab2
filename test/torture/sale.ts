import { uuid } from '../helpers/things.ts';
import { isAnnouncement, readBoard, readPost } from '../model/reading.ts';
import { World } from '../model/world.ts';
import { type Arena, until } from './arena.ts';
import type { Bot } from './bot-process.ts';
import { lineOf } from './tally.ts';

const CHANNEL = 'deals';
const TITLE = 'Big sale';
const ITEMS = 40;
/** The percentages left of an item, one after the other; then comes the next item, and after the last one none. */
const LEFT = [80, 30, 4] as const;
const CHANGES = ITEMS * LEFT.length;
/** An announced event stands in the catalog for so many changes; then it is gone, and another one is announced. */
const CHANGES_OF_ANNOUNCED = 5;
/** Longer than an answer of the catalog counts as fresh. */
const LOOK_EVERY_MS = 61_000;
const OUTAGE_MS = 2 * 60_000;
const DAY_MS = 86_400_000;
/** A board is true so long after a poll. */
const TRUE_WITHIN_MS = 10_000;
/** An event is announced when a second answer shows it, and gone when a second one lacks it: both may begin anew with a start. */
const MOST_LOOKS = 4;
const LOOKS_OF_LIFE = 2;
/** No life takes that many; where one does, its steps do not come to an end. */
const MOST_STEPS = 1_000;

/** The catalog after a change, and the server's Events list as it has to be then. */
interface Shown {
  events: object[];
  onSale: Map<string, number>;
  /** The names in the server's Events list. */
  listed: string[];
}

const NOTHING: Shown = { events: [], onSale: new Map(), listed: [] };

function shownAfter(change: number, startMs: number): Shown {
  const item = Math.floor(change / LEFT.length) + 1;
  const left = LEFT[change % LEFT.length] ?? 0;
  const announced = Math.floor(change / CHANGES_OF_ANNOUNCED) + 1;
  const title = `Item ${item}`;
  const offer = {
    Id: uuid(1_000 + item),
    Title: title,
    Url: `https://www.example.com/offers/${item}`,
    Items: [{ Id: uuid(2_000 + item), SalePrice: 30, ListPrice: 60, PurchaseLimit: 3, Attributes: [] }],
    Photos: [],
    ShippingMethods: [],
    PercentageRemaining: left,
    SoldOut: false,
  };
  const offers = change < CHANGES ? [offer] : [];
  const common = { Site: 'www.example.com', Subtitle: null };
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    events: [
      { ...common, Type: 'DealOff', Id: uuid(1), Title: TITLE, StartDate: at(startMs), EndDate: null, Offers: offers },
      {
        ...common,
        Type: 'Daily',
        Id: uuid(100 + announced),
        Title: `Next ${announced}`,
        StartDate: at(startMs + 30 * DAY_MS),
        EndDate: at(startMs + 31 * DAY_MS),
        Offers: [],
      },
    ],
    onSale: new Map(offers.map(() => [title, left])),
    listed: [TITLE, `Next ${announced}`],
  };
}

/** Compares the channel and the server's Events list with the catalog, while a Deal-off goes by in it. */
class Sale {
  readonly #arena: Arena;
  readonly #world = new World();
  readonly #channelId: string;
  readonly #boards: string[] = [];
  readonly #startMs: number;
  #change = -1;
  #shown: Shown = NOTHING;
  #before: Shown = NOTHING;
  /** The longest time from a poll to a board that is true: milliseconds. */
  slowestMs = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.#channelId = arena.discord.channel(CHANNEL).id;
    this.#startMs = arena.now();
    this.#world.follow({
      channel: CHANNEL,
      follows: { resource: 'events' },
      kinds: ['event'],
      leastDrop: 0,
      hasExamples: false,
      wants: () => true,
      dueAtMs: (nowMs) => nowMs,
    });
    this.#serve(false);
    arena.discord.onUpdate((update) => {
      if (update.type !== 'message' || update.message.channel_id !== this.#channelId) return;
      const { message } = update;
      if (!isAnnouncement(message) || this.#boards.includes(message.id)) return;
      this.#boards.push(message.id);
      const posted = readPost(message);
      const news = posted.news.map(({ kind }) => ({ url: TITLE, kind }));
      this.#world.channel(CHANNEL).post({ ...posted, news }, arena.now());
    });
  }

  #serve(isOn: boolean): void {
    const { now } = this.#arena;
    const sale = { first: 'event', product: null, isSoldOut: false, endsAtMs: Infinity, price: Number.NaN } as const;
    const entities = isOn ? [{ id: TITLE, url: TITLE, ...sale }] : [];
    this.#world.serve({ resource: 'events', entities }, { trueMs: now(), botMs: now() });
  }

  /** Whether all has been on sale. */
  get isThrough(): boolean {
    return this.#change >= CHANGES;
  }

  goOn(): void {
    if (this.isThrough) return;
    this.#change += 1;
    this.#before = this.#shown;
    this.#shown = shownAfter(this.#change, this.#startMs);
    this.#arena.shop.showEvents(this.#shown.events);
    if (this.#change === 0) this.#serve(true);
  }

  end(): void {
    this.#before = this.#shown;
    this.#shown = NOTHING;
    this.#arena.shop.showEvents([]);
  }

  /**
   * Compares the channel with the catalog. Returns a line for each problem.
   * @param isFirst whether only one answer has shown this: an item that it lacks may be there still
   */
  channelProblems(isFirst: boolean): string[] {
    const { discord } = this.#arena;
    const messages = discord.messages(this.#channelId).filter(isAnnouncement);
    const [message] = messages;
    if (!message || messages.length > 1) return [`${messages.length} boards stand in the channel.`];
    const { onSale, gone, isOver } = readBoard(message);
    const isOverNow = this.#shown.events.length === 0;
    if (isFirst && isOverNow) return [];
    if (isFirst)
      for (const title of this.#before.onSale.keys()) if (!this.#shown.onSale.has(title)) onSale.delete(title);
    const said = (items: ReadonlyMap<string, number>) =>
      [...items].map(([title, left]) => `${title} at ${left}%`).join(', ') || 'nothing';
    const pins = discord.pins(this.#channelId).map(({ id }) => id);
    const isPinned = pins.length === 1 && pins[0] === message.id;
    return [
      ...(said(onSale) === said(this.#shown.onSale)
        ? []
        : [`The board shows ${said(onSale)} instead of ${said(this.#shown.onSale)}.`]),
      ...[...gone].filter((title) => this.#shown.onSale.has(title)).map((title) => `The board shows ${title} as gone.`),
      ...(isOver === isOverNow ? [] : [`The board says ${isOver ? '' : 'not '}that it is over.`]),
      ...(isPinned === !isOverNow ? [] : [`These messages are pinned: ${pins.join(', ') || 'none'}.`]),
    ];
  }

  /** Compares the sum on the board with the items, at the end. */
  sumProblems(): string[] {
    const sum = `**${ITEMS} sold out**`;
    const stands = JSON.stringify(this.#arena.discord.messages(this.#channelId)).includes(sum);
    return stands ? [] : [`The board doesn't say ${sum} at its end.`];
  }

  /** Compares the server's Events list with the catalog. */
  listProblems(): string[] {
    const listed = this.#arena.discord.events().map(({ name }) => name);
    const said = (names: readonly string[]) => names.toSorted().join(', ') || 'nothing';
    if (said(listed) === said(this.#shown.listed)) return [];
    return [`The Events list shows ${said(listed)} instead of ${said(this.#shown.listed)}.`];
  }

  /** Compares the posts with the model: one may be lost, or doubled. */
  postProblems(): string[] {
    return this.#world.findings().map(lineOf);
  }

  /** A poll, what it makes due, and the work on the Events list. Resolves with whether the bot lives, and what is wrong. */
  async look(bot: Bot, isFirst: boolean): Promise<{ isAlive: boolean; problems: string[] }> {
    this.#arena.leap(LOOK_EVERY_MS);
    const looked = bot.saysNext('looked');
    bot.tell(`pass ${LOOK_EVERY_MS}`);
    if ((await looked) === undefined) return { isAlive: false, problems: [] };
    const startedMs = performance.now();
    const listed = bot.saysNext('looked');
    bot.tell('calendar');
    let problems: string[] = [];
    let hasEnded = false;
    void bot.ended.then(() => {
      hasEnded = true;
    });
    await until(async () => {
      problems = this.channelProblems(isFirst);
      return problems.length === 0 || hasEnded;
    }, AbortSignal.timeout(TRUE_WITHIN_MS));
    const trueAfterMs = performance.now() - startedMs;
    const isAlive = (await listed) !== undefined;
    if (isAlive) this.slowestMs = Math.max(this.slowestMs, trueAfterMs);
    return { isAlive, problems: isAlive ? problems : [] };
  }

  /** Looks until the Events list is as it should be; the board has to be so after each look. */
  async check(bot: Bot): Promise<string[]> {
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      const { isAlive, problems } = await this.look(bot, look === 1);
      if (!isAlive) return ['A bot that nobody has killed has ended, see its log.'];
      if (problems.length > 0) return problems;
      if (look >= 2 && this.listProblems().length === 0) return this.postProblems();
    }
    return this.listProblems();
  }
}

/**
 * Kills a bot at its first step, another one at its second, and so on until one comes through, while a Deal-off of 40 items goes
 * by: one channel has its live board, and the server's Events list shows it with what is announced. After each kill another bot
 * goes on, and all is compared with what the catalog shows. Resolves with a line for each problem.
 */
export async function killThroughSale(arena: Arena): Promise<string[]> {
  await arena.subscribe([
    { channel: CHANNEL, source: { kind: 'events', sites: [], types: [] }, isBoard: true, isInCalendar: true },
  ]);
  const sale = new Sale(arena);
  const lives = createLives(arena);
  const problems = (await killAtEachStep(lives, sale, arena.say)) ?? (await sellOut(lives, sale));
  await lives.end();
  arena.say(`${ITEMS} items: the slowest board was true ${Math.round(sale.slowestMs)} ms after its poll.`);
  return problems;
}

interface Lives {
  /** Kills the bot that lives, and starts another one some time later. @param killAt the step at which it ends; 0 for none */
  begin(killAt: number): Promise<Bot>;
  end(): Promise<void>;
}

function createLives(arena: Arena): Lives {
  let bot: Bot | null = null;
  return {
    async begin(killAt) {
      await bot?.kill();
      arena.leap(OUTAGE_MS);
      bot = arena.startBot({ environment: { TORTURE_RUN: 'clock', TORTURE_KILL_AT: String(killAt) } });
      await bot.started;
      return bot;
    },
    end: async () => bot?.kill(),
  };
}

/** Resolves with a line for each problem; with null once a bot has come through. */
async function killAtEachStep(lives: Lives, sale: Sale, say: Arena['say']): Promise<string[] | null> {
  for (let step = 1; step <= MOST_STEPS; step += 1) {
    sale.goOn();
    const bot = await lives.begin(step);
    const life = await live(bot, sale);
    const at = `Step ${step}: ${bot.said()}`;
    const problems = [...life.problems, ...(await sale.check(await lives.begin(0)))];
    if (problems.length > 0) return [at, ...problems];
    if (life.isThrough) {
      say(`Killed at each of ${step - 1} steps; then one came through.`);
      return null;
    }
    if (step % 25 === 0) say(at);
  }
  return [`No end after ${MOST_STEPS} steps.`];
}

/** Sells what is left, with a bot that nobody kills, to the end. Resolves with a line for each problem. */
async function sellOut(lives: Lives, sale: Sale): Promise<string[]> {
  const bot = await lives.begin(0);
  while (!sale.isThrough) {
    sale.goOn();
    const problems = await sale.check(bot);
    if (problems.length > 0) return problems;
  }
  sale.end();
  return [...(await sale.check(bot)), ...sale.sumProblems()];
}

/** Lets a bot look. Resolves with whether it comes through all looks of a life, and with what is wrong until it ends. */
async function live(bot: Bot, sale: Sale): Promise<{ isThrough: boolean; problems: string[] }> {
  const problems: string[] = [];
  for (let looks = 1; looks <= LOOKS_OF_LIFE; looks += 1) {
    const look = await sale.look(bot, looks === 1);
    problems.push(...look.problems);
    if (!look.isAlive) return { isThrough: false, problems };
  }
  return { isThrough: true, problems };
}
