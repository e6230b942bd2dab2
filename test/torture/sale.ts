import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { uuid } from '../helpers/things.ts';
import { type Board, isAnnouncement, readBoard, readPost } from '../model/reading.ts';
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
/** Longer than an answer of the catalog counts as fresh. */
const LOOK_EVERY_MS = 61_000;
const OUTAGE_MS = 2 * 60_000;
/** A board is true so long after a poll. */
const TRUE_WITHIN_MS = 10_000;
/** An event is announced when a second answer shows it, and gone when a second one lacks it: both may begin anew with a start. */
const MOST_LOOKS = 4;
const LOOKS_OF_LIFE = 2;
/** No life takes that many; where one does, its steps do not come to an end. */
const MOST_STEPS = 1_000;

/** The catalog after a change, and Discord as it has to be then. */
interface Shown {
  events: object[];
  /** The titles of the events that run, with what is on sale in each: percent, by item. */
  boards: Map<string, Map<string, number>>;
  /** The names in the server's Events list. */
  listed: string[];
}

const NOTHING: Shown = { events: [], boards: new Map(), listed: [] };

/**
 * Each change brings the next state of the Deal-off, another event beside it, in place of the one before, and another announced
 * one: so each life has to make, pin, edit, unpin and end boards, and to put events into the Events list and take them out.
 */
function shownAfter(change: number, startMs: number): Shown {
  const item = `Item ${Math.floor(change / LEFT.length) + 1}`;
  const [left = 0, isThrough] = [LEFT[change % LEFT.length], change >= CHANGES];
  const [running, announced] = [`Event ${change}`, `Next ${change}`];
  const common = { Site: 'www.example.com', Subtitle: null, EndDate: null, Offers: [] };
  const at = (ms: number) => new Date(ms).toISOString();
  const events = [
    {
      Type: 'DealOff',
      Id: uuid(1),
      Title: TITLE,
      StartDate: at(startMs),
      Offers: isThrough ? [] : [offerOf(item, left)],
    },
    { Type: 'Reckoning', Id: uuid(10_000 + change), Title: running, StartDate: at(startMs + change * MINUTE_MS) },
    { Type: 'Daily', Id: uuid(20_000 + change), Title: announced, StartDate: at(startMs + 30 * DAY_MS) },
  ];
  return {
    events: events.map((event) => ({ ...common, ...event })),
    boards: new Map([
      [TITLE, new Map(isThrough ? [] : [[item, left]])],
      [running, new Map()],
    ]),
    listed: [TITLE, running, announced],
  };
}

function offerOf(title: string, left: number): object {
  const number = Number(title.split(' ')[1]);
  return {
    Id: uuid(1_000 + number),
    Title: title,
    Url: `https://www.example.com/offers/${number}`,
    Items: [{ Id: uuid(2_000 + number), SalePrice: 30, ListPrice: 60, PurchaseLimit: 3, Attributes: [] }],
    Photos: [],
    ShippingMethods: [],
    PercentageRemaining: left,
    SoldOut: false,
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
    this.#serve();
    arena.discord.onUpdate((update) => {
      if (update.type !== 'message' || update.message.channel_id !== this.#channelId) return;
      const { message } = update;
      if (!isAnnouncement(message) || this.#boards.includes(message.id)) return;
      this.#boards.push(message.id);
      // One without offers has no address in it: events go by their titles here.
      const news = [{ url: readBoard(message).title, kind: 'event' }] as const;
      this.#world.channel(CHANNEL).post({ ...readPost(message), news: [...news] }, arena.now());
    });
  }

  #serve(): void {
    const { now } = this.#arena;
    const event = { first: 'event', product: null, isSoldOut: false, endsAtMs: Infinity, price: Number.NaN } as const;
    const entities = [...this.#shown.boards.keys()].map((title) => ({ id: title, url: title, ...event }));
    this.#world.serve({ resource: 'events', entities }, { trueMs: now(), botMs: now() });
  }

  /** Whether all has been on sale. */
  get isThrough(): boolean {
    return this.#change >= CHANGES;
  }

  goOn(): void {
    this.#change += 1;
    this.#show(shownAfter(this.#change, this.#startMs));
  }

  end(): void {
    this.#show(NOTHING);
  }

  #show(shown: Shown): void {
    this.#before = this.#shown;
    this.#shown = shown;
    this.#arena.shop.showEvents(shown.events);
    this.#serve();
  }

  /**
   * Compares the channel with the catalog. Returns a line for each problem.
   * @param isFirst whether only one answer has shown this: what it lacks may be there still
   */
  channelProblems(isFirst: boolean): string[] {
    const { discord } = this.#arena;
    const messages = discord.messages(this.#channelId).filter(isAnnouncement);
    const boards = messages.map((message) => ({ id: message.id, ...readBoard(message) }));
    const pins = new Set(discord.pins(this.#channelId).map(({ id }) => id));
    const mayLinger = (title: string) => isFirst && this.#before.boards.has(title) && !this.#shown.boards.has(title);
    const missing = [...this.#shown.boards.keys()].filter((title) => boards.every((board) => board.title !== title));
    return [
      ...missing.map((title) => `${title} has no board.`),
      ...boards.flatMap((board, place) => [
        ...(boards.findIndex(({ title }) => title === board.title) < place
          ? [`${board.title} has a second board.`]
          : []),
        ...(mayLinger(board.title) ? [] : this.#boardProblems(board, pins.has(board.id), isFirst)),
      ]),
    ];
  }

  #boardProblems({ title, onSale, gone, isOver }: Board, isPinned: boolean, isFirst: boolean): string[] {
    const wanted = this.#shown.boards.get(title);
    const isRunning = wanted !== undefined;
    const before = isFirst ? this.#before.boards.get(title) : undefined;
    const said = [...onSale].filter(([item]) => wanted?.has(item) || !before?.has(item));
    const text = (items: Iterable<[string, number]>) =>
      [...items].map(([item, left]) => `${item} at ${left}%`).join(', ');
    return [
      ...(text(said) === text(wanted ?? []) ? [] : [`${title} shows ${text(said)} instead of ${text(wanted ?? [])}.`]),
      ...[...gone].filter((item) => wanted?.has(item)).map((item) => `${title} shows ${item} as gone.`),
      ...(isOver === !isRunning ? [] : [`${title} says ${isOver ? '' : 'not '}that it is over.`]),
      ...(isPinned === isRunning ? [] : [`${title} is ${isPinned ? '' : 'not '}pinned.`]),
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
 * by, and other events come and go: one channel has their live boards, and the server's Events list shows them. After each kill another bot
 * goes on, and all is compared with what the catalog shows. Resolves with a line for each problem.
 */
export async function killThroughSale(arena: Arena): Promise<string[]> {
  await arena.subscribe([
    {
      channel: CHANNEL,
      source: { kind: 'events', sites: [], types: [] },
      flags: { isBoard: true, isInCalendar: true },
    },
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
