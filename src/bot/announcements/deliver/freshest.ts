import type { Announcement, ThingKey, ThingUpdate } from '../../deals/announcement.ts';
import { thingOf } from '../kinds/index.ts';

/** Longer than any poll takes to make known what it has told of. */
const KEPT_MS = 10 * 60_000;

/** The things as they are now, so that nothing is posted as it no longer is. */
export interface Freshest {
  /** What is told now, before it counts as known. */
  note(updates: readonly ThingUpdate[], nowMs: number): void;
  /** The announcement with its thing as it is now. */
  of(announcement: Announcement): Announcement;
  thing(thing: ThingKey): Announcement['item'] | undefined;
}

/** @param current a thing as it is known */
export function createFreshest(current: (thing: ThingKey) => Announcement['item'] | undefined): Freshest {
  const told = new Map<ThingKey, { item: Announcement['item']; atMs: number }>();
  const find = (thing: ThingKey) => told.get(thing)?.item ?? current(thing);
  return {
    note(updates, nowMs) {
      // Whoever is told of last stands last.
      for (const [thing, { atMs }] of told) {
        if (atMs > nowMs - KEPT_MS) break;
        told.delete(thing);
      }
      for (const { thing, item } of updates) {
        told.delete(thing);
        told.set(thing, { item, atMs: nowMs });
      }
    },
    of(announcement) {
      const item = find(thingOf(announcement));
      return item === undefined ? announcement : withItem(announcement, item);
    },
    thing: find,
  };
}

/** The announcement with another state of its thing: the key that names a thing names its kind too. */
export function withItem(announcement: Announcement, item: Announcement['item']): Announcement {
  return { ...announcement, item } as Announcement;
}
