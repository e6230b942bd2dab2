import type { CurrentState } from '../bot/announcements/current-state.ts';
import type { Poller } from '../bot/announcements/poll/poller.ts';
import type { Catalog } from '../bot/catalog/catalog.ts';
import type { ResourceKey } from '../bot/deals/subscription.ts';
import type { Published, PublishedStore } from '../bot/store/published.ts';
import type { AppContext } from './context.ts';
import { PUBLISHED_RESOURCES } from './state-copy.ts';

/** Pause between two looks at what has changed, in milliseconds. */
const PUBLISH_MS = 1_000;

interface PublishParts {
  catalog: Pick<Catalog, 'quota'>;
  poller: Pick<Poller, 'lastAttempt'>;
  currentState: Pick<CurrentState, 'seen' | 'stock'>;
  commandIds: ReadonlyMap<string, string>;
}

/** Publishes what only this process has in memory, each time that it has changed, for processes that answer lookups. */
export function keepPublished(
  { config, clock, log, signal, onStop }: AppContext,
  published: PublishedStore,
  parts: PublishParts,
): void {
  const feeds = config.catalog.feeds.map((feed): ResourceKey => `feed:${feed}`);
  /** The texts of the values as they are published. */
  const texts = new Map<string, string>();

  async function publish(): Promise<void> {
    const changed = Object.entries(valuesOf(parts, feeds)).flatMap(([name, value]) => {
      const text = JSON.stringify(value);
      return text === undefined || text === texts.get(name) ? [] : [{ name, value, text }];
    });
    if (changed.length === 0) return;
    await published.save(Object.fromEntries(changed.map(({ name, value }) => [name, value])));
    for (const { name, text } of changed) texts.set(name, text);
  }

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      await publish().catch((error: unknown) => {
        // A database that is away comes back.
        if (!signal.aborted) log.warn({ err: error }, 'what other processes show could not be published');
      });
      await clock.sleep(PUBLISH_MS, signal).catch(() => undefined);
    }
  }
  const keeping = keep();
  onStop(() => keeping);
}

function valuesOf(
  { catalog, poller, currentState, commandIds }: PublishParts,
  feeds: readonly ResourceKey[],
): Partial<Published> {
  const resources = [...feeds, ...PUBLISHED_RESOURCES];
  return {
    quota: catalog.quota(),
    attempts: Object.fromEntries(resources.map((resource) => [resource, poller.lastAttempt(resource)])),
    commands: Object.fromEntries(commandIds),
    stock: currentState.stock.points(),
    ...Object.fromEntries(
      PUBLISHED_RESOURCES.flatMap((resource) => {
        const announcements = currentState.seen(resource)?.announcements;
        return announcements ? [[resource, announcements]] : [];
      }),
    ),
  };
}
