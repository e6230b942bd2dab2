import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/index.ts';
import type { Store } from '../store/store.ts';
import { EMBEDDED_LIMITS, type InterfaceConfig } from './config.ts';
import type { AppContext, OutsideSides } from './context.ts';

/** Fixed values: the embedded catalog has the same contents for everyone. */
const DEMO = { seed: 'dealbell', offers: 300, pace: 'demo' } as const;
const EMBEDDED_KEY = 'embedded';

/**
 * Creates the catalog's client, and starts the embedded service where an interface has no address in the settings and no
 * other process serves it.
 */
export async function startCatalogSide(
  context: AppContext,
  { spending }: Store,
  outside: OutsideSides | null,
): Promise<Catalog> {
  const { clock, log, metrics, config } = context;
  const { v2, portal } = config.catalog;
  const embedded = outside?.catalog ?? (v2.outside && portal.outside ? null : await startEmbedded(context));
  const side = ({ outside, limits }: InterfaceConfig) => ({ ...requireAddress(outside ?? embedded), ...limits });
  const catalog = createCatalog({
    v2: side(v2),
    portal: side(portal),
    clock,
    log,
    spending,
    onReply: (name, status) => metrics.catalogRequests.inc({ interface: name, status }),
  });
  context.onStop(() => catalog.close());
  return catalog;
}

async function startEmbedded({ clock, log, onStop }: AppContext): Promise<{ url: string; key: string }> {
  // Imported only here, because a bot on a real catalog has no use for them.
  const { createCatalogService, createSimulator } = await import('../../packages/catalog-service/src/index.ts');
  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [EMBEDDED_KEY],
    clock,
    log: log.child({ part: 'catalog-service' }),
    content: createSimulator(DEMO),
    limits: EMBEDDED_LIMITS,
  });
  const url = await service.start();
  onStop(() => service.stop());
  return { url, key: EMBEDDED_KEY };
}

function requireAddress<T>(address: T | null): T {
  if (!address) throw new Error('An interface without an outside address has the embedded one.');
  return address;
}
