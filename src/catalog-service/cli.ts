import { statSync } from 'node:fs';
import { systemClock } from '../shared/clock.ts';
import { ConfigError } from '../shared/errors.ts';
import { createLog } from '../shared/log.ts';
import { type CatalogArguments, HELP, parseArguments } from './arguments.ts';
import type { CatalogContent } from './content.ts';
import { createRecorded } from './recorded.ts';
import { type CatalogService, createCatalogService } from './service.ts';
import { atSpeed, createSimulator } from './simulator/simulator.ts';

async function main(): Promise<void> {
  const options = parseArguments(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
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
  const origin = await startOrExplain(service, options.port);
  process.stdout.write(greeting(origin, options));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      service.stop().catch(fail);
    });
  }
}

async function startOrExplain(service: CatalogService, port: number): Promise<string> {
  try {
    return await service.start();
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause;
    throw new Error(`Port ${port} is taken: stop what listens there, or name another one with --port.`, { cause });
  }
}

function contentOf({ data, fresh, seed, offers, pace, speed }: CatalogArguments): CatalogContent {
  const startMs = systemClock.now();
  if (data === null) return atSpeed(createSimulator({ seed, offers, pace }), speed, startMs);
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError([`--data must name a folder; there is none at "${data}".`]);
  }
  return createRecorded({ directory: data, ...(fresh && { freshAtMs: startMs }) });
}

/** Keys stand beside the URLs, never in them. */
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

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}

main().catch(fail);
