// Waits until a running demo has posted in #deals so many minutes after its newest post, with its time sped up.
// Usage: node scripts/await-later-post.mjs ADDRESS MINUTES
import { setTimeout as sleep } from 'node:timers/promises';

const [address, minutes] = process.argv.slice(2);
const LOOK_EVERY_MS = 100;
const GIVE_UP_MS = 180_000;
const MINUTE_MS = 60_000;

/** The moments of the bot's posts in #deals by the demo's time, newest last: epoch milliseconds. */
async function postedAtMs() {
  const { channels, messages } = await (await fetch(`${address}/page/state`)).json();
  const posts = messages[channels.find(({ name }) => name === 'deals').id].filter(
    ({ author, interaction_metadata: answered }) => author.bot && !answered,
  );
  return posts.map(({ timestamp }) => Date.parse(timestamp));
}

async function runTime(to) {
  const answer = await fetch(`${address}/demo/actions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ do: 'time', to }),
  });
  if (!answer.ok) throw new Error(`The demo's time could not be set: ${answer.status} ${await answer.text()}`);
}

const [newestMs = 0] = (await postedAtMs()).slice(-1);
const wantedMs = newestMs + Number(minutes) * MINUTE_MS;
await runTime('fast');
for (const startedMs = Date.now(); Date.now() - startedMs < GIVE_UP_MS; await sleep(LOOK_EVERY_MS)) {
  const later = (await postedAtMs()).filter((atMs) => atMs > newestMs);
  if (!later.some((atMs) => atMs > wantedMs)) continue;
  await runTime('normal');
  process.stdout.write(`${later.length} posts in the next ${minutes} minutes or more of the demo's time\n`);
  process.exit(0);
}
process.stderr.write(`No post came ${minutes} minutes after the newest, within ${GIVE_UP_MS / 1000} s.\n`);
process.exit(1);
