import { expect } from 'vitest';
import type { Log } from '../../src/shared/log.ts';
import type { Dressed } from './appearances.ts';
import type { Keeping } from './post-office.ts';
import { aScriptedDeliverer } from './scripted-courier.ts';
import { aDelivery, anOffer, newOfferOf, uuid } from './things.ts';

const CHANNEL = '10';

export const keyOf = (number: number) => `offer:${uuid(number)}` as const;
export const soldOut = (number: number) => ({ key: keyOf(number), item: anOffer(number, { isSoldOut: true }) });
export const priced = (number: number, dollars: number) => ({
  key: keyOf(number),
  item: anOffer(number, { salePrice: { minimum: dollars, maximum: dollars } }),
});

/** Posts of one subscription, whose edits, deletions and publications Discord answers as it is told. */
export async function anUpkeep(changes: Dressed = {}, log?: Log, keep?: Keeping) {
  const house = await aScriptedDeliverer(undefined, log, keep);
  const run = await house.run();
  const { store, deliverer, kick } = run;
  await run.subscribe('s', { mentioned: ['7'], ...changes });
  /** Posts an offer as delivery d1, message m1 and so on. */
  async function post(number: number, { alsoTells = [] as string[], messageChannelId = CHANNEL } = {}) {
    const delivery = aDelivery(`d${number}`, { announcement: newOfferOf(anOffer(number)), alsoTells });
    await store.transact((added) => store.deliveries.add(added, [delivery], (all) => [...all]));
    house.answers.push({ kind: 'sent', place: { channelId: messageChannelId, messageId: `m${number}` } });
    await kick();
    const made = await store.posts.get(keyOf(number), `d${number}`);
    expect(made).toBeDefined();
    return made;
  }
  return {
    ...house,
    ...run,
    post,
    /** Tells of an entity's new state, as a poll does. */
    change: async (...updates: Parameters<typeof deliverer.refresh>[1]) => {
      await store.transact((queued) => deliverer.refresh(queued, updates));
      await kick();
    },
    /** Queues the publication of these messages. */
    publish: async (messageIds: readonly string[], channelId = CHANNEL) => {
      const queuedAtMs = house.clock.now();
      const wanted = messageIds.map((messageId) => ({ channelId, messageId, queuedAtMs }));
      await store.commit((queued) => store.publications.add(queued, wanted));
      await kick();
    },
    asked: house.script.others,
    waiting: () => deliverer.status().editsPending,
  };
}
