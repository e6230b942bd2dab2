import type { CurrentState } from '../src/bot/announcements/current-state.ts';
import type { Answer, Catalog } from '../src/bot/catalog/catalog.ts';
import { CatalogError } from '../src/bot/catalog/errors.ts';
import type { Announcement } from '../src/bot/deals/announcement.ts';
import { interfaceOf, type ResourceKey } from '../src/bot/deals/subscription.ts';
import type { Age } from '../src/bot/discord/cards/paged-card.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { message } from '../src/bot/discord/i18n/translator.ts';
import { ageMs } from '../src/shared/clock.ts';
import { UserError } from '../src/shared/errors.ts';
import type { CommandServices } from './shared.ts';

/** The resources that list no offers, and the kind of announcement under which each of their entities is known. */
const KINDS = {
  events: 'event-started',
  dealcasts: 'new-dealcast',
  polls: 'new-poll',
  monkeychats: 'new-monkeychat',
} as const;
type EntityResource = keyof typeof KINDS;
type EntityOf<R extends EntityResource> = Extract<Announcement, { kind: (typeof KINDS)[R] }>;

type Side = 'portal' | 'v2';

const MINUTE_MS = 60_000;

/**
 * A resource that was polled at most this long ago is shown without a new request; the card states its age. Events sell
 * out and need the shortest age; the others only come and go.
 */
const SEEN_LATELY_MS: Readonly<Record<EntityResource, number>> = {
  events: 15 * MINUTE_MS,
  dealcasts: 60 * MINUTE_MS,
  polls: 30 * MINUTE_MS,
  monkeychats: 60 * MINUTE_MS,
};

export interface Seen<R extends EntityResource> {
  /** In the catalog's order, followed by events that have ended since. */
  entities: EntityOf<R>[];
  age: Age;
}

/** The entities of a resource: from a recent poll, or else from a new one; where that fails, from the last one. */
export async function readEntities<R extends EntityResource>(
  resource: R,
  shared: CommandServices,
  context: CommandContext,
): Promise<Seen<R>> {
  const seenAtMs = shared.currentState.seen(resource)?.fetchedAtMs ?? null;
  const age = await pollIfOlder(resource, { seenAtMs, goodForMs: SEEN_LATELY_MS[resource] }, shared, context);
  const entities = knownEntities(resource, shared.currentState);
  if (!entities) throw new UserError(message('catalog.silent'));
  return { entities, age };
}

/** The entities at the last poll, which may be long ago; null where there was none since the start. Makes no request. */
export function knownEntities<R extends EntityResource>(
  resource: R,
  currentState: Pick<CurrentState, 'seen'>,
): EntityOf<R>[] | null {
  const announcements = currentState.seen(resource)?.announcements;
  if (!announcements) return null;
  return announcements.filter((announcement): announcement is EntityOf<R> => announcement.kind === KINDS[resource]);
}

/**
 * Polls a resource where the known data is too old, and returns the age of the data. Where the catalog has no answer,
 * or the person's rate limit is spent, known data is used, however old.
 * @throws the error of the poll, where nothing is known
 */
export async function pollIfOlder(
  resource: ResourceKey,
  { seenAtMs, goodForMs }: { seenAtMs: number | null; goodForMs: number },
  { poller, catalog, clock }: Pick<CommandServices, 'poller' | 'catalog' | 'clock'>,
  context: CommandContext,
): Promise<Age> {
  const side = interfaceOf(resource);
  const older = (fetchedAtMs: number) => answerAge({ fetchedAtMs, isStale: true }, side, catalog);
  if (seenAtMs !== null && ageMs(seenAtMs, clock.now()) <= goodForMs) return { fetchedAtMs: seenAtMs, isStale: false };
  const isSpent = spentUntilMs(side, catalog) !== null;
  if (seenAtMs !== null && isSpent) return older(seenAtMs);
  try {
    // No request leaves once the day's quota is spent, so it must not count against the person's rate limit.
    if (!isSpent) context.spend();
    const { fetchedAtMs, isStale } = await poller.poll(resource, 'interactive');
    return isStale ? older(seenAtMs ?? fetchedAtMs) : { fetchedAtMs, isStale };
  } catch (error) {
    if (seenAtMs === null) throw error;
    if (error instanceof UserError) return { fetchedAtMs: seenAtMs, isStale: false };
    if (error instanceof CatalogError) return older(seenAtMs);
    throw error;
  }
}

/** The age of an interface's answer, and whether it is older than it should be because the day's quota is spent. */
export function answerAge(
  { fetchedAtMs, isStale }: Pick<Answer<unknown>, 'fetchedAtMs' | 'isStale'>,
  side: Side,
  catalog: Pick<Catalog, 'quota'>,
): Age {
  return { fetchedAtMs, isStale, quotaReturnsAtMs: isStale ? spentUntilMs(side, catalog) : null };
}

/** When an interface's quota resets: epoch milliseconds; null while some is left. */
function spentUntilMs(side: Side, catalog: Pick<Catalog, 'quota'>): number | null {
  const { spent, limit, resetsAtMs } = catalog.quota()[side];
  return spent >= limit ? resetsAtMs : null;
}
