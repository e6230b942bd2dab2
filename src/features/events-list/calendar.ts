import PQueue from 'p-queue';
import type { CurrentState } from '../../announcements/current-state.ts';
import type { Setting } from '../../deals/settings.ts';
import { ThingsAside } from '../../discord/bad-answers.ts';
import { timestamp } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { message } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { EVENTS_FULL, type Failure } from '../../discord/outcome.ts';
import { Pause } from '../../discord/pause.ts';
import type { PictureRenderer } from '../../discord/pictures/renderer.ts';
import type { BackOff } from '../../shared/backoff.ts';
import { type Clock, wallMsOf } from '../../shared/clock.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import { flatMapInTurns } from '../../shared/turns.ts';
import type { Records } from '../../store/store.ts';
import { type CalendarStep, type CalendarView, nextStep, reconcile } from './decide.ts';
import type { ScheduledEventRecord } from './records.ts';
import type { ScheduledEvents, ShownEvent } from './scheduled-events.ts';
import { type CalendarEvents, eventsOf, hasCalendar, WantedEvents } from './wanted.ts';

export interface CalendarParts {
  store: Records;
  currentState: Pick<CurrentState, 'seen' | 'toCome'>;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  scheduledEvents: ScheduledEvents;
  /** Why the bot can't put events into a server's list, by the gateway; null where it can. */
  lackIn: (guildId: string) => LocalizedText | null;
  /** The translator for a server's language. */
  translatorOf: (guildId: string) => Translator;
  pictures: Pick<PictureRenderer, 'render'>;
  clock: Clock;
  log: Log;
  /** Ends the work after the requests that are under way. */
  signal: AbortSignal;
  /** As for the deliverer: before it, a request of another process may still arrive. */
  clearFromMs?: number;
  /** As for the deliverer. */
  successes: () => number;
  /** Called with how each request ended. */
  onOutcome?: (request: CalendarStep['do'], outcome: string) => void;
}

/** What is known of a server's list besides the records. A restart forgets it, and the list is read again. */
interface Server {
  listedAtMs: number | null;
  surplus: readonly string[];
  /** The marks of entries of which Discord has answered that they don't exist or are over. */
  denied: Set<string>;
  /** By mark, until when what Discord refused isn't tried again: monotonic milliseconds. */
  refused: Map<string, number>;
  /** When the next request may be made. */
  pause: Pause;
  /** Until when no entry is made because the list is full: monotonic milliseconds. */
  fullUntilMs: number;
}

/** An entry that Discord keeps answering with an error. */
interface AsideEntry {
  guildId: string;
  /** The mark of its event, or Discord's id where it is one too many. */
  thing: string;
}

/** Posts leave in the same line: with so few requests under way, each of them waits at most for these. */
export const AT_ONCE = 2;
/** The requests for one server, after which others have their turn. */
export const MOST_AT_A_TIME = 30;
/** How long a refresh goes on. The next one begins with what is urgent by then. */
const LONGEST_MS = 50_000;
/** By the first of these, a request whose outcome is unknown has arrived or never will: discord.js gives up after 15 s. */
export const RETRY: BackOff = { firstMs: MINUTE_MS, factor: 2, longestMs: HOUR_MS };
export const REFUSED_MS = HOUR_MS;
export const FULL_MS = 15 * MINUTE_MS;
const SHOWN = -Infinity;

type Outcome = { kind: 'done' } | Failure;

/**
 * The entries that subscriptions put into their servers' own Events lists. Nothing waits in a queue: each refresh compares
 * what is to stand there with what does, and makes one request after another until it is so.
 */
export class Calendar {
  readonly #parts: CalendarParts;
  readonly #wanted: WantedEvents;
  readonly #servers = new Map<string, Server>();
  /** By an event's mark, when the first answer since the start came, where that lacked it; `SHOWN` where one has shown it. */
  readonly #lacking = new Map<string, number>();
  /** The entries that Discord answers badly, as `asideKey` names them. */
  readonly #aside: ThingsAside<AsideEntry>;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });

