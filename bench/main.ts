import { writeFileSync } from 'node:fs';
import { benchClient } from './client.ts';
import { benchCommands } from './commands.ts';
import { benchDay } from './day.ts';
import { benchDelivery } from './delivery.ts';
import { benchDetection } from './detection.ts';
import { benchServers } from './discord-servers.ts';
import { benchGap } from './gap.ts';
import { benchMatching } from './matching.ts';
import type { Section } from './measure.ts';
import { benchPage } from './page.ts';
import { benchPrices } from './prices.ts';
import { benchPrivateMessages } from './private-messages.ts';
import { machine, sectionText } from './report.ts';
import { benchService } from './service.ts';
import { benchStart } from './start.ts';
import { benchStore } from './store.ts';
import { benchSubscriptionFiles } from './subscription-files.ts';
import { benchText } from './text.ts';
import { benchTick } from './tick.ts';
import { benchTiming } from './timing.ts';

const BENCHES: Readonly<Record<string, () => Promise<Section[]>>> = {
  service: benchService,
  client: benchClient,
  day: benchDay,
  matching: benchMatching,
  start: benchStart,
  delivery: benchDelivery,
  'private-messages': benchPrivateMessages,
  commands: benchCommands,
  servers: benchServers,
  'subscription-files': benchSubscriptionFiles,
  detection: benchDetection,
  store: benchStore,
  tick: benchTick,
  prices: benchPrices,
  timing: benchTiming,
  text: benchText,
  page: benchPage,
  gap: benchGap,
};

/** Runs the benches that are named, or all of them; only the results of all are kept. */
async function main(asked: readonly string[]): Promise<void> {
  const names = asked.length > 0 ? asked : Object.keys(BENCHES);
  const header = `# Results\n\n${machine()}.\n`;
  const parts = [header];
  process.stdout.write(header);
  for (const name of names) {
    const bench = BENCHES[name];
    if (!bench) throw new Error(`There is no bench "${name}": ${Object.keys(BENCHES).join(', ')}.`);
    for (const section of await bench()) {
      const text = sectionText(section);
      parts.push(text);
      process.stdout.write(`\n${text}`);
    }
  }
  if (asked.length === 0) writeFileSync('bench/RESULTS.md', parts.join('\n'));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
