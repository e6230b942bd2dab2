import type { CatalogContent } from '../../packages/catalog-service/src/index.ts';
import type { AppParts } from '../../src/app/context.ts';
import type { Feature } from '../../src/app/feature.ts';
import { DAY_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from './catalog-folder.ts';
import { aHouse } from './house.ts';

export const costs = (price: number) => ({ SalePrice: { Minimum: price, Maximum: price }, EndDate: null });

/** The kettle cost $20, $30 for five days, then $15. */
export async function aHouseWithPrices(features: readonly Feature[], parts: Partial<AppParts> = {}) {
  const folder = aCatalogFolder();
  const { proxy, reads } = counted(folder.content);
  const house = await aHouse({ content: () => proxy, features });
  folder.writeFeed('Home', [feedItem(1, costs(20))]);
  const jobs = new Map<string, () => Promise<void>>();
  const app = await house.startBot(
    {},
    {
      schedule(name, _, work) {
        jobs.set(name, work);
        return { stop: async () => undefined };
      },
      ...parts,
    },
  );
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const look = async (days: number, ...items: Record<string, unknown>[]) => {
    folder.writeFeed('Home', items);
    for (let day = 0; day < days; day += 1) {
      await house.clock.advance(DAY_MS);
      await app.tick();
      await app.settled();
    }
  };
  await app.tick();
  await look(1, feedItem(1, costs(30)));
  await look(5, feedItem(1, costs(30)));
  await look(1, feedItem(1, costs(15)));
  const sweep = () => jobs.get('sweep')?.();
  return { house, app, folder, panel, look, sweep, reads };
}

/** The content, with a count of what is read of it: each request reads some. */
function counted(content: CatalogContent) {
  let reads = 0;
  const proxy = new Proxy(content, {
    get(target, name): unknown {
      reads += 1;
      return Reflect.get(target, name);
    },
  });
  return { proxy, reads: () => reads };
}
