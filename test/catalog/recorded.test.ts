import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createTestCatalog } from './create-test-catalog.ts';
import { startScriptedCatalog } from './scripted-catalog.ts';

const FOLDER = new URL('../../../shared/real-payloads/', import.meta.url);
const FILES: Record<string, string> = {
  '/feed/Electronics': 'feeds/Electronics.json',
  '/2/events.json': 'events.json',
  '/2/wootcasts.json': 'dealcasts.json',
};

async function replay() {
  const texts = new Map<string, string>();
  for (const [path, file] of Object.entries(FILES)) texts.set(path, await readFile(new URL(file, FOLDER), 'utf8'));
  return startScriptedCatalog(({ path }, response) => {
    const text = texts.get(path);
    response.writeHead(text === undefined ? 404 : 200).end(text ?? '"NotFound"');
  });
}

describe.skipIf(!existsSync(FOLDER))('recorded answers', () => {
  it('gives every offer of a recorded feed, whole', async () => {
    const { catalog } = createTestCatalog((await replay()).url);
    const { value, malformed, unreadable, isStale } = await catalog.feeds.get('Electronics', { lane: 'interactive' });
    expect(unreadable).toBeUndefined();
    expect({ malformed, isStale, isCutOff: value.isCutOff, count: value.offers.length }).toEqual({
      malformed: 0,
      isStale: false,
      isCutOff: false,
      count: 5,
    });
    for (const offer of value.offers) {
      expect([offer.url, offer.photo, offer.forumUrl]).toSatisfy((links) => links.every(Boolean));
      expect(offer.startDateMs).toBeLessThan(offer.endDateMs ?? 0);
      expect(offer.salePrice?.minimum).toBeGreaterThan(0);
      expect(offer.categories).toContain('TECH');
    }
    expect(value.offers.filter(({ isFulfilledByPartner }) => isFulfilledByPartner)).toHaveLength(2);
    expect(value.offers.filter(({ listPrice }) => listPrice === null)).toHaveLength(1);
  });

  it('gives the recorded off event under its specified type', async () => {
    const { catalog } = createTestCatalog((await replay()).url);
    const { value, malformed, unreadable } = await catalog.events.list({ lane: 'interactive' });
    expect(unreadable).toBeUndefined();
    expect({ malformed, types: value.map(({ type }) => type) }).toEqual({ malformed: 0, types: ['DealOff'] });
    const [offer] = value[0]?.offers ?? [];
    expect(offer).toMatchObject({ soldOut: true, percentageRemaining: 0, stats: null });
    expect([offer?.items.length, offer?.photos.length, offer?.shippingMethods.length]).toEqual([1, 3, 1]);
  });

  it('gives the recorded dealcast from its other path, and remembers that path', async () => {
    const service = await replay();
    const { catalog } = createTestCatalog(service.url);
    for (const maxAgeMs of [0, 0]) {
      const { value, malformed, unreadable } = await catalog.dealcasts.list({ lane: 'interactive', maxAgeMs });
      expect(unreadable).toBeUndefined();
      expect({ malformed, views: value.map(({ views }) => views) }).toEqual({ malformed: 0, views: [99] });
    }
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/2/dealcasts.json',
      '/2/wootcasts.json',
      '/2/wootcasts.json',
    ]);
  });
});
