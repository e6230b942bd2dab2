import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRecorded } from '../src/recorded.ts';
import { NOON_MS, runService, startService } from './running-service.ts';

const SHARED = resolve(import.meta.dirname, '../../../../shared/real-payloads');

const ITEM = {
  OfferId: '3B241101-e2bb-4255-8caf-4136c566a962',
  Title: 'Lamp',
  Photo: 'https://pictures.example.com/lamp.jpg',
  Url: 'https://www.example.com/offers/lamp-2',
  StartDate: '2024-02-28T05:00:00+00:00',
  EndDate: '2024-03-01T04:59:00.500+00:00',
  SalePrice: { Minimum: 10, Maximum: 20 },
  ListPrice: null,
  IsOddOff: true,
};
const EVENT = {
  Id: '9d3a3b1c-54a0-4b0e-8d0c-1f1d9c1a2b3c',
  Type: 'WootOff',
  Site: 'wine.other.example',
  StartDate: '2024-02-27T05:00:00Z',
  EndDate: null,
  Offers: [{ Id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', Title: 'Bottle' }],
};

function recordingFolder(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'recorded-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'feeds'));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text);
  return directory;
}

const page = JSON.stringify({ Items: [ITEM], MarketingName: 'Home sweet home', TotalPages: 9 }, null, 3);

describe('recorded answers', () => {
  test('are served to the letter, feed names in any case', async () => {
    const directory = recordingFolder({ 'feeds/home.json': page, 'events.json': `[ ${JSON.stringify(EVENT)} ]` });
    const service = await runService({ content: createRecorded({ directory }) });
    expect(await (await service.portal('/feed/HOME')).text()).toBe(page);
    expect(await (await service.v2('/2/events.json')).text()).toBe(`[ ${JSON.stringify(EVENT)} ]`);
  });

  test('are paged where a page is asked for', async () => {
    const items = Array.from({ length: 101 }, (_, index) => ({ ...ITEM, Title: `Lamp ${index}` }));
    const directory = recordingFolder({ 'feeds/Home.json': JSON.stringify(items) });
    const service = await runService({ content: createRecorded({ directory }) });
    const second = await service.portal('/feed/home?page=2');
    expect(await second.json()).toEqual({ Items: [items[100]], MarketingName: 'Home', TotalPages: 2 });
    expect((await service.portal('/feed/home?page=3')).status).toBe(404);
    expect(await (await service.portal('/feed/home')).json()).toEqual(items);
  });

  test('that are missing are empty answers; a feed that nobody knows is a bad request', async () => {
    const service = await runService({ content: createRecorded({ directory: recordingFolder({}) }) });
    expect(await (await service.portal('/feed/Tools')).json()).toEqual({
      Items: [],
      MarketingName: 'Tools',
      TotalPages: 0,
    });
    for (const list of ['events', 'dealcasts', 'polls', 'monkeychats']) {
      expect(await (await service.v2(`/2/${list}.json`)).json()).toEqual([]);
    }
    expect((await service.portal('/feed/Sellout')).status).toBe(400);
  });

  test('are picked up when they change', async () => {
    const directory = recordingFolder({ 'polls.json': '[]' });
    const service = await runService({ content: createRecorded({ directory }) });
    expect(await (await service.v2('/2/polls.json')).json()).toEqual([]);
    writeFileSync(join(directory, 'polls.json'), '[{"Site":"www.other.example"}]');
    expect(await (await service.v2('/2/polls.json')).json()).toEqual([{ Site: 'www.other.example' }]);
  });

  test('that are not JSON are an error of the server, and the others are still served', async () => {
    const directory = recordingFolder({ 'polls.json': '[]' });
    const service = await runService({ content: createRecorded({ directory }) });
    writeFileSync(join(directory, 'polls.json'), '[{"Si');
    expect((await service.v2('/2/polls.json')).status).toBe(500);
    expect((await service.v2('/2/events.json')).status).toBe(200);
  });

  test('that are broken from the start keep the service from starting, and say which', async () => {
    const directory = recordingFolder({ 'feeds/Home.json': '{"Items":' });
    await expect(startService({ content: createRecorded({ directory }) })).rejects.toThrow('feeds/Home.json');
  });

  test('tell what they can of an offer: from a feed item in full, from an event as v2 has it', async () => {
    const directory = recordingFolder({ 'feeds/Home.json': page, 'events.json': JSON.stringify([EVENT]) });
    const service = await runService({ content: createRecorded({ directory }) });
    const id = ITEM.OfferId.toLowerCase();
    expect(await (await service.portal(`/offers/${id}`)).json()).toMatchObject({
      Id: ITEM.OfferId,
      Title: 'Lamp',
      Slug: 'lamp-2',
      Url: ITEM.Url,
      IsSoldOut: false,
      Items: [{ SalePrice: 10 }, { SalePrice: 20 }],
      Photos: [{ Url: ITEM.Photo }],
    });
    const gone = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
    expect((await service.portal(`/offers/${gone}`)).status).toBe(404);
    const several = await service.portal('/getoffers', { method: 'POST', body: JSON.stringify([gone, id]) });
    expect(await several.json()).toMatchObject([{ Id: ITEM.OfferId }]);
    expect(await (await service.v2(`/2/events/${EVENT.Id}.json`)).json()).toEqual(EVENT);
    expect(await (await service.v2(`/2/offers/${EVENT.Offers[0]?.Id}.json`)).json()).toEqual(EVENT.Offers[0]);
  });

  test('are filtered and selected from, whatever their domain and spelling', async () => {
    const directory = recordingFolder({ 'events.json': JSON.stringify([EVENT]) });
    const service = await runService({ content: createRecorded({ directory }) });
    const found = await service.v2('/2/events.json', 'site=wine.other.example&eventType=dealoff&select=Site');
    expect(await found.json()).toEqual([{ Id: EVENT.Id, Type: EVENT.Type, Site: EVENT.Site }]);
    expect(await (await service.v2('/2/events.json', 'site=www.other.example')).json()).toEqual([]);
  });

  test('move all their dates by one amount when they are to be fresh, each in its own form', async () => {
    const directory = recordingFolder({ 'feeds/Home.json': page, 'events.json': JSON.stringify([EVENT]) });
    const content = createRecorded({ directory, freshAtMs: NOON_MS });
    const service = await runService({ content });
    const feed = await (await service.portal('/feed/home')).text();
    expect(feed).toBe(
      page.replace(ITEM.StartDate, '2026-10-10T18:00:00+00:00').replace(ITEM.EndDate, '2026-10-12T17:59:00.500+00:00'),
    );
    expect(await (await service.v2('/2/events.json')).json()).toEqual([
      { ...EVENT, StartDate: '2026-10-09T18:00:00Z' },
    ]);
  });
});

describe.skipIf(!existsSync(SHARED))('the recorded deployment', () => {
  test('is served byte by byte', async () => {
    const service = await runService({ content: createRecorded({ directory: SHARED }) });
    const file = (name: string) => readFileSync(join(SHARED, name), 'utf8');
    expect(await (await service.portal('/feed/electronics')).text()).toBe(file('feeds/Electronics.json'));
    expect(await (await service.v2('/2/events.json')).text()).toBe(file('events.json'));
    expect(await (await service.v2('/2/dealcasts.json')).text()).toBe(file('dealcasts.json'));
    expect(await (await service.v2('/2/polls.json')).json()).toEqual([]);
  });

  test('moved to now has its newest start now', async () => {
    const service = await runService({ content: createRecorded({ directory: SHARED, freshAtMs: NOON_MS }) });
    const feed = await (await service.portal('/feed/electronics')).text();
    const starts = [...feed.matchAll(/"StartDate": "([^"]+)"/g)].map(([, start = '']) => Date.parse(start));
    expect(Math.max(...starts)).toBe(NOON_MS);
    const events = await (await service.v2('/2/events.json')).text();
    expect(events).not.toBe(readFileSync(join(SHARED, 'events.json'), 'utf8'));
    expect(
      Math.max(...[...events.matchAll(/"StartDate": "([^"]+)"/g)].map(([, at = '']) => Date.parse(at))),
    ).toBeLessThan(NOON_MS);
  });
});
