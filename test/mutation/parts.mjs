/** The sources that can be mutated together, and the tests that concern them. Patterns are from the project's folder. */
export const PARTS = {
  deals: partOf(['bot/deals/**']),
  throttle: partOf(['bot/catalog/throttle']),
  store: partOf(['bot/store', 'shared/storage']),
  poll: partOf(['bot/announcements/poll/**']),
  detect: {
    mutate: ['src/bot/announcements/{detect,kinds}/*.ts'],
    // A kind is found by the poller, decided on by /why and worded on cards.
    tests: testsAt(
      'bot/announcements/{detect/*,kinds/*,poll/poller,current-state*,explain/*,match/audience,outbox/*}',
      'bot/discord/cards/{cards,roll-up-card,subscription-cards}',
      'end-to-end/{announcements,almost-gone}',
    ),
  },
  match: partOf(['bot/announcements/match']),
  outbox: {
    mutate: ['src/bot/announcements/outbox/*.ts', 'src/bot/announcements/current-state.ts'],
    tests: testsAt(
      'bot/announcements/{outbox/*,current-state*,deliver/deliverer,deliver/plan,explain/*,kinds/*}',
      'bot/store/{deliveries,ledger}',
    ),
  },
  deliver: partOf(['bot/announcements/deliver'], ['bot/announcements/current-state*']),
  explain: partOf(['bot/announcements/explain'], ['end-to-end/{why,preview,almost-gone}']),
};

/** Folders of sources, with the tests that mirror them and those that concern them elsewhere. */
function partOf(folders, elsewhere = []) {
  return {
    mutate: folders.map((folder) => `src/${folder}/*.ts`),
    tests: testsAt(...folders.map((folder) => `${folder}/*`), ...elsewhere),
  };
}

function testsAt(...places) {
  return places.map((place) => `test/${place}.test.ts`);
}
