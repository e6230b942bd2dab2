import { expect, test } from 'vitest';
import { forbiddenImport } from '../../scripts/fences.mjs';

test.each([
  ['src/deals/price.ts', '../store/posts.ts'],
  ['src/deals/price.ts', '../shared/clock.ts'],
  ['src/catalog/transport.ts', '../discord/courier.ts'],
  ['src/discord/courier.ts', '../store/posts.ts'],
  ['src/announcements/deliver/plan.ts', '../detect/detect-offers.ts'],
  ['src/announcements/match/match.ts', '../poll/poller.ts'],
  ['src/announcements/outbox/enqueue.ts', '../match/match.ts'],
  ['src/announcements/deliver/plan.ts', '../outbox/enqueue.ts'],
  ['src/announcements/current-state.ts', './deliver/deliverer.ts'],
  ['src/store/deliveries.ts', '../announcements/outbox/enqueue.ts'],
  ['src/announcements/deliver/plan.ts', '../../../commands/index.ts'],
  ['src/announcements/kinds/price-drop.ts', '../../discord/cards/offer-card.ts'],
  ['src/announcements/kinds/price-drop.ts', '../match/match.ts'],
  ['src/discord/cards/offer-card.ts', '../../announcements/match/match.ts'],
  ['packages/catalog-service/src/service.ts', '../../../src/deals/price.ts'],
  ['packages/catalog-service/src/service.ts', '../../local-discord/src/index.ts'],
  ['packages/local-discord/src/server/world.ts', '../../../../src/discord/courier.ts'],
  ['src/shared/log.ts', '../app/config.ts'],
  ['src/store/posts.ts', 'keyv'],
  ['src/store/table/state.ts', '../posts.ts'],
  ['src/discord/courier.ts', 'fastify'],
  ['src/catalog/http.ts', '@keyv/sqlite'],
  ['commands/feed.ts', '../packages/local-discord/src/index.ts'],
  ['src/app/app.ts', '../../packages/local-discord/src/index.ts'],
  ['src/app/bot.ts', '../../packages/catalog-service/src/index.ts'],
  ['src/app/bot.ts', 'discord.js'],
  ['src/discord/courier.ts', '../app/bot.ts'],
  ['src/main.ts', '../packages/demo/src/main.ts'],
  ['src/main.ts', '../packages/local-discord/src/index.ts'],
  ['src/app/driven/driven.ts', '../../../packages/demo/src/protocol.ts'],
  ['packages/demo/src/protocol.ts', '../../../src/app/driven/messages.ts'],
  ['packages/demo/src/stage.ts', '../../local-discord/src/server/seed.ts'],
  ['packages/local-discord/src/cli.ts', '../../demo/src/log.ts'],
  ['packages/demo/src/counters.ts', '../../../test/torture/tally.ts'],
  ['src/deals/price.ts', '../../test/model/world.ts'],
  ['test/model/world.ts', '../../src/deals/price.ts'],
  ['test/model/world.ts', '../helpers/manual-clock.ts'],
  ['src/features/hubs/hub.ts', '../../app/bot.ts'],
  ['src/features/index.ts', '../app/bot.ts'],
  ['src/features/hubs/hub.ts', '../boards/index.ts'],
  ['src/features/hubs/hub.ts', '../index.ts'],
  ['src/app/bot.ts', '../features/index.ts'],
  ['commands/help.ts', '../src/features/hubs/offered.ts'],
  ['test/helpers/house.ts', '../../src/features/hubs/index.ts'],
  ['test/features/boards/board.test.ts', '../../../src/features/hubs/index.ts'],
])('%s may not import %s', (file, specifier) => {
  expect(forbiddenImport(file, specifier)).not.toBeNull();
});

test.each([
  ['src/deals/price.ts', './offer.ts'],
  ['src/announcements/poll/poll-once.ts', '../deliver/deliverer.ts'],
  ['src/announcements/match/match.ts', '../outbox/enqueue.ts'],
  ['src/announcements/deliver/posting.ts', '../current-state.ts'],
  ['src/announcements/explain/decide.ts', '../poll/poller.ts'],
  ['src/announcements/detect/detect-offers.ts', '../kinds/index.ts'],
  ['src/discord/cards/offer-card.ts', '../../announcements/kinds/index.ts'],
  ['src/announcements/kinds/price-drop.ts', '../../discord/format.ts'],
  ['src/catalog/http.ts', 'undici'],
  ['src/store/table/database.ts', 'keyv'],
  ['src/deals/price.ts', 'zod'],
  ['packages/demo/src/sides.ts', '../../local-discord/src/index.ts'],
  ['packages/demo/src/sides.ts', '../../catalog-service/src/index.ts'],
  ['src/main.ts', './app/app.ts'],
  ['src/main.ts', './features/index.ts'],
  ['src/features/index.ts', './hubs/index.ts'],
  ['src/features/hubs/index.ts', './hub.ts'],
  ['src/features/hubs/index.ts', '../../app/feature.ts'],
  ['test/helpers/translator.ts', '../../src/features/index.ts'],
  ['test/features/hubs/cards.test.ts', '../../../src/features/hubs/cards.ts'],
  ['src/app/bot.ts', '../../commands/index.ts'],
  ['src/app/app.ts', '../store/store.ts'],
  ['commands/feed.ts', '../src/deals/price.ts'],
  ['packages/demo/src/counters.ts', '../../../test/model/world.ts'],
  ['test/model/world.ts', './catalog.ts'],
  ['test/deals/price.test.ts', '../../../packages/local-discord/src/cli.ts'],
])('%s may import %s', (file, specifier) => {
  expect(forbiddenImport(file, specifier)).toBeNull();
});

test('the model of the world may import types of the domain, and nothing else of the bot', () => {
  expect(forbiddenImport('test/model/limits.ts', '../../src/deals/subscription.ts', true)).toBeNull();
  expect(forbiddenImport('test/model/limits.ts', '../../src/store/store.ts', true)).not.toBeNull();
});
