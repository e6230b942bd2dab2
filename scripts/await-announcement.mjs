// Waits until a Dealbell that is being started has announced something in #deals, and says how long after the build that was.
// Usage: node scripts/await-announcement.mjs ADDRESS
import { setTimeout as sleep } from 'node:timers/promises';

const [address] = process.argv.slice(2);
const LOOK_EVERY_MS = 100;
const GIVE_UP_MS = 300_000;
const WITHIN_MS = 10_000;

const health = async () => (await fetch(`${address}/healthz`)).json();

let answersSinceMs = null;
for (const startedMs = Date.now(); Date.now() - startedMs < GIVE_UP_MS; await sleep(LOOK_EVERY_MS)) {
  const now = await health().catch(() => null);
  if (now) answersSinceMs ??= Date.now();
  if (!now?.announced) continue;
  const { channels, messages } = await (await fetch(`${address}/page/state`)).json();
  const shown = messages[channels.find(({ name }) => name === 'deals').id].length;
  // The first announcement may be one of another channel's.
  if (shown === 0) continue;
  const waitedMs = Date.now() - answersSinceMs;
  process.stdout.write(
    `${JSON.stringify(now)}\n#deals shows ${shown} message(s), ${waitedMs} ms after the program answered\n`,
  );
  process.exit(waitedMs <= WITHIN_MS ? 0 : 1);
}
process.stderr.write(`Nothing was announced within ${GIVE_UP_MS / 1000} s.\n`);
process.exit(1);
