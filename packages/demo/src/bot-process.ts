import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DemoTime } from '../../local-discord/src/index.ts';
import { BotEnded } from './endings.ts';
import type { BotPlan, BotSettings, FromBot, StartedBot, Supplement, ToBot } from './protocol.ts';

/** The time between the end of a bot that was killed and its next start. */
const RESTART_AFTER_MS = 3_000;

/** The state of the bot's process. */
export type BotState = 'starting' | 'running' | 'killed';

/** The bot's process, started again whenever it is killed. */
export interface BotProcess {
  /** Resolves when the bot runs for the first time; rejects with the reason when it ends before. */
  start(): Promise<StartedBot>;
  /** Resolves with the reason why the bot isn't started again: it has ended by itself, or what it needs can't be had. */
  readonly failed: Promise<Error>;
  state(): BotState;
  /** When a killed bot is started again: epoch milliseconds of the machine's clock; null while it is not dead. */
  restartsAtMs(): number | null;
  /** How often it was killed since the demo was started. */
  kills(): number;
  /** The address of the bot's health checks; null while it does not run. */
  health(): string | null;
  /** Kills the process at once, as a crash does (SIGKILL). */
  kill(): void;
  /** Starts a killed bot now; stops a running one and starts it again, with the present settings. */
  restart(): void;
  setTime(setting: DemoTime): void;
  /** Stops the process; it is not started again. */
  stop(): Promise<void>;
}

interface BotProcessOptions {
  /** The path of the built program, and its options. */
  program: string;
  args: readonly string[];
  /** Called at each start when the bot has read its settings. Returns its time; null for the machine's. */
  begin: (settings: BotSettings) => DemoTime | null;
  /** Called at each start when the bot holds its state: nothing else is started before. */
  complete: () => Promise<Supplement | undefined>;
  onPlan: (plan: BotPlan) => void;
  /** Called when the process is in another state. */
  onChange: () => void;
}

export function createBotProcess(options: BotProcessOptions): BotProcess {
  let child: ChildProcess | null = null;
  let state: BotState = 'starting';
  let health: string | null = null;
  let isStopping = false;
  let kills = 0;
  let isRestarting = false;
  let restartTimer: NodeJS.Timeout | undefined;
  let restartsAtMs: number | null = null;
  let onFirstStart: (started: StartedBot) => void = () => undefined;
  let fail: (reason: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });

  function change(next: BotState): void {
    state = next;
    if (next !== 'running') health = null;
    options.onChange();
  }

  function spawn(): void {
    clearTimeout(restartTimer);
    restartsAtMs = null;
    isRestarting = false;
    change('starting');
    child = forkBot({
      ...options,
      fail,
      onStarted(started) {
        health = started.health;
        change('running');
        onFirstStart(started);
      },
      onEnd(status) {
        child = null;
        if (isStopping) return;
        if (status) return fail(new BotEnded(status));
        change('killed');
        if (isRestarting) return spawn();
        kills += 1;
        restartsAtMs = Date.now() + RESTART_AFTER_MS;
        restartTimer = setTimeout(spawn, RESTART_AFTER_MS);
      },
    });
  }

  return {
    failed,
    start() {
      spawn();
      const running = new Promise<StartedBot>((resolve) => {
        onFirstStart = resolve;
      });
      return Promise.race([running, failed.then((reason) => Promise.reject(reason))]);
    },
    state: () => state,
    restartsAtMs: () => restartsAtMs,
    kills: () => kills,
    health: () => health,
    kill: () => void child?.kill('SIGKILL'),
    restart() {
      isRestarting = true;
      if (child) send(child, { type: 'stop' });
      else spawn();
    },
    setTime(setting) {
      if (child) send(child, { type: 'time', time: timeOf(setting) });
    },
    async stop() {
      isStopping = true;
      clearTimeout(restartTimer);
      const running = child;
      if (!running) return;
      const ended = once(running, 'exit');
      send(running, { type: 'stop' });
      await ended;
    },
  };
}

const timeOf = ({ realMs, demoMs, speed }: DemoTime) => ({ realMs, botMs: demoMs, speed });

function send(to: ChildProcess, message: ToBot): void {
  // It may end at any moment; its exit is what counts.
  if (to.connected) to.send(message, () => undefined);
}

interface BotLife extends Omit<BotProcessOptions, 'onChange'> {
  onStarted: (started: StartedBot) => void;
  /** @param status its exit status; null where it was killed */
  onEnd: (status: number | null) => void;
  /** Takes the reason why the bot can't be given what it asks for. */
  fail: (reason: Error) => void;
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

/** One life of the bot. */
function forkBot({ program, args, begin, complete, onPlan, onStarted, onEnd, fail }: BotLife): ChildProcess {
  const child = fork(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

  async function answer(from: FromBot): Promise<void> {
    switch (from.type) {
      case 'settings': {
        const time = begin(from.settings);
        return send(child, { type: 'begin', time: time && timeOf(time) });
      }
      case 'holds-state': {
        const supplement = await complete();
        return supplement && send(child, { type: 'complete', ...supplement });
      }
      case 'started':
        return onStarted(from.started);
      case 'plan':
        return onPlan(from.plan);
    }
  }

  child.on('message', (message) => void answer(message as FromBot).catch((error: unknown) => fail(asError(error))));
  child.on('error', fail);
  child.on('exit', onEnd);
  return child;
}
