// Kills the bot again and again while offers appear and everything around it misbehaves, and counts what arrived.
// Usage: npm run torture -- [--mode kills|steps|sale|demo] [--kills N] [--events E] [--processes N --backend postgres] [--seed S]
import { parseArgs } from 'node:util';
import { namesIn } from '../helpers/event-counts.ts';
import { openArena } from './arena.ts';
import { startDatabase } from './database.ts';
import { watchDemo } from './demo.ts';
import { EVENT_NAMES, EVENTS } from './events.ts';
import { killAtRandom } from './kills.ts';
import { processEvents, tortureProcesses } from './processes.ts';
import { killThroughSale } from './sale.ts';
import { killAtEachStep } from './steps.ts';

const MODES = ['kills', 'steps', 'sale', 'demo'];
const HELP = `Usage: npm run torture -- [options]

  --mode M    kills (default): killed at random moments, while requests, connections and answers break;
              steps: killed before and after every write and every HTTP call of a run, one after another;
              sale: the same, while a Deal-off of 40 items goes by with its live board and the server's Events list;
              demo: not killed: what npm start shows is watched for some minutes, ended, and watched again
  --kills N   how often the bot is killed in the mode kills (default 300)
  --minutes N how long the demo is watched before it is ended (default 10); after that for 3 more
  --events E  what happens beside the kills, separated by commas: all of it (default), none, or some of
${EVENT_NAMES.map((name) => `                ${name.padEnd(10)} ${EVENTS[name]}`).join('\n')}
              In the same run each happens at least once, how often is printed; more offers are added meanwhile
  --processes N --backend postgres
              N processes stand by for each other on a PostgreSQL of their own (it needs initdb and pg_ctl), their clocks 5 minutes
              apart, while so many events (--kills) happen to them:
${processEvents.map((line) => `                ${line}`).join('\n')}
              Each one happens alone at first; then those that last overlap. Where this machine permits network namespaces (Linux, as
              root), each process has one, as a host of its own; else the last three are left out. At the end comes a day with a
              quota that people's commands spend while leaders come and go
  --without-fence
              with --processes: takes out what keeps a former leader from writing and posting, so that the run has to fail
  --seed S    what chance is drawn from (default: the time; it is printed)
  --help      this text

Exit status 1, with the seed, on any announcement that was lost, posted twice or changed to say that its offer is over, on more
posts than an hour's or requests than a day's most, on a second process that does anything, and on an event that never happened, on a minute without a post in the demo's channel.

The same seed plays the same script, told in steps of each bot's life rather than in seconds: at which step it is killed, and
how long after that, at which steps offers appear and connections are closed, which of a channel's requests go wrong, how long
each outage lasts. What the bot does side by side comes in an order of its own: that is left to the machine.
`;

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'kills' },
    kills: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '10' },
    events: { type: 'string', default: 'all' },
    processes: { type: 'string', default: '1' },
    backend: { type: 'string', default: 'sqlite' },
    'without-fence': { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const kills = Number(values.kills);
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const events = namesIn(values.events, EVENT_NAMES);
const isCount = (value: number) => Number.isInteger(value) && value >= 0;
if (!events || !isCount(kills) || !isCount(seed) || !isCount(minutes) || !MODES.includes(values.mode)) {
  process.stderr.write(
    `--kills, --seed and --minutes take whole numbers, --mode and --events what stands here.\n\n${HELP}`,
  );
  process.exit(2);
}

if (values.mode === 'demo') {
  const silences = await watchDemo(minutes, say);
  for (const silence of silences) say(silence);
  say(silences.length === 0 ? 'The demo was never silent.' : 'The demo fell silent.');
  process.exit(silences.length === 0 ? 0 : 1);
}

const processes = Number(values.processes);
if (processes > 1) {
  if (values.backend !== 'postgres' || !isCount(processes)) {
    process.stderr.write(`--processes takes a whole number, and needs --backend postgres.\n`);
    process.exit(2);
  }
  process.exit(await runProcesses());
}

async function runProcesses(): Promise<number> {
  say(`${processes} processes on PostgreSQL, seed ${seed}.`);
  const hasFence = !values['without-fence'];
  const database = await startDatabase();
  const arena = await openArena(seed, say, database.stateUrl);
  const problems = await tortureProcesses(arena, database, { processes, events: kills, hasFence });
  for (const problem of problems) say(problem);
  await arena.close({ isKept: problems.length === 0 });
  await database.stop();
  say(`${problems.length} problems.`);
  return problems.length === 0 ? 0 : 1;
}

say(`Mode ${values.mode}, seed ${seed}.`);
const arena = await openArena(seed, say);
const problems = await {
  steps: () => killAtEachStep(arena),
  sale: () => killThroughSale(arena),
  kills: () => killAtRandom(arena, kills, events),
}[values.mode as 'steps' | 'sale' | 'kills']();
for (const problem of problems) say(problem);
const isKept = problems.length === 0;
await arena.close({ isKept });
if (!isKept) say(`The promise is broken. Repeat it with --mode ${values.mode} --seed ${seed}.`);
process.exit(isKept ? 0 : 1);
