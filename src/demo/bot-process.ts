import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DemoTime } from '../../packages/local-discord/src/index.ts';
import type { Log } from '../shared/log.ts';
import { DemoFailure } from './failure.ts';
import { type BotPlanMessage, type FromBot, type Surroundings, TIME_VARIABLE, type ToBot } from './protocol.ts';

/** The time between the end of a bot that was killed and its next start. */
const RESTART_AFTER_MS = 3_000;

/** The state of the bot's process. */
export type BotState = 'starting' | 'running' | 'killed';

/** The bot's process, started again whenever it is killed. */
export interface BotProcess {
  /** Resolves when the bot runs for the first time; rejects with a `DemoFailure` when it ends before. */
  start(): Promise<void>;
  /** Resolves with the reason why the bot ended by itself: it is not started again. */
  readonly failed: Promise<DemoFailure>;
  state(): BotState;
  /** When a killed bot is started again: epoch milliseconds of the machine's clock; null while it is not dead. */
  restartsAtMs(): number | null;
  /** How often it was killed since the demo was started. */
  kills(): number;
  /** The address of the bot's health checks; null while it does not run. */
  health(): string | null;
  /** Kills the process at once, as a crash does (SIGKILL). */
  kill(): void;
  /** Starts a killed bot now; stops a running one and starts it again, with the present environment. */
  restart(): void;
  setTime(setting: DemoTime): void;
  /** Stops the process; it is not started again. */
  stop(): Promise<void>;
}

interface BotProcessOptions {
  /** The path of the built program. */
  program: string;
  log: Log;
  time: () => DemoTime;
  /** Further variables of its environment. */
  environment: () => Readonly<Record<string, string>>;
  onPlan: (plan: BotPlanMessage) => void;
  /** Called when the bot holds its state: only then anything else is started. */
  surroundings: () => Promise<Surroundings>;
  onChange: () => void;
}

export function createBotProcess(options: BotProcessOptions): BotProcess {
  const { onChange } = options;
  let child: ChildProcess | null = null;
  let state: BotState = 'starting';
  let health: string | null = null;
  let isStopping = false;
  let kills = 0;
  let isRestarting = false;
  let restartTimer: NodeJS.Timeout | undefined;
  let restartsAtMs: number | null = null;
  let onFirstStart = (): void => undefined;
  let fail: (failure: DemoFailure) => void = () => undefined;
  const failed = new Promise<DemoFailure>((resolve) => {
    fail = resolve;
  });

  function change(next: BotState): void {
    state = next;
    if (next !== 'running') health = null;
    onChange();
  }

  function spawn(): void {
    clearTimeout(restartTimer);
    restartsAtMs = null;
    isRestarting = false;
    change('starting');
    child = forkBot({
      ...options,
      onStarted(address) {
        health = address;
        change('running');
        onFirstStart();
      },
      onEnd(failure) {
        child = null;
        if (isStopping) return;
        if (failure) return fail(failure);
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
      const running = new Promise<void>((resolve) => {
        onFirstStart = resolve;
      });
      return Promise.race([running, failed.then((failure) => Promise.reject(failure))]);
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
      if (child) send(child, { type: 'time', setting });
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

function send(to: ChildProcess, message: ToBot): void {
  // It may end at any moment; its exit is what counts.
  if (to.connected) to.send(message, () => undefined);
}

interface BotLife extends Omit<BotProcessOptions, 'onChange'> {
  /** @param health the address of its health checks */
  onStarted: (health: string) => void;
  /** @param failure why it ended by itself; null where it was killed or stopped */
  onEnd: (failure: DemoFailure | null) => void;
}

/** One life of the bot. */
function forkBot(life: BotLife): ChildProcess {
  const { program, log, time, surroundings, environment, onPlan, onStarted, onEnd } = life;
  const env = { ...process.env, ...environment(), [TIME_VARIABLE]: JSON.stringify(time()) };
  const child = fork(program, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let failure: DemoFailure | null = null;

  function provide(): void {
    surroundings().then(
      (found) => send(child, { type: 'surroundings', surroundings: found }),
      // The demo reports its own failure; the bot has nothing to talk to.
      () => send(child, { type: 'stop' }),
    );
  }

  child.on('message', (message) => {
    const from = message as FromBot;
    if (from.type === 'failed') failure = new DemoFailure(from.message, from.exitStatus);
    else if (from.type === 'holds-state') provide();
    else if (from.type === 'plan') onPlan(from.plan);
    else onStarted(from.health);
  });
  child.on('error', (error) => log.error({ err: error }, "the bot's process could not be started"));
  child.on('exit', (status) => {
    onEnd(failure ?? (status ? new DemoFailure(`The bot ended with status ${status}.`, status) : null));
  });
  return child;
}