  constructor(parts: CalendarParts) {
    this.#parts = parts;
    this.#wanted = new WantedEvents(parts.settings);
    this.#aside = new ThingsAside(parts);
  }

  /** Brings all lists up to date that aren't. Resolves when nothing more can be done now. */
  async refresh(): Promise<void> {
    if (!this.#mayAsk()) return;
    const { store, currentState, clock } = this.#parts;
    const guildIds = new Set([
      ...store.subscriptions.all().flatMap((one) => (hasCalendar(one) ? [one.guildId] : [])),
      ...store.scheduledEvents.guildIds(),
    ]);
    for (const guildId of this.#servers.keys()) if (!guildIds.has(guildId)) this.#servers.delete(guildId);
    this.#noteLacking();
    const untilMs = clock.monotonicMs() + LONGEST_MS;
    const events = eventsOf(currentState, clock.now());
    const due = await flatMapInTurns(guildIds, (guildId) => this.#due(guildId, events), { clock });
    const [soon, later] = [due.filter(({ isUrgent }) => isUrgent), due.filter(({ isUrgent }) => !isUrgent)];
    await this.#queue.addAll(
      [...soon, ...later].map(
        ({ guildId }) =>
          () =>
            this.#bringUpToDate(guildId, untilMs),
      ),
    );
  }

  /** Tries a server again at once: the bot's permissions there may have grown. */
  retry(guildId: string): void {
    this.#servers.get(guildId)?.pause.endBlocked();
  }

  /** Why a server's list doesn't follow its subscriptions; null where it does, or nobody wants that. */
  troubleIn(guildId: string): LocalizedText | null {
    const { lackIn, clock } = this.#parts;
    const lack = lackIn(guildId);
    if (lack) return lack;
    const server = this.#servers.get(guildId);
    if (server?.pause.because === 'blocked') return message('calendar.notAllowed');
    if (server && clock.monotonicMs() < server.fullUntilMs) return message('calendar.full');
    return this.refusedIn(guildId);
  }

  /** Which event Discord doesn't take into a server's list, of several the one that is tried next; null for none. */
  refusedIn(guildId: string): LocalizedText | null {
    const refused = this.#refusedIn(guildId).flatMap(([mark, untilMs]) => {
      const title = this.#titleOf(mark);
      return title === null ? [] : [{ title, untilMs }];
    });
    const [first] = refused.toSorted((a, b) => a.untilMs - b.untilMs);
    if (!first) return null;
    return message('calendar.refused', { title: escapeLine(first.title), at: timestamp(first.untilMs, 'R') });
  }

  /** The entries of a server that are left alone for now, as `AsideEntry` names them, and until when: epoch milliseconds. */
  #refusedIn(guildId: string): [thing: string, untilMs: number][] {
    const { clock } = this.#parts;
    const refused = [...(this.#servers.get(guildId)?.refused ?? [])];
    const aside = this.#aside.all().filter(({ about }) => about.guildId === guildId);
    return [
      ...refused.map(([mark, untilMs]): [string, number] => [mark, wallMsOf(untilMs, clock)]),
      ...aside.map(({ about, againAtMs }): [string, number] => [about.thing, againAtMs]),
    ].filter(([, untilMs]) => untilMs > clock.now());
  }

  /** The title of a running or announced event; null where there is none. */
  #titleOf(mark: string): string | null {
    const { currentState, clock } = this.#parts;
    const event = eventsOf(currentState, clock.now())?.events.find((one) => one.mark === mark);
    return event ? event.announcement.item.title : null;
  }

