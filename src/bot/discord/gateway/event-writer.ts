import {
  GatewayDispatchEvents as Event,
  type GatewayDispatchPayload,
  type GatewayReadyDispatchData,
} from 'discord-api-types/v10';
import PQueue from 'p-queue';
import { retry } from '../../../shared/backoff.ts';
import type { Clock } from '../../../shared/clock.ts';
import { StateInUseError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import type { GatewayEvent, GatewayWriter } from '../../../shared/storage/gateway-writer.ts';
import { type GuildState, guildAfter, guildIdOf } from './guild-state.ts';

/** Between two tries to write an event. */
const BACK_OFF = { firstMs: 1_000, factor: 1, longestMs: 1_000 };
/** Where this many events wait, commands are left out: nobody waits for their answers any more. */
const MOST_WAITING = 1_000;

export interface EventWriterParts {
  writer: Pick<GatewayWriter, 'write' | 'keepGuilds' | 'guild' | 'beat'>;
  clock: Clock;
  log: Log;
  /** Ends everything. */
  signal: AbortSignal;
  /** Called where another process has taken a shard over. */
  onLost: (error: StateInUseError) => void;
}

/** Writes down what shards receive, one event after another, however long the database is away. */
export class EventWriter {
  readonly #parts: EventWriterParts;
  /** One event at a time, so that they stand in the order in which they came. */
  readonly #writing = new PQueue({ concurrency: 1 });
  /** The number of the last event, by shard. */
  readonly #positions = new Map<number, number>();
  #ownId = '';

  constructor(parts: EventWriterParts) {
    this.#parts = parts;
  }

  /** Goes on after the last event of the shard's former holder. */
  continueAfter(shard: number, position: number): void {
    this.#positions.set(shard, position);
  }

  /** Writes an event that a shard has received. Commands go ahead: people wait for them, and nothing depends on them. */
  receive(shard: number, dispatch: GatewayDispatchPayload): void {
    const isCommand = dispatch.t === Event.InteractionCreate;
    if (isCommand && this.#writing.size >= MOST_WAITING) return;
    this.#enqueue(() => this.#relay(shard, dispatch), isCommand ? 1 : 0);
  }

  /** Writes whether a shard's connection stands. */
  turn(shard: number, isUp: boolean): void {
    this.#enqueue(() => this.#write(shard, { dispatch: null, isUp }));
  }

  /** Shows that this process lives. */
  beat(shards: readonly number[]): void {
    const { writer, log } = this.#parts;
    this.#enqueue(() =>
      writer.beat(shards).catch((error: unknown) => log.debug({ err: error }, 'no sign of life was given')),
    );
  }

  /** Resolves when all events so far are written. */
  written(): Promise<void> {
    return this.#writing.onIdle();
  }

  #enqueue(run: () => Promise<void>, priority = 0): void {
    const { log } = this.#parts;
    this.#writing
      .add(run, { priority })
      .catch((error: unknown) => log.error({ err: error }, 'a gateway event was lost'));
  }

  async #relay(shard: number, dispatch: GatewayDispatchPayload): Promise<void> {
    if (dispatch.t === Event.Ready) return this.#begin(shard, dispatch, dispatch.d);
    const guildId = guildIdOf(dispatch);
    if (guildId === null || dispatch.t === Event.InteractionCreate) return this.#write(shard, { dispatch });
    // A server that comes is told of whole.
    const known = dispatch.t === Event.GuildCreate ? null : await this.#retry(() => this.#parts.writer.guild(guildId));
    const before = known as GuildState | null;
    const data = guildAfter(before, dispatch, this.#ownId);
    await this.#write(shard, {
      dispatch: dispatch.t === Event.GuildCreate ? { ...dispatch, d: data } : dispatch,
      ...(data !== before && { guild: { id: guildId, data } }),
    });
  }

  /** A session begins: Discord tells again which servers there are, and then each of them. */
  async #begin(shard: number, dispatch: GatewayDispatchPayload, data: GatewayReadyDispatchData): Promise<void> {
    const { guilds, ...ready } = data;
    this.#ownId = ready.user.id;
    const ids = guilds.map(({ id }) => id);
    await this.#retry(() => this.#parts.writer.keepGuilds(shard, ids));
    await this.#write(shard, { dispatch, ready, isUp: true });
  }

  async #write(shard: number, event: GatewayEvent): Promise<void> {
    const position = (this.#positions.get(shard) ?? 0) + 1;
    this.#positions.set(shard, position);
    await this.#retry(() => this.#parts.writer.write(shard, position, event));
  }

  /** Tries until it succeeds. Resolves with null where it is in vain: this process has to stop. */
  async #retry<T>(attempt: () => Promise<T>): Promise<T | null> {
    const { clock, log, signal, onLost } = this.#parts;
    const onFailure = (error: unknown) => {
      if (error instanceof StateInUseError) throw error;
      log.warn({ err: error }, 'a gateway event could not be written');
      return 0;
    };
    try {
      return await retry(attempt, { ...BACK_OFF, clock, signal, onFailure });
    } catch (error) {
      if (error instanceof StateInUseError) onLost(error);
      return null;
    }
  }
}
