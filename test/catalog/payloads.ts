/** Answers as the specification describes them, made up for tests. */

export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function feedItem(number: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    OfferId: idOf(number),
    Title: `Kettle ${number}`,
    Subtitle: null,
    Condition: 'Open Box',
    Categories: ['HOME', 'HOME/Kitchen'],
    Photo: `https://images.example.com/${number}.jpg`,
    Url: `https://home.example.com/offers/kettle-${number}`,
    ForumUrl: `https://forums.example.com/t/${number}`,
    StartDate: '2026-11-20T06:00:00+00:00',
    EndDate: '2026-11-28T05:59:00+00:00',
    SalePrice: { Minimum: 19.99, Maximum: 24.99 },
    ListPrice: { Minimum: 49, Maximum: 59 },
    IsSoldOut: false,
    IsDealOff: false,
    IsFeatured: true,
    IsFulfilledByPartner: false,
    IsAvailableOnMobileAppOnly: false,
    Site: 'Home',
    ...fields,
  };
}

export function feedPage(items: unknown[]): Record<string, unknown> {
  return { Items: items, MarketingName: 'Home & Kitchen', TotalPages: Math.ceil(items.length / 100) };
}

export function offer(number: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Id: idOf(number),
    EventId: idOf(900_000 + number),
    Title: `Kettle ${number}`,
    FullTitle: `Kettle ${number}, 1.7 l`,
    Subtitle: null,
    Teaser: 'Boils.',
    Slug: `kettle-${number}`,
    Url: `https://home.example.com/offers/kettle-${number}`,
    Features: '<p>Steel</p>',
    Specs: '<ul><li>1.7 l</li></ul>',
    Snippet: null,
    WriteUpIntro: null,
    WriteUpBody: '<p>It is a kettle.</p>',
    ExtendedWarranty: null,
    PurchaseLimit: 3,
    QuantityLimit: null,
    PercentageRemainingBlurred: 70,
    IsDealOff: false,
    IsSoldOut: false,
    SoldOutOn: null,
    IsOfferLiveNow: true,
    Win: 'W1',
    Items: [
      {
        Id: idOf(800_000 + number),
        Title: 'Red',
        Asin: 'A1',
        Win: 'W2',
        SalePrice: 19.99,
        ListPrice: 49,
        Attributes: [{ Key: 'Color', Value: 'Red' }],
        Photos: [
          { Url: 'https://images.example.com/red.jpg', Width: 10, Height: 20, Caption: null, Tags: ['gallery'] },
        ],
      },
    ],
    Photos: [
      { Url: '//images.example.com/1.jpg', Width: 1, Height: 2, Caption: 'Front', Tags: ['gallery', 'fullsize-0'] },
    ],
    ShippingMethods: [{ Name: 'Standard', ExcludedStates: ['AK'], ExcludedPostalCodes: [], ExcludePOBox: true }],
    ...fields,
  };
}

export function eventOffer(number: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Id: idOf(number),
    Title: `Shirt ${number}`,
    Subtitle: '',
    Teaser: 'Wear it.',
    WriteUp: '<p>It fits.</p>',
    Features: null,
    Specs: null,
    Url: `https://shirt.example.com/offers/shirt-${number}`,
    DiscussionUrl: null,
    Items: [{ Id: idOf(700_000 + number), SalePrice: 19, ListPrice: null, PurchaseLimit: 0, Attributes: [] }],
    Photos: [],
    ShippingMethods: [{ Name: 'Standard', PerOrderAmount: 5, PerEventAmount: 0, PerItemAmount: 1.5 }],
    EstimatedShipDate: { MessagePrefix: 'Ships', MessageBody: 'in 3 to 5 days' },
    PercentageRemaining: 40,
    SoldOut: false,
    Stats: {
      FirstSucker: 'alice',
      LastPurchase: '2026-11-21T10:00:00.250Z',
      LastBuyerToDeal: 'bob',
      OverallOrderPace: 3,
      OverallDealsSold: 4,
      SiteOrderPace: 1,
      SiteDealsSold: 2,
      PercentageOfSalesPerDay: [{ Key: 'Saturday', Value: 100 }],
      PercentageOfSalesPerHour: [
        { Key: '12', Value: 60 },
        { Key: '12', Value: 40 },
      ],
      PurchaserExperience: { 'first <time>': 12.5, '≥ 25': 87.5 },
      PurchaserSeniority: { 'one day old': 1 },
      QuantityBreakdown: { '1': 90, '2': 10 },
      SpeedToFirstDeal: '00:01:49.3990000',
      DealsByState: { TX: 7 },
    },
    QualityPosts: [
      {
        Username: 'carol',
        Avatar: 'https://forums.example.com/carol.png',
        Text: 'Nice.',
        FormattedBody: '<p>Nice.</p>',
        PostedOn: '2026-11-21T09:00:00Z',
      },
    ],
    Artist: { Name: 'Dora', Avatar: null, Biography: '<p>Draws.</p>' },
    Snippet: null,
    WineryDetails: null,
    Rank: 2,
    OriginalStartDate: '2026-11-01T06:00:00Z',
    ...fields,
  };
}

export function event(number: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Type: 'Daily',
    Id: idOf(number),
    Title: `Event ${number}`,
    Site: 'shirt.example.com',
    StartDate: '2026-11-21T06:00:00Z',
    EndDate: null,
    Offers: [eventOffer(number + 100_000)],
    ...fields,
  };
}

export function dealcast(number: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Title: `Cast ${number}`,
    Site: 'www.example.com',
    StartDate: '2026-11-21T06:00:00Z',
    Teaser: '<p>Watch.</p>',
    Text: '',
    BlogUrl: `https://www.example.com/blog/${number}`,
    DiscussionUrl: `https://forums.example.com/t/${number}`,
    Mp4Url: `https://videos.example.com/${number}.mp4`,
    YouTubeUrl: `https://video.example.com/watch?v=${number}`,
    Thumbnail: { Url: `https://images.example.com/cast-${number}.jpg`, Width: 176, Height: 99, Tags: [] },
    Views: null,
    ...fields,
  };
}

export function poll(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    DiscussionUrl: 'https://forums.example.com/t/1',
    Site: 'www.example.com',
    Questions: [
      {
        Text: 'Tea or coffee?',
        Responses: [
          { Text: 'Tea', VoteCount: 12 },
          { Text: 'Coffee', VoteCount: 30 },
        ],
      },
    ],
    ...fields,
  };
}
