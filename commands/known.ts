import type { CurrentState } from '../src/announcements/current-state.ts';
import { asNew, type Candidate, withSubject } from '../src/announcements/explain/dry-run.ts';
import { type EntityResource, KIND_IN, kindOf } from '../src/announcements/kinds/index.ts';
import type { Answer, Catalog } from '../src/catalog/catalog.ts';
import { CatalogError } from '../src/catalog/errors.ts';
import { isGone, type KnownOffer, lastSeenMs } from '../src/deals/known-offer.ts';
import { interfaceOf, type ResourceKey, resourceOf, type Source } from '../src/deals/subscription.ts';
import type { Age } from '../src/discord/cards/paged-card.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { ageMs, type Clock } from '../src/shared/clock.ts';
import { UserError } from '../src/shared/errors.ts';
import { flatMapInTurns } from '../src/shared/turns.ts';
import type { CommandServices, Request } from './shared.ts';

type EntityOf<R extends EntityResource> = ReturnType<(typeof KIND_IN)[R]['announce']>;

type Side = 'portal' | 'v2';

export interface Seen<R extends EntityResource> {
  /** In the catalog's order, followed by events that have ended since. */
  entities: EntityOf<R>[];
  age: Age;
}

/** The entities of a resource: from a recent poll, or else from a new one; where that fails, from the last one. */
export async function readEntities<R extends EntityResource>(resource: R, request: Request): Promise<Seen<R>> {
  const { currentState } = request.services;
  const seenAtMs = currentState.seen(resource)?.fetchedAtMs ?? null;
  const age = await pollIfOlder(resource, { seenAtMs, goodForMs: KIND_IN[resource].goodForMs }, request);
  const entities = knownEntities(resource, currentState);
  if (!entities) throw new UserError(message('catalog.silent'));
  return { entities, age };
}

/** The entities at the last poll, which may be long ago; null where there was none since the start. Makes no request. */
export function knownEntities<R extends EntityResource>(resource: R, currentState: CurrentState): EntityOf<R>[] | null {
  const announcements = currentState.seen(resource)?.announcements;
  if (!announcements) return null;
  return announcements.filter(
    (announcement): announcement is EntityOf<R> => kindOf(announcement) === KIND_IN[resource],
  );
}

/**
 * Polls a resource where the known data is too old, and returns the age of the data. Where the catalog has no answer,
 * or the person's rate limit is spent, known data is used, however old.
 * @throws the error of the poll, where nothing is known
 */
export async function pollIfOlder(
  resource: ResourceKey,
  { seenAtMs, goodForMs }: { seenAtMs: number | null; goodForMs: number },
  request: Request,
): Promise<Age> {
  const { poller, catalog, clock } = request.services;
  const side = interfaceOf(resource);
  const older = (fetchedAtMs: number) => answerAge({ fetchedAtMs, isStale: true }, side, catalog);
  if (seenAtMs !== null && ageMs(seenAtMs, clock.now()) <= goodForMs) return { fetchedAtMs: seenAtMs, isStale: false };
  const isSpent = spentUntilMs(side, catalog) !== null;
  if (seenAtMs !== null && isSpent) return older(seenAtMs);
  try {
    // No request leaves once the day's quota is spent, so it must not count against the person's rate limit.
    if (!isSpent) request.spend();
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
  catalog: Catalog,
): Age {
  return { fetchedAtMs, isStale, quotaReturnsAtMs: isStale ? spentUntilMs(side, catalog) : null };
}

/** When an interface's quota resets: epoch milliseconds; null while some is left. */
function spentUntilMs(side: Side, catalog: Catalog): number | null {
  const { spent, limit, resetsAtMs } = catalog.quota()[side];
  return spent >= limit ? resetsAtMs : null;
}

/** The age of the known data about offers that can still be bought: the oldest counts. Null where none can be bought. */
export function ageOf(records: readonly KnownOffer[], { offers, feeds, clock }: CommandServices): Age | null {
  const polled = new Map<string, number | null>();
  function polledAtMs(key: string): number | null {
    const known = polled.get(key);
    if (known !== undefined) return known;
    const name = feeds.find((feed) => feed.toLowerCase() === key);
    const atMs = name === undefined ? null : (offers.feedState(name)?.polledAtMs ?? null);
    polled.set(key, atMs);
    return atMs;
  }
  const seenMs = records
    .filter((record) => !isGone(record, clock.now()))
    .map((record) => lastSeenMs(record, polledAtMs))
    .filter((atMs) => atMs !== null);
  return seenMs.length > 0 ? { fetchedAtMs: Math.min(...seenMs), isStale: false } : null;
}

export interface LiveCandidates {
  candidates: readonly Candidate[];
  /** When the source was read: epoch milliseconds. */
  readAtMs: number;
}

/**
 * Cached until the list changes, because people type several letters in a second: making them for 12,400 offers takes
 * a tenth of a second, in which others are answered.
 */
const kept = new WeakMap<readonly KnownOffer[], Promise<readonly Candidate[]>>();

function candidatesOf(list: readonly KnownOffer[], clock: Clock): Promise<readonly Candidate[]> {
  const candidates = kept.get(list) ?? flatMapInTurns(list, (known) => [withSubject(asNew(known))], { clock });
  kept.set(list, candidates);
  return candidates;
}

/** The known entities of a source; null where no poll has read it yet. Makes no request. */
export async function candidatesIn(
  source: Source,
  services: Pick<CommandServices, 'offers' | 'currentState' | 'clock'>,
): Promise<LiveCandidates | null> {
  if (source.kind === 'feed') {
    const state = services.offers.feedState(source.feed);
    if (!state) return null;
    const candidates = await candidatesOf(services.offers.live(source.feed), services.clock);
    return { candidates, readAtMs: state.polledAtMs };
  }
  const seen = services.currentState.seen(resourceOf(source));
  return seen && { candidates: seen.announcements.map(withSubject), readAtMs: seen.fetchedAtMs };
}
