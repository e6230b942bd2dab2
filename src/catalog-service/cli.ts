import { statSync } from 'node:fs';
import { systemClock } from '../shared/clock.ts';
import { runProgram } from '../shared/command-line.ts';
import { ConfigError } from '../shared/errors.ts';
import { createLog } from '../shared/log.ts';
import { type CatalogArguments, HELP, parseArguments } from './arguments.ts';
import type { CatalogContent } from './content.ts';
import { createRecorded } from './recorded.ts';
import { createCatalogService } from './service.ts';
import { atSpeed, createSimulator } from './simulator/simulator.ts';

runProgram(async () => {
  const options = parseArguments(process.argv.slice(2));
  if (options.help) return { greeting: HELP };
  const service = createCatalogService({
    host: options.host,
    port: options.port,
    keys: options.keys,
    clock: systemClock,
    log: createLog('warn'),
    content: contentOf(options),
    limits: options.limits,
    ...(options.faults && { faults: options.faults }),
  });
  const origin = await service.start();
  return { greeting: greeting(origin, options), stop: () => service.stop() };
});

function contentOf({ data, fresh, seed, offers, pace, speed }: CatalogArguments): CatalogContent {
  const startMs = systemClock.now();
  if (data === null) return atSpeed(createSimulator({ seed, offers, pace }), speed, startMs);
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError([`--data must name a folder; there is none at "${data}".`]);
  }
  return createRecorded({ directory: data, ...(fresh && { freshAtMs: startMs }) });
}

/** The greeting shows the keys beside the URLs, never in them. */
function greeting(origin: string, { keys, data }: CatalogArguments): string {
  const [key = ''] = keys;
  return `The deals catalog is at ${origin} (${data === null ? 'simulated store' : `recorded in ${data}`})
Keys: ${keys.join(', ')}
Read about it: ${origin}/docs

  curl -H 'x-api-key: ${key}' '${origin}/feed/Electronics?page=1'
  curl -G --data-urlencode 'key=${key}' ${origin}/2/events.json -d eventType=daily -d select=Title,Offers.Title
  curl -G --data-urlencode 'key=${key}' ${origin}/2/dealcasts.json

Ctrl-C stops it.
`;
}
