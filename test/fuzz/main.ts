// Plays stories by chance on a clock of its own, and tells the shortest story of whatever goes wrong.
// Usage: npm run fuzz -- [--seeds N] [--seed S] [--steps N]
import { parseArgs } from 'node:util';
import { chanceStory } from './chance.ts';
import { shortestStory } from './failure.ts';
import { play } from './play.ts';

const HELP = `Usage: npm run fuzz -- [options]

A few feeds share offers, and each changes when it likes; answers are odd, missing or empty, those about the offers themselves
too, and these may be up to an hour old; channels and watches come and go, close and lose posts; the bot is killed, and down for
a while. What is posted is compared with what the rules of evidence ask for, and so is what is believed of offers, and how soon.
Exit status 1 on anything that was lost, late, posted twice, not asked for, posted in quiet hours, or is said of what is not so.

  --seeds N    stories to play (default 200)
  --seed S     only this one, told in full (the first of the stories is 1)
  --steps N    events of each (default 120)
  --help       this text
`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '120' },
    help: { type: 'boolean' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const [seeds, first, steps] = [values.seeds, values.seed ?? '1', values.steps].map(Number);
if (values.help || !seeds || !first || !steps) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const last = values.seed === undefined ? seeds : first;
const startedMs = performance.now();
let [failures, posts] = [0, 0];
for (let seed = first; seed <= last; seed += 1) {
  const story = chanceStory(seed, steps);
  const ending = await play(story);
  posts += ending.posts;
  if (ending.findings.length === 0) continue;
  failures += 1;
  const shortest = await shortestStory(story, ending);
  say(`\nSeed ${seed}, --steps ${steps}: ${shortest.events.length} of ${story.length} events are enough.`);
  for (const line of shortest.trace) say(`  ${line}`);
  for (const { is, channel, url, why } of shortest.findings)
    say(`  ✗ #${Number(channel) - 100} ${is}: ${url ?? ''} ${why}`);
}
const seconds = Math.round((performance.now() - startedMs) / 1000);
const stories = last - first + 1;
say(
  `\n${stories} stories of ${steps} events in ${seconds} s, ${posts} posts: ${failures === 0 ? 'all is well.' : `${failures} went wrong.`}`,
);
process.exit(failures === 0 ? 0 : 1);
