import { pino } from 'pino';
import { systemClock } from './clock.ts';
import { type CatalogService, type CatalogServiceOptions, createCatalogService } from './service.ts';
import { createSimulator } from './simulator/simulator.ts';

export { type Clock, systemClock } from './clock.ts';
export { type CatalogContent, type CatalogMoment, FEED_NAMES, type FeedContent, type FeedName } from './content.ts';
export { FAULTS, type FaultSettings } from './faults.ts';
export { createRecorded } from './recorded.ts';
export { type CatalogService, type CatalogServiceOptions, createCatalogService } from './service.ts';
export { createSimulator } from './simulator/simulator.ts';

/** A service that runs, and the origin at which it answers, for example `http://127.0.0.1:4100`. */
export interface StartedCatalogService {
  origin: string;
  stop: CatalogService['stop'];
}

/**
 * Starts a catalog on this machine. Without options it listens on any free port, serves a small simulated store, takes the
 * key "local", limits nobody and logs nothing.
 * @example
 * const { origin, stop } = await startCatalogService({ content: createRecorded({ directory: 'answers' }) });
 * await fetch(`${origin}/feed/Electronics?page=1`, { headers: { 'x-api-key': 'local' } });
 * await stop();
 */
export async function startCatalogService(
  options: Partial<CatalogServiceOptions> = {},
): Promise<StartedCatalogService> {
  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: ['local'],
    clock: systemClock,
    log: pino({ level: 'silent' }),
    content: options.content ?? createSimulator({ seed: 'dealbell', offers: 300, pace: 'demo' }),
    limits: { rate: 1e9, burst: 1e9, quota: 1e9 },
    ...options,
  });
  return { origin: await service.start(), stop: () => service.stop() };
}