  #mayAsk(): boolean {
    const { store, clock, signal, clearFromMs = 0 } = this.#parts;
    if (signal.aborted || store.postingPause.sinceMs() !== null) return false;
    return clock.monotonicMs() >= clearFromMs;
  }

  /**
   * Notes which entries' events the last answer lacks, of those that no answer has shown since the start. Of the others,
   * the current state says when they are gone.
   */
  #noteLacking(): void {
    const { store, currentState, clock } = this.#parts;
    const events = eventsOf(currentState, clock.now());
    if (!events) return;
    const { scheduledEvents } = store;
    const marks = new Set(
      scheduledEvents.guildIds().flatMap((guildId) => scheduledEvents.of(guildId).map(({ mark }) => mark)),
    );
    this.#aside.sweep();
    for (const mark of this.#lacking.keys()) if (!marks.has(mark)) this.#lacking.delete(mark);
    for (const mark of marks) {
      if (events.known.has(mark)) this.#lacking.set(mark, SHOWN);
      else if (!this.#lacking.has(mark)) this.#lacking.set(mark, events.fetchedAtMs);
    }
  }

  /** The server where something is to be done there; urgent is what corrects an entry that people see. */
  #due(guildId: string, events: CalendarEvents | null): { guildId: string; isUrgent: boolean }[] {
    const step = this.#stepFor(guildId, events);
    return step ? [{ guildId, isUrgent: step.do !== 'list' && step.do !== 'create' }] : [];
  }

  /** @param untilMs no request begins later: monotonic milliseconds */
  async #bringUpToDate(guildId: string, untilMs: number): Promise<void> {
    const { currentState, clock, log } = this.#parts;
    try {
      for (let made = 0; made < MOST_AT_A_TIME; made += 1) {
        const isInTime = clock.monotonicMs() <= untilMs;
        const step = isInTime && this.#mayAsk() ? this.#stepFor(guildId, eventsOf(currentState, clock.now())) : null;
        if (!step) return;
        await this.#make(guildId, step);
      }
    } catch (error) {
      // What was done and could not be recorded is found in the list.
      this.#serverOf(guildId).listedAtMs = null;
      log.error({ err: error, guild: guildId }, 'the Events list could not be brought up to date');
    }
  }

  #serverOf(guildId: string): Server {
    const server = this.#servers.get(guildId) ?? {
      listedAtMs: null,
      surplus: [],
      denied: new Set<string>(),
      refused: new Map<string, number>(),
      pause: new Pause(this.#parts.clock, RETRY),
      fullUntilMs: 0,
    };
    this.#servers.set(guildId, server);
    return server;
  }

  /** @param events null where they were not read since the start */
  #stepFor(guildId: string, events: CalendarEvents | null): CalendarStep | null {
    const { store, lackIn, clock } = this.#parts;
    const server = this.#serverOf(guildId);
    const records = store.scheduledEvents.of(guildId);
    const nowMs = clock.now();
    if (lackIn(guildId)) {
      // Nothing can be asked there. What has ended by itself meanwhile is not kept.
      const [ended] = records.filter(({ endMs }) => endMs <= nowMs);
      return ended ? { do: 'forget', record: ended } : null;
    }
    if (clock.now() < server.pause.untilMs) return null;
    const view = this.#viewOf(guildId, records, events);
    return view && nextStep(view, nowMs);
  }

  /** null where it isn't known what is wanted. */
  #viewOf(
    guildId: string,
    records: readonly ScheduledEventRecord[],
    events: CalendarEvents | null,
  ): CalendarView | null {
    const { store, translatorOf, clock } = this.#parts;
    const { listedAtMs, surplus, fullUntilMs } = this.#serverOf(guildId);
    const wishes = store.subscriptions.ofGuild(guildId).filter(hasCalendar);
    if (wishes.length > 0 && !events) return null;
    const wanted = events ? this.#wanted.of(events, wishes, records, translatorOf(guildId), clock.now()) : [];
    const unsure = records.filter(({ mark }) => wishes.length > 0 && this.#lacking.get(mark) === events?.fetchedAtMs);
    return {
      wanted,
      undecided: new Set(unsure.map(({ mark }) => mark)),
      records,
      surplus,
      refused: new Set(this.#refusedIn(guildId).map(([thing]) => thing)),
      isFull: clock.monotonicMs() < fullUntilMs,
      listedAtMs,
    };
  }

  async #make(guildId: string, step: CalendarStep): Promise<void> {
    if (step.do === 'forget') return this.#forget(step.record);
    const outcome = await this.#ask(guildId, step);
    this.#parts.onOutcome?.(step.do, outcome.kind);
    const server = this.#serverOf(guildId);
    // Everybody may read a list: that says nothing of what was refused before.
    if (outcome.kind === 'done' && step.do !== 'list') {
      server.pause.reset();
      const entry = thingOf(step);
      const wasAside = this.#aside.end(asideKey(guildId, entry), true);
      if (wasAside) this.#parts.log.info({ guild: guildId, entry }, 'Discord has taken it after all');
    }
    if (outcome.kind !== 'done') await this.#failed(guildId, server, step, outcome);
  }

  async #ask(guildId: string, step: Exclude<CalendarStep, { do: 'forget' }>): Promise<Outcome> {
    const { scheduledEvents } = this.#parts;
    switch (step.do) {
      case 'list':
        return this.#list(guildId);
      case 'create':
        return this.#create(guildId, step);
      case 'change':
        return this.#change(guildId, step);
      case 'begin': {
        const outcome = await scheduledEvents.begin(guildId, step.record.id);
        if (outcome.kind === 'done') await this.#save({ ...step.record, isBegun: true });
        return outcome;
      }
      case 'end':
      case 'remove': {
        const outcome = await scheduledEvents[step.do](guildId, step.record.id);
        if (outcome.kind !== 'done' && outcome.kind !== 'missing') return outcome;
        await this.#forget(step.record);
        return { kind: 'done' };
      }
      case 'remove-surplus': {
        const outcome = await scheduledEvents.remove(guildId, step.id);
        if (outcome.kind !== 'done' && outcome.kind !== 'missing') return outcome;
        const server = this.#serverOf(guildId);
        server.surplus = server.surplus.filter((id) => id !== step.id);
        return { kind: 'done' };
      }
    }
  }

  async #list(guildId: string): Promise<Outcome> {
    const { store, scheduledEvents, clock } = this.#parts;
    const outcome = await scheduledEvents.list(guildId);
    if (outcome.kind !== 'listed') return outcome;
    const server = this.#serverOf(guildId);
    const known = { records: store.scheduledEvents.of(guildId), events: outcome.events, denied: server.denied };
    const { changed, forgotten, surplus, contradicted } = reconcile(guildId, known, clock.now());
    await store.commit((changes) => {
      for (const record of forgotten) store.scheduledEvents.delete(changes, record);
      // One of these may take the place of one that is forgotten.
      for (const record of changed) store.scheduledEvents.set(changes, record);
    });
    for (const mark of contradicted) this.#refuse(server, mark);
    server.denied.clear();
    Object.assign(server, { surplus, listedAtMs: clock.now() });
    return { kind: 'done' };
  }

  async #create(guildId: string, step: Extract<CalendarStep, { do: 'create' }>): Promise<Outcome> {
    const { scheduledEvents, clock, log } = this.#parts;
    const { mark, wantedBy, startMs, endMs } = step;
    const shown = await this.#shownOf(guildId, mark);
    if (!shown) return { kind: 'done' };
    const { digest, ...face } = shown;
    const outcome = await scheduledEvents.create(guildId, { ...face, startMs, endMs });
    if (outcome.kind !== 'created') return outcome;
    const { id } = outcome;
    const madeAtMs = clock.now();
    const state = { isBegun: false, isDeclined: false, madeAtMs, changedAtMs: madeAtMs };
    await this.#save({ guildId, mark, id, digest, wantedBy, startMs, endMs, ...state });
    log.info({ guild: guildId, event: id, title: face.name }, 'put into the Events list');
    return { kind: 'done' };
  }

  async #change(guildId: string, step: Extract<CalendarStep, { do: 'change' }>): Promise<Outcome> {
    const { scheduledEvents, clock } = this.#parts;
    const { record, hasNewFace, startMs, endMs } = step;
    const shown = hasNewFace ? await this.#shownOf(guildId, record.mark) : null;
    const { digest, ...face } = shown ?? { digest: record.digest };
    const outcome = await scheduledEvents.change(guildId, record.id, {
      ...face,
      endMs,
      ...(startMs !== record.startMs && { startMs }),
    });
    const changedAtMs = shown ? clock.now() : record.changedAtMs;
    if (outcome.kind === 'done') await this.#save({ ...record, digest, startMs, endMs, changedAtMs });
    return outcome;
  }

  /** What an event's entry shows now; null where it is no longer wanted. */
  async #shownOf(guildId: string, mark: string): Promise<(ShownEvent & { digest: string }) | null> {
    const { currentState, translatorOf, pictures, clock, log } = this.#parts;
    const event = eventsOf(currentState, clock.now())?.events.find((one) => one.mark === mark);
    if (!event) return null;
    const { cover: svg, ...entry } = this.#wanted.entryOf(event, translatorOf(guildId));
    const cover = await pictures.render(svg).catch((error: unknown) => {
      log.warn({ err: error }, 'a picture for the Events list could not be made');
      return null;
    });
    return { ...entry, cover };
  }

  async #failed(guildId: string, server: Server, step: CalendarStep, failure: Failure): Promise<void> {
    const { clock, log, signal } = this.#parts;
    // What a stop has cut off is found in the list by the next process.
    if (signal.aborted) return;
    const thing = thingOf(step);
    const mark = step.do === 'remove-surplus' ? null : thing;
    const { kind: outcome, reason } = failure;
    if (outcome === 'missing' && mark !== null) {
      server.denied.add(mark);
      server.listedAtMs = null;
      return;
    }
    log.warn({ guild: guildId, request: step.do, outcome, reason }, 'the Events list is not up to date');
    if (outcome === 'refused') {
      // What runs by now can't begin, and what doesn't run can't end: the list tells.
      server.listedAtMs = null;
      if (step.do === 'end') await this.#save({ ...step.record, isBegun: false });
      else if (mark !== null) this.#refuse(server, mark);
      if (mark !== null) return;
    }
    if (reason === EVENTS_FULL.reason) {
      server.fullUntilMs = clock.monotonicMs() + FULL_MS;
      return;
    }
    if (outcome === 'unknown') {
      server.listedAtMs = null;
      if (thing !== null && this.#stepsAside(guildId, thing, failure)) {
        // By then the request has arrived or never will: the list shows it.
        server.pause.begin({ kind: 'later', afterMs: RETRY.firstMs });
        return;
      }
    }
    if (outcome === 'later') server.pause.begin(failure);
    else server.pause.begin({ kind: outcome === 'unknown' ? 'unknown' : 'blocked' });
  }

  /** Whether an unknown outcome is about one entry: Discord answers others well. It steps aside then. */
  #stepsAside(guildId: string, thing: string, { reason }: { reason: string }): boolean {
    const key = asideKey(guildId, thing);
    const { isAside, isFirst } = this.#aside.note(key, { guildId, thing }, false);
    if (isFirst) {
      const nextAt = new Date(this.#aside.againAtMs(key) ?? 0).toISOString();
      const about = { guild: guildId, entry: thing, title: this.#titleOf(thing), reason, nextAt };
      this.#parts.log.warn(about, 'Discord keeps answering an entry of the Events list with an error: others go first');
    }
    return isAside;
  }

  #refuse(server: Server, mark: string): void {
    server.refused.set(mark, this.#parts.clock.monotonicMs() + REFUSED_MS);
  }

  #save(record: ScheduledEventRecord): Promise<void> {
    const { store } = this.#parts;
    return store.commit((changes) => store.scheduledEvents.set(changes, record));
  }

  #forget(record: ScheduledEventRecord): Promise<void> {
    const { store } = this.#parts;
    return store.commit((changes) => store.scheduledEvents.delete(changes, record));
  }
}

/** The entry that a request is about, as `AsideEntry` names it; null where it is about the whole list. */
function thingOf(step: CalendarStep): string | null {
  if ('record' in step) return step.record.mark;
  if ('mark' in step) return step.mark;
  return 'id' in step ? step.id : null;
}

function asideKey(guildId: string, thing: string | null): string {
  return `${guildId}/${thing}`;
}
