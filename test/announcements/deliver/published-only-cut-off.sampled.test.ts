import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { aPostOffice } from '../../helpers/post-office.ts';
import { sampled } from '../../helpers/sampled.ts';
import { anOffer } from '../../helpers/things.ts';
import { isAnnouncement, readPost } from '../../model/reading.ts';

const FOLLOWERS = 3;
/** More writes than the posts and publications of these deals take. */
const writes = sampled(
  Array.from({ length: 18 }, (_, index) => index + 1),
  4,
);
const offers = [1, 2, 3].map((number) => anOffer(number, { endDateMs: null }));
const owed = offers.map(({ url }) => String(url)).toSorted();

test.each(writes.flatMap((dieAt) => [[dieAt, 0] as const, [dieAt, 10] as const]))(
  'killed before write %i while others publish %i an hour, each deal is in each channel that follows once',
  async (dieAt, othersPublish) => {
    const office = await aPostOffice();
    const { discord, clock } = office;
    const channelId = office.channelId('announcements');
    const followers = discord.createFollowers(channelId, FOLLOWERS);
    const before = await office.run();
    office.publishedOnly.add(channelId);
    const subscription = await before.subscribe({ channelId, isPublished: true });
    await before.enqueue(subscription, offers);
    await before.stop();

    discord.othersPublish = othersPublish;
    const killed = await office.run((backend) => mortal(backend, dieAt));
    killed.deliverer.kick();
    const isPaused = clock.untilSleeping((ms) => isFirstRetry(ms) || ms > HOUR_MS - 60_000);
    await Promise.race([killed.deliverer.settled(), isPaused]);
    await killed.stop();

    discord.othersPublish = 0;
    // Longer than Discord remembers a nonce.
    await clock.advance(2 * HOUR_MS);
    const after = await office.run();
    await after.settle();
    for (const { id } of followers) {
      const told = discord
        .messages(id)
        .filter(isAnnouncement)
        .flatMap((message) => readPost(message).news.map(({ url }) => url));
      expect(told.toSorted()).toEqual(owed);
    }
    expect(after.deliverer.status()).toMatchObject({ pending: 0, publicationsPending: 0 });
  },
);
