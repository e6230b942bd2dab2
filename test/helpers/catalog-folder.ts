import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogContent } from '../../packages/catalog-service/src/index.ts';
import { createRecorded } from '../../packages/catalog-service/src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { uuid } from './things.ts';

/** A catalog whose answers a test writes, in the specification's own form. */
export interface CatalogFolder {
  content: CatalogContent;
  writeFeed(name: string, items: readonly unknown[]): void;
  writeEvents(events: readonly unknown[]): void;
  writeDealcasts(dealcasts: readonly unknown[]): void;
  writePolls(polls: readonly unknown[]): void;
  writeMonkeychats(monkeychats: readonly unknown[]): void;
}

export function aCatalogFolder(): CatalogFolder {
  const directory = temporaryFolder();
  mkdirSync(join(directory, 'feeds'));
  const write = (file: string, value: unknown) => writeFileSync(join(directory, file), JSON.stringify(value));
  return {
    content: createRecorded({ directory }),
    writeFeed: (name, items) =>
      write(`feeds/${name}.json`, { Items: items, MarketingName: `${name} deals`, TotalPages: 1 }),
    writeEvents: (events) => write('events.json', events),
    writeDealcasts: (dealcasts) => write('dealcasts.json', dealcasts),
    writePolls: (polls) => write('polls.json', polls),
    writeMonkeychats: (monkeychats) => write('monkeychats.json', monkeychats),
  };
}

/** Specification: "Portal: FeedItem". It starts `number` minutes after the 21st of November 2026, 10:00 UTC. */
export function feedItem(number: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    OfferId: uuid(number),
    Title: `Kettle ${number}`,
    Subtitle: null,
    Condition: null,
    Categories: ['HOME'],
    Photo: `https://pictures.example/${number}.jpg`,
    Url: `https://www.example.com/offers/kettle-${number}`,
    ForumUrl: `https://forums.example.com/t/${number}`,
    StartDate: new Date(Date.UTC(2026, 10, 21, 10, number)).toISOString(),
    EndDate: '2026-11-25T05:00:00+00:00',
    SalePrice: { Minimum: 20, Maximum: 20 },
    ListPrice: { Minimum: 40, Maximum: 40 },
    IsSoldOut: false,
    IsDealOff: false,
    IsFeatured: false,
    IsFulfilledByPartner: false,
    IsAvailableOnMobileAppOnly: false,
    ...changes,
  };
}

/** Specification: "v2: Event (common fields)". */
export function event(number: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Type: 'Daily',
    Id: uuid(number),
    Title: `Event ${number}`,
    Site: 'home.example.com',
    StartDate: '2026-11-21T06:00:00Z',
    EndDate: '2026-11-22T06:00:00Z',
    Offers: [],
    ...changes,
  };
}

/** Specification: "v2: Dealcast". */
export function dealcast(number: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Title: `Dealcast ${number}`,
    Site: 'www.example.com',
    StartDate: '2026-11-21T06:00:00Z',
    Teaser: '',
    Text: '<p>The whole text.</p>',
    BlogUrl: `https://www.example.com/blog/${number}`,
    DiscussionUrl: null,
    Mp4Url: null,
    YouTubeUrl: `https://video.example.com/${number}`,
    Thumbnail: null,
    Views: null,
    ...changes,
  };
}

/** Specification: "v2: Poll, Question, Response". `votes` are those for its answers. */
export function poll(number: number, votes: readonly number[] = [3, 1]): Record<string, unknown> {
  return {
    DiscussionUrl: `https://forums.example.com/t/poll-${number}`,
    Site: 'www.example.com',
    Questions: [
      {
        Text: `Question ${number}?`,
        Responses: votes.map((VoteCount, index) => ({ Text: `Answer ${index + 1}`, VoteCount })),
      },
    ],
  };
}

/** It has the form that the embedded catalog gives it: the specification shows none. */
export function monkeychat(number: number): Record<string, unknown> {
  return {
    Title: `Chat ${number}`,
    DiscussionUrl: `https://forums.example.com/t/chat-${number}`,
    Lines: [
      { Character: 'Pip', Text: 'Is it a lamp?' },
      { Character: 'Mortimer', Text: 'It is off.' },
    ],
  };
}

/** Specification: "v2: Offer (a collection of similar items)". */
export function eventOffer(number: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Id: uuid(1000 + number),
    Title: `Blender ${number}`,
    Url: `https://www.example.com/offers/blender-${number}`,
    Items: [{ Id: uuid(2000 + number), SalePrice: 30, ListPrice: 60, PurchaseLimit: 3, Attributes: [] }],
    Photos: [],
    ShippingMethods: [],
    PercentageRemaining: 40,
    SoldOut: false,
    ...changes,
  };
}
