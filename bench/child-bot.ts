import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApp } from '../src/app/app.ts';
import { parseConfig } from '../src/app/config.ts';
import { scheduleCron } from '../src/app/cron.ts';
import { FEATURES } from '../src/features/index.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import type { BotMemory, BotRequest } from './bots.ts';

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

process.on('message', (request: BotRequest) => {
  if (request === 'slice') {
    process.send?.(delays.max / 1e6);
    delays.reset();
    return;
  }
  globalThis.gc?.();
  const memory: BotMemory = {
    residentBytes: process.memoryUsage.rss(),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  };
  process.send?.(memory);
});
process.once('disconnect', () => process.exit());
const app = createApp(parseConfig(process.env, FEATURES), {
  clock: systemClock,
  schedule: scheduleCron,
  log: createLog('error'),
  features: FEATURES,
  version: '0.0.0',
});
await app.start();
process.send?.('ready');
