import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askUntil, SERVERS, SUBSCRIPTIONS, withBot } from './discord-servers.ts';
import { formatCount, percentileOf, type Section } from './measure.ts';
import { startServer } from './servers.ts';

const OFFERS = 1_000;
/** Two of so many subscriptions get another filter. */
const EVERY = 5;
const CHANGED = (2 * SUBSCRIPTIONS) / EVERY;
const MOST_PLAN_SECONDS = 20;
const MOST_SLICE_MS = 250;
/** People notice a second; Discord waits for three. */
const LONGEST_ANSWER_MS = 1_000;

interface Run {
  /** Processor time of the operator's program, and the time that passed: seconds. */
  cpu: number;
  wall: number;
  /** The longest slice of the running bot meanwhile: ms. */
  slice: number;
  /** How long each command took that members gave meanwhile: ms. */
  answers: readonly number[];
}

/** Subscriptions as code, with a running bot in many servers, whose members go on giving commands. */
export async function benchSubscriptionFiles(): Promise<Section[]> {
  const catalog = await startServer('large-feeds', String(OFFERS));
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const file = join(folder, 'subscriptions.yaml');
  const runs = new Map<string, Run>();
  try {
    await withBot(SERVERS, catalog.origin, async ({ discord, bot, environment }) => {
      const measured = async (...args: readonly string[]): Promise<Run> => {
        await bot.longestSliceMs();
        const startMs = performance.now();
        let seconds = 0;
        const done = operate(environment, args).then((used) => {
          seconds = used;
        });
        const answers = await askUntil(done, discord);
        return { cpu: seconds, wall: (performance.now() - startMs) / 1000, slice: await bot.longestSliceMs(), answers };
      };
      runs.set('export', await measured('export', file));
      change(file);
      runs.set('plan', await measured('plan', file));
      runs.set('apply', await measured('apply', file, '--yes'));
    });
  } finally {
    catalog.stop();
    rmSync(folder, { recursive: true });
  }
  return [section(runs)];
}

/** Runs the operator's command. Resolves with the processor time that it has used: seconds. */
async function operate(environment: Readonly<Record<string, string>>, args: readonly string[]): Promise<number> {
  const program = fileURLToPath(new URL('../src/app/operator/operator.js', import.meta.url));
  const report = `process.once('exit', () => process.stderr.write('\\ncpu ' + process.cpuUsage().user + ' ' + process.cpuUsage().system))`;
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(report)}`, program, 'subscriptions', ...args],
    { env: { ...process.env, ...environment }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-10_000);
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`subscriptions ${args.join(' ')} has ended with ${status}: ${said}`);
  const [, user, system] = /cpu (\d+) (\d+)$/.exec(said) ?? [];
  return (Number(user) + Number(system)) / 1e6;
}

/** Gives two of five subscriptions another filter, as somebody's editor would. */
function change(file: string): void {
  let number = 0;
  const text = readFileSync(file, 'utf8').replaceAll(/^(\s+filter: ).*$/gm, (line, name: string) => {
    number += 1;
    return number % EVERY < 2 ? `${name}'price:<${1 + (number % 500)}'` : line;
  });
  writeFileSync(file, text);
}

function section(runs: ReadonlyMap<string, Run>): Section {
  const { plan, apply } = Object.fromEntries(runs);
  if (!plan || !apply) throw new Error('A command was not measured.');
  const longest = percentileOf(apply.answers, 1);
  return {
    title: 'Subscriptions as code',
    how: `\`npm run bench -- subscription-files\`. A bot that runs in ${formatCount(SERVERS)} servers with ${formatCount(SUBSCRIPTIONS)} subscriptions, on SQLite: they are exported, ${formatCount(CHANGED)} of them get another filter, and \`plan\` and \`apply\` take the file. Meanwhile, members give a command every 10 ms, whether or not the last one is answered. Processor time and time that passed of the operator’s program; the longest delay of the bot’s event loop; how long commands took. The machine’s load was ${loadavg()[0]?.toFixed(1)} at the end.`,
    head: ['command', 'processor, s', 'passed, s', 'bot’s longest slice, ms', 'commands', 'p99, ms', 'longest, ms'],
    rows: [...runs].map(([name, { cpu, wall, slice, answers }]) => [
      name,
      cpu.toFixed(1),
      wall.toFixed(1),
      slice.toFixed(0),
      formatCount(answers.length),
      percentileOf(answers, 0.99).toFixed(0),
      percentileOf(answers, 1).toFixed(0),
    ]),
    claims: [
      {
        promise: `\`plan\` takes at most ${MOST_PLAN_SECONDS} s of processor time`,
        measured: `${plan.cpu.toFixed(1)} s`,
        isKept: plan.cpu <= MOST_PLAN_SECONDS,
      },
      {
        promise: `\`apply\` costs the running bot no slice over ${MOST_SLICE_MS} ms`,
        measured: `${apply.slice.toFixed(0)} ms`,
        isKept: apply.slice <= MOST_SLICE_MS,
      },
      {
        promise: `Every command is answered within ${formatCount(LONGEST_ANSWER_MS)} ms meanwhile`,
        measured: `${longest.toFixed(0)} ms`,
        isKept: longest <= LONGEST_ANSWER_MS,
      },
    ],
  };
}
