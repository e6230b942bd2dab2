import { expect, test } from 'vitest';
import { forbiddenImport } from '../../scripts/fences.mjs';

test.each([
  ['src/bot/deals/price.ts', '../store/posts.ts'],
  ['src/bot/deals/price.ts', '../../shared/clock.ts'],
  ['src/bot/catalog/transport.ts', '../discord/courier.ts'],
  ['src/bot/discord/courier.ts', '../store/posts.ts'],
  ['src/bot/announcements/deliver/plan.ts', '../detect/detect-offers.ts'],
  ['src/bot/announcements/match/match.ts', '../poll/poller.ts'],
  ['src/bot/announcements/outbox/enqueue.ts', '../match/match.ts'],
  ['src/bot/announcements/deliver/plan.ts', '../outbox/enqueue.ts'],
  ['src/bot/announcements/current-state.ts', './deliver/deliverer.ts'],
  ['src/bot/store/deliveries.ts', '../announcements/outbox/one-post.ts'],
  ['src/bot/announcements/deliver/plan.ts', '../../../../commands/index.ts'],
  ['src/bot/announcements/kinds/price-drop.ts', '../../discord/cards/offer-card.ts'],
  ['src/bot/announcements/kinds/price-drop.ts', '../match/match.ts'],
  ['src/bot/discord/cards/offer-card.ts', '../../announcements/match/match.ts'],
  ['packages/catalog-service/src/service.ts', '../../../src/bot/deals/price.ts'],
  ['packages/catalog-service/src/service.ts', '../../local-discord/src/index.ts'],
  ['packages/local-discord/src/server/world.ts', '../../../../src/bot/discord/courier.ts'],
  ['src/shared/log.ts', '../config.ts'],
  ['src/bot/store/posts.ts', 'keyv'],
  ['src/bot/discord/courier.ts', 'fastify'],
  ['src/bot/catalog/http.ts', '@keyv/sqlite'],
  ['commands/feed.ts', '../packages/local-discord/src/index.ts'],
  ['src/app.ts', '../packages/local-discord/src/index.ts'],
  ['src/app/bot.ts', '../../packages/catalog-service/src/index.ts'],
  ['src/app/bot.ts', 'discord.js'],
  ['src/bot/discord/courier.ts', '../../app/bot.ts'],
  ['src/demo/counters.ts', '../../test/torture/tally.ts'],
  ['src/bot/deals/price.ts', '../../../test/model/world.ts'],
  ['test/model/world.ts', '../../src/bot/deals/price.ts'],
  ['test/model/world.ts', '../helpers/manual-clock.ts'],
])('%s may not import %s', (file, specifier) => {
  expect(forbiddenImport(file, specifier)).toMatch(/ may import /);
});

test.each([
  ['src/bot/deals/price.ts', './offer.ts'],
  ['src/bot/announcements/poll/ingest.ts', '../deliver/deliverer.ts'],
  ['src/bot/announcements/match/audience.ts', '../outbox/enqueue.ts'],
  ['src/bot/announcements/deliver/posting.ts', '../current-state.ts'],
  ['src/bot/announcements/explain/decide.ts', '../poll/poller.ts'],
  ['src/bot/announcements/detect/detect-offers.ts', '../kinds/index.ts'],
  ['src/bot/discord/cards/offer-card.ts', '../../announcements/kinds/index.ts'],
  ['src/bot/announcements/kinds/price-drop.ts', '../../discord/format.ts'],
  ['src/bot/catalog/http.ts', 'undici'],
  ['src/shared/storage/backend.ts', 'keyv'],
  ['src/bot/deals/price.ts', 'zod'],
  ['src/app/discord-side.ts', '../../packages/local-discord/src/index.ts'],
  ['src/app/catalog-side.ts', '../../packages/catalog-service/src/index.ts'],
  ['src/app/bot.ts', '../../commands/index.ts'],
  ['src/app.ts', './bot/store/store.ts'],
  ['commands/feed.ts', '../src/bot/deals/price.ts'],
  ['src/demo/counters.ts', '../../test/model/world.ts'],
  ['test/model/world.ts', './catalog.ts'],
  ['test/bot/deals/price.test.ts', '../../../packages/local-discord/src/cli.ts'],
])('%s may import %s', (file, specifier) => {
  expect(forbiddenImport(file, specifier)).toBeNull();
});

test('the model of the world may import types of the domain, and nothing else of the bot', () => {
  expect(forbiddenImport('test/model/limits.ts', '../../src/bot/deals/subscription.ts', true)).toBeNull();
  expect(forbiddenImport('test/model/limits.ts', '../../src/bot/store/store.ts', true)).toMatch(/ may import /);
});
