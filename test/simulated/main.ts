// Lives through a week, or a year, on a clock of its own, and tells what came of it.
// Usage: npm run week -- [--seed S] [--days N] [--offers N] [--subscriptions N]; npm run year
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { namesIn } from '../helpers/event-counts.ts';
import { EVENT_NAMES, EVENTS } from './events.ts';
import { liveAWeek } from './week.ts';
import { liveAYear } from './year.ts';

const HELP = `Usage: npm run week -- [options], or npm run year

A week: what is posted is compared with what the catalog's answers and the subscriptions ask for, computed a second time in
another way. Exit status 1 on anything that was lost, posted twice, not asked for, at a quiet hour or more than an hour's most, on
a post that was changed to say that its offer is over while it is not, on a closed channel that was asked too often, on a return or an
end that is not believed at its feed's second answer, on a return that is not believed although the offer itself tells of it, and on an
event that never happened.

  --seed S            what chance is drawn from (default 1)
  --days N            default 7
  --offers N          about so many are live at a time (default 12400)
  --subscriptions N   default 2000
  --events E          what goes wrong, separated by commas: all of it (default), none, or some of
${EVENT_NAMES.map((name) => `                        ${name.padEnd(10)} ${EVENTS[name]}`).join('\n')}
  --help              this text

A year: the rows of each table and the size of the state's file, month by month. Exit status 1 where they go on growing.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '7' },
    offers: { type: 'string', default: '12400' },
    subscriptions: { type: 'string', default: '2000' },
    events: { type: 'string', default: 'all' },
    help: { type: 'boolean' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const [seed, days, offers, subscriptions] = [values.seed, values.days, values.offers, values.subscriptions].map(Number);
const events = namesIn(values.events, EVENT_NAMES);
if (values.help || !seed || !days || !offers || !subscriptions || !events) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const folder = mkdtempSync(join(tmpdir(), 'dealbell-simulated-'));
const path = join(folder, 'bot.sqlite');
const problems = positionals.includes('year')
  ? await liveAYear(path, say)
  : await liveAWeek({ seed, days, offers, subscriptions, events, stateUrl: `sqlite://${path}`, say });
for (const problem of problems) say(problem);
say(problems.length === 0 ? 'All is well.' : `${problems.length} problems.`);
rmSync(folder, { recursive: true, force: true });
process.exit(problems.length === 0 ? 0 : 1);
