import { appearanceFrom } from '../../src/deals/appearance.ts';
import { placeOfPerson } from '../../src/deals/person.ts';
import { USUAL_PACING_OF_PERSON } from '../../src/deals/settings.ts';
import { rollUpOf } from '../../src/store/delivery.ts';
import type { Post } from '../../src/store/posts.ts';
import type { Store } from '../../src/store/store.ts';
import { aDelivery, aKnownOffer, anEvent, anOffer, aSubscription, NOW_MS, newOfferOf, uuid } from './things.ts';

const ENDING = { outcome: 'posted', messageChannelId: '10', messageId: '1000', endedAtMs: NOW_MS } as const;

/** Writes a few records of each kind into a new state. */
export async function writeOneOfEach(store: Store): Promise<void> {
  await writeSettings(store);
  await writeCatalog(store);
  await writeDeliveries(store);
}

async function writeSettings(store: Store): Promise<void> {
  const { subscriptions, people, postingPause, spending } = store;
  await store.commit((changes) => store.markSetUp(changes));
  await subscriptions.save(aSubscription('usual'));
  await subscriptions.save(
    aSubscription('settings', {
      target: 'forum',
      source: { kind: 'events', sites: [], types: ['Daily'] },
      kinds: ['event-started'],
      filter: 'title ~ "Kettle"',
      priceDropPercent: 25,
      timing: { mode: 'daily', dailyAtMinute: 600, timeZone: 'Europe/Berlin', quiet: { fromMinute: 0, toMinute: 60 } },
      mostPerHour: 5,
      mentioned: ['7'],
      isPublished: true,
      tagIds: ['8'],
      changedAtMs: NOW_MS,
      catchUp: 3,
      problem: 'forbidden',
      pausedBy: 'person',
    }),
  );
  const product = { key: 'kettle|', title: 'Kettle', offerId: uuid(1) };
  const watch: object = { watch: { aim: 'stock', product, below: null } };
  await subscriptions.save(aSubscription('watch', { guildId: placeOfPerson('100'), channelId: '12', ...watch }));
  await subscriptions.save(aSubscription('removed'));
  await subscriptions.removeRestorably('removed', NOW_MS);
  await people.save('100', {
    id: '100',
    channelId: '12',
    locale: 'de',
    ...USUAL_PACING_OF_PERSON,
    usedAtMs: NOW_MS,
    closed: null,
    shownWaiting: null,
  });
  await postingPause.begin(NOW_MS);
  await spending.save('portal', { day: '2026-10-06', spent: 3, tokens: 1.5, tokensAtMs: NOW_MS });
  await spending.save('v2', { day: '2026-10-06', spent: 4, tokens: 0, tokensAtMs: NOW_MS });
}

async function writeCatalog(store: Store): Promise<void> {
  const { resources, known, offers, products, prices } = store;
  const runs = [
    { fromMs: 0, untilMs: 10, price: { minimum: 20, maximum: 30 } },
    { fromMs: 10, untilMs: 20, price: null },
  ];
  await store.transact(async (changes) => {
    const learned = { asOfMs: NOW_MS, days: 3, minutes: { '300': 5 }, hours: Array.from({ length: 24 }, () => 1) };
    const polled = { firstSeenMs: 1, polledAtMs: 2, isFollowed: true, isCutOff: false };
    resources.set(changes, 'feed:home', { ...polled, marketingName: 'Home', learned });
    resources.set(changes, 'events', { ...polled, marketingName: null });
    known.save(changes, 'events', new Map([[uuid(2), { firstSeenMs: 1, lastSeenMs: NOW_MS, face: 'face' }]]));
    offers.set(changes, uuid(1), aKnownOffer(1));
    offers.set(changes, uuid(2), aKnownOffer(2, { isSoldOut: true }));
    products.set(changes, 'kettle|', { offerId: uuid(1), salePrice: null, endedAtMs: NOW_MS });
    await prices.add(changes, new Map([['kettle|', runs]]));
  });
}

async function writeDeliveries(store: Store): Promise<void> {
  const { deliveries, posts, edits, publications, rateLog, newestMessages } = store;
  const posted = aDelivery('posted', { alsoTells: ['same'] });
  const [over, told, late, later] = [aDelivery('over'), aDelivery('told'), aDelivery('late'), aDelivery('later')];
  const all = [posted, over, told, late, later, aDelivery('waiting')];
  await store.transact((changes) => deliveries.add(changes, all, (fresh) => [...fresh]));
  const rollUp = rollUpOf([told, late], 'late');
  await store.commit((changes) => deliveries.rollUp(changes, rollUp));
  const event = { kind: 'event-started', subject: uuid(2), occurrence: '', item: anEvent(2) } as const;
  const post = (deliveryId: string, announcement: Post['announcement']): Post => ({
    deliveryId,
    guildId: '1',
    channelId: '10',
    messageChannelId: '10',
    messageId: '1000',
    announcement,
    matches: [{ subscriptionId: 'usual', terms: ['kettle'] }],
    mentionRoleIds: ['7'],
    isPublished: true,
    look: appearanceFrom({ style: 'compact' }),
    alsoTells: [],
    face: 'face',
    postedAtMs: NOW_MS,
  });
  await store.commit((changes) => {
    deliveries.end(changes, posted, ENDING);
    deliveries.end(changes, over, { ...ENDING, outcome: 'over', messageChannelId: null, messageId: null });
    deliveries.endRollUp(changes, rollUp, { ...ENDING, messageId: '1001' }, new Set());
    posts.save(changes, post('posted', newOfferOf(anOffer(1))));
    posts.save(changes, post('event', event));
    const at = { channelId: '10', messageId: '1000', queuedAtMs: NOW_MS };
    edits.add(changes, [
      { ...at, thing: `offer:${uuid(1)}`, deliveryId: 'posted', isPublished: true, item: anOffer(1) },
    ]);
    publications.add(changes, [at]);
    rateLog.record(changes, 'post/10', 'posted');
    rateLog.record(changes, 'edit/1000', 'first');
    newestMessages.note(changes, '10', '1001');
  });
  await store.commit((changes) => deliveries.rollUp(changes, rollUpOf([later], 'late')));
}
