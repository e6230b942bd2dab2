import { type DealEvent, isEventOf, isSameEvent } from '../../deals/event.ts';
import { hearEvent } from '../../deals/event-belief.ts';
import { hasEnded } from '../../deals/life.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { message } from '../../discord/i18n/translator.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { EntityKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'event-started': { item: DealEvent };
  }
}

/** An event that has begun. It stays live while it runs, even when its current offer is sold out. */
export const eventStarted: EntityKind<'event-started'> = {
  madeFrom: 'entity',
  source: 'events',
  entity: 'event',
  isDefault: true,
  accent: ACCENT.event,
  badge: 'announced.event-started',
  symbol: '🎪',
  announce: (event) => ({ kind: 'event-started', subject: event.id, occurrence: '', item: event }),
  hasStarted: (event, nowMs) => event.startDateMs === null || event.startDateMs <= nowMs,
  isLive: ({ item }, nowMs) => !hasEnded(item, nowMs),
  // The remaining stock changes constantly and is not part of the fingerprint. Posts that show it are kept: see `deliver/kept.ts`.
  fingerprint: (event, nowMs) =>
    JSON.stringify([
      event.title,
      event.endDateMs,
      hasEnded(event, nowMs),
      event.offers.map(({ id, soldOut, items }) => [id, soldOut, items.map(({ salePrice }) => salePrice)]),
    ]),
  hear: hearEvent,
  // It keeps its first id, by which its posts and entries go on.
  mayBeSameAs: isSameEvent,
  // Events sell out, the others only come and go.
  goodForMs: 15 * MINUTE_MS,
  shown: ({ item }) => ({ as: 'event', item }),
  unsuited: ({ item }, { source }) =>
    source.kind === 'events' && !isEventOf(item, source) ? message('unsuited.otherEvents') : null,
};
