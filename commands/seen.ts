import type { CurrentState } from '../src/bot/announcements/current-state.ts';
import type { Answer, Catalog } from '../src/bot/catalog/catalog.ts';
import { CatalogError } from '../src/bot/catalog/errors.ts';
import type { Announcement } from '../src/bot/deals/announcement.ts';
import { interfaceOf } from '../src/bot/deals/resource.ts';
import type { ResourceKey } from '../src/bot/deals/subscription.ts';
import type { Age } from '../src/bot/discord/cards/paged-card.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { message } from '../src/bot/discord/i18n/translator.ts';
import { ageMs } from '../src/shared/clock.ts';
import { UserError } from '../src/shared/errors.ts';
import type { CommandServices } from './shared.ts';

/** The resources that hold no offers, and as which announcement each of their things is known. */
const KINDS = {
  events: 'event-started',
  dealcasts: 'new-dealcast',
  polls: 'new-poll',
  monkeychats: 'new-monkeychat',
} as const;
type ThingResource = keyof typeof KINDS;
type ThingOf<R extends ThingResource> = Extract<Announcement, { kind: (typeof KINDS)[R] }>;

type Side = 'portal' | 'v2';

const MINUTE_MS = 60_000;

/** What was seen at most this long ago is shown as it was seen, and says so. Events sell out; the others only come and go. */
const SEEN_LATELY_MS: Readonly<Record<ThingResource, number>> = {
  events: 15 * MINUTE_MS,
  dealcasts: 60 * MINUTE_MS,
  polls: 30 * MINUTE_MS,
  monkeychats: 60 * MINUTE_MS,
};

export interface Seen<R extends ThingResource> {
  /** In the catalog's order, then the events that are over since. */
  things: ThingOf<R>[];
  age: Age;
}

/** What a resource holds: as it was seen lately, else as it is now, else as it was seen last. */
export async function seeThings<R extends ThingResource>(
  resource: R,
  shared: CommandServices,
  context: CommandContext,
): Promise<Seen<R>> {
  const seenAtMs = shared.currentState.seen(resource)?.fetchedAtMs ?? null;
  const age = await lookAt(resource, { seenAtMs, goodForMs: SEEN_LATELY_MS[resource] }, shared, context);
  const things = knownThings(resource, shared.currentState);
  if (!things) throw new UserError(message('catalog.silent'));
  return { things, age };
}

/** What a resource held at the last look, which may be long ago; null where there was none since the start. Asks nobody. */
export function knownThings<R extends ThingResource>(
  resource: R,
  currentState: Pick<CurrentState, 'seen'>,
): ThingOf<R>[] | null {
  const announcements = currentState.seen(resource)?.announcements;
  if (!announcements) return null;
  return announcements.filter((announcement): announcement is ThingOf<R> => announcement.kind === KINDS[resource]);
}

/**
 * Looks at a resource again where what is known of it is too old, and tells how old it is then. Where the catalog has no
 * answer, or the person may ask it no more for now, what is known stands, however old.
 * @throws what went wrong, where nothing is known
 */
export async function lookAt(
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
    // Nothing leaves on a spent day: the person need not pay for it.
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

/** How old an answer of an interface is, and whether it is older than it should be because the day's requests are used up. */
export function answerAge(
  { fetchedAtMs, isStale }: Pick<Answer<unknown>, 'fetchedAtMs' | 'isStale'>,
  side: Side,
  catalog: Pick<Catalog, 'quota'>,
): Age {
  return { fetchedAtMs, isStale, quotaReturnsAtMs: isStale ? spentUntilMs(side, catalog) : null };
}

/** When an interface's requests return; null where there are some left. */
function spentUntilMs(side: Side, catalog: Pick<Catalog, 'quota'>): number | null {
  const { spent, limit, resetsAtMs } = catalog.quota()[side];
  return spent >= limit ? resetsAtMs : null;
}
