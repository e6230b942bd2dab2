import { statSync } from 'node:fs';
import { pino } from 'pino';
import { type CatalogArguments, HELP, OptionError, parseArguments } from './arguments.ts';
import { systemClock } from './clock.ts';
import type { CatalogContent } from './content.ts';
import { startCatalogService } from './index.ts';
import { createRecorded } from './recorded.ts';
import { atSpeed, createSimulator } from './simulator/simulator.ts';

async function run(): Promise<void> {
  const options = parseArguments(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const { host, port, keys, limits, faults } = options;
  const content = contentOf(options);
  const log = pino({ level: 'warn' });
  const service = await startCatalogService({ host, port, keys, limits, content, log, ...(faults && { faults }) });
  process.stdout.write(greeting(service.origin, options));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.stop().catch(fail));
}

function contentOf({ data, fresh, seed, offers, pace, speed }: CatalogArguments): CatalogContent {
  const startMs = systemClock.now();
  if (data === null) return atSpeed(createSimulator({ seed, offers, pace }), speed, startMs);
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory()) {
    throw new OptionError(`--data must name a folder; there is none at "${data}".`);
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

function fail(error: unknown): void {
  const { message, code, port } = error as NodeJS.ErrnoException & { port?: number };
  const portTaken = `Port ${port} is already in use. Stop the program that uses it, or choose another with --port.`;
  process.stderr.write(`${code === 'EADDRINUSE' ? portTaken : message}\n`);
  const isWrongOption = error instanceof OptionError || code?.startsWith('ERR_PARSE_ARGS') === true;
  process.exitCode = isWrongOption ? 2 : 1;
}

run().catch(fail);
