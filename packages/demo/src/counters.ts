import { Patience } from '../../../test/model/patience.ts';
import { isAnnouncement, readPost } from '../../../test/model/reading.ts';
import { World } from '../../../test/model/world.ts';
import type { DemoCounters, PageMessage } from '../../local-discord/src/index.ts';
import type { Wanted, WantedEntity } from './wanted.ts';

/**
 * How long the bot may take for what is due, while nothing is in its way: milliseconds of real time. Discord takes about
 * one post a second in a channel.
 */
const ALLOWANCE = { withinMs: 20_000, forEachMs: 1_500 };
/** The least price drop that the demo's subscriptions announce: percent. */
const LEAST_DROP = 10;

/** Counts what is owed to a channel of the demo and what stands in it, by the model of the world. */
export class Counters {
  readonly #wanted: readonly Wanted[];
  readonly #channel: string;
  readonly #world = new World<WantedEntity>();
  readonly #patience: Patience;
  #nowMs = 0;
  #edits = 0;

  /** @param standing the messages that stood in the channel before @param wanted what is wanted there, one at least */
  constructor(standing: readonly PageMessage[], wanted: readonly Wanted[]) {
    this.#wanted = wanted;
    this.#channel = wanted[0]?.place ?? '';
    const channel = this.#world.channel(this.#channel);
    this.#patience = new Patience(channel, ALLOWANCE);
    for (const message of standing.filter(isAnnouncement)) channel.stood(readPost(message));
    this.#follow();
  }

  #follow(): void {
    for (const { place, path, dueAt } of this.#wanted) {
      this.#world.follow({
        channel: place,
        follows: { resource: path },
        kinds: ['new', 'drop', 'back', 'event', 'dealcast'],
        leastDrop: LEAST_DROP,
        hasExamples: true,
        wants: ({ isWanted }) => isWanted,
        dueAtMs: dueAt,
      });
    }
  }

  /** Takes a whole answer of the catalog. @param nowMs the demo's time, by which offers end */
  serve(path: string, text: string, nowMs: number): void {
    this.#nowMs = nowMs;
    for (const { path: resource, read } of this.#wanted) {
      if (resource !== path) continue;
      this.#world.serve({ resource, entities: read(text, nowMs) }, { trueMs: nowMs, botMs: nowMs });
    }
  }

  post(message: PageMessage): void {
    if (isAnnouncement(message)) this.#world.channel(this.#channel).post(readPost(message), this.#nowMs);
  }

  edit(message: PageMessage): void {
    if (isAnnouncement(message)) this.#edits += 1;
  }

  /** Nothing is owed to the channel, as it is gone: the first answers after its return are the first that it follows. */
  cancel(): void {
    this.#world.leave(this.#channel);
    this.#follow();
  }

  /**
   * Lets real time pass.
   * @param calmMs for how long of it nothing was in the bot's way; 0 where something was
   * @param nowMs the demo's time
   */
  pass(calmMs: number, nowMs: number): void {
    this.#nowMs = nowMs;
    this.#patience.pass(calmMs, nowMs);
  }

  counts(): Omit<DemoCounters, 'areSettingsChanged'> {
    const { posted, waiting, held, lost } = this.#patience.tally(this.#nowMs);
    const twice = this.#world.findings(this.#nowMs).filter(({ is }) => is === 'twice').length;
    return { owed: posted + waiting + lost, posted, waiting, held, twice, lost, edits: this.#edits };
  }
}
