import { readdirSync } from 'node:fs';

const DELIVER = 'src/announcements/deliver';
const BELIEF = [
  'arrival',
  'asking',
  'belief',
  'change',
  'doubts',
  'entity-belief',
  'event-belief',
  'feed-presence',
  'field-rules',
  'offer-belief',
  'presence',
  'stories',
].map((file) => `src/deals/${file}.ts`);
/** For tests that take a tenth of a second: a busy machine takes no longer. */
const SHORT_MS = 5_000;

/** The sources that can be mutated together, and the tests that concern them. Patterns are from the project's folder. */
export const PARTS = {
  // What is believed is a part of its own.
  deals: { ...partOf(['deals/**']), mutate: ['src/deals/**/*.ts', ...BELIEF.map((file) => `!${file}`)] },
  throttle: partOf(['catalog/throttle']),
  'store-records': {
    mutate: [
      'src/store/{catalog-records,channel-records,deliveries,delivery,rate-log,pending-deliveries,personal-data}.ts',
      'src/store/{posts,prices,server-records,subscriptions}.ts',
    ],
    tests: testsAt(
      'store/{backup,channel-jobs,deliveries,known-again,ledger,looks,rate-log,people,personal-data,prices,records}',
      'store/subscriptions',
    ),
  },
  'store-files': {
    mutate: ['src/store/{backup,migrations,move-state,open-state,store}.ts'],
    tests: testsAt('store/{away-at-start,backup,migrations,move-state,records}', 'store/table/lease'),
  },
  // What both databases do alike is held on SQLite, whose tests take a third of the time.
  'store-table': {
    mutate: ['src/store/table/{backend,database,failures,records,sqlite,state,state-place}.ts'],
    tests: testsAt(
      'store/{away-at-start,backup,migrations,move-state,records,subscriptions}',
      'store/table/{backend,grouped-records,refusals,sqlite-file,state-place,write-watch}',
      'app/config',
    ),
  },
  'store-lease': {
    mutate: ['src/store/table/{lease,process-identity,standby}.ts'],
    tests: testsAt('store/table/{lease,postgres-lease,process-identity,standby}'),
  },
  'store-postgres': {
    mutate: ['src/store/table/{postgres,postgres-session}.ts'],
    tests: testsAt('store/table/{postgres-backend,postgres-lease,postgres-session,refusals}'),
  },
  poll: {
    mutate: ['src/announcements/poll/{asking,doubt-figures,doubts,owed-posts,poll-once,poller,resource}.ts'],
    tests: testsAt(
      'announcements/poll/{confirmed-news,doubt-figures,doubts,missing-offers,poll-once,poller,resource,told-terms}',
    ),
  },
  // The tests that live through whole days (planner-days, clock-jumps) take too long.
  planner: {
    mutate: ['src/announcements/poll/{planner,arrivals}.ts'],
    tests: testsAt('announcements/poll/{planner,arrival-curve,learned-times}'),
  },
  // What is believed after an answer: the pure half of detection.
  belief: {
    mutate: BELIEF,
    tests: testsAt('deals/*', 'announcements/detect/*'),
  },
  // The properties of one-odd-answer-of-entities take half a minute for each mutant that they do not notice.
  detect: {
    mutate: ['src/announcements/detect/*.ts'],
    tests: testsAt(
      'announcements/detect/{detect-entities,detect-offers,doubtful-entities,renamed}',
      'announcements/{poll/doubt-figures,poll/doubts,poll/poll-once,poll/poller,poll/turns,current-state*}',
    ),
  },
  kinds: {
    mutate: ['src/announcements/kinds/*.ts'],
    // A kind is found by the poller, decided on by the explainer and worded on cards; that of a thing has a command, too.
    tests: testsAt(
      'announcements/{kinds/*,poll/poll-once,poll/poller,current-state*,explain/*,match/*,outbox/*}',
      'discord/cards/{cards,roll-up-card,subscription-cards}',
      'end-to-end/{announcements,almost-gone,things}',
    ),
  },
  match: partOf(['announcements/match']),
  outbox: {
    mutate: ['src/announcements/outbox/*.ts'],
    tests: testsAt(
      'announcements/{outbox/*,current-state*,deliver/deliverer,deliver/plan,explain/*,kinds/*}',
      'store/{deliveries,ledger}',
    ),
  },
  'current-state': {
    mutate: ['src/announcements/current-state.ts'],
    tests: testsAt('announcements/{current-state*,deliver/deliverer,explain/*,outbox/*}'),
  },
  // Tests with a whole local Discord would take a day here, because with many a mutant the work never comes to rest. For
  // the same reason a test of these has little time.
  'deliver-rules': {
    mutate: [`${DELIVER}/{plan,message}.ts`],
    tests: testsAt('announcements/deliver/{hub-plan,message,plan,posting,quiet-hours}'),
    testTimeoutMs: SHORT_MS,
  },
  'deliver-posts': {
    mutate: [`${DELIVER}/{mentions,posting,reading,recording}.ts`],
    tests: testsAt('announcements/deliver/{channel,deliverer,hubs,posting,quiet-hours,servers}'),
    testTimeoutMs: SHORT_MS,
  },
  'deliver-upkeep': {
    mutate: [`${DELIVER}/{editing,publishing,upkeep}.ts`],
    tests: testsAt('announcements/deliver/upkeep*'),
    testTimeoutMs: SHORT_MS,
  },
  'deliver-kept': {
    mutate: [`${DELIVER}/{kept,pinning,replying}.ts`],
    tests: testsAt('announcements/deliver/{kept,replying}'),
    testTimeoutMs: SHORT_MS,
  },
  'deliver-servers': {
    mutate: [`${DELIVER}/servers.ts`],
    tests: testsAt('announcements/deliver/servers'),
    testTimeoutMs: SHORT_MS,
  },
  'deliver-work': {
    mutate: [`${DELIVER}/{channel,parts}.ts`],
    tests: testsAt('announcements/deliver/{channel,blocked}'),
    testTimeoutMs: SHORT_MS,
  },
  deliverer: {
    mutate: [`${DELIVER}/deliverer.ts`],
    tests: testsAt(
      'announcements/deliver/{deliverer*,quiet-hours,servers,status,upkeep*}',
      'announcements/explain/truth',
    ),
    testTimeoutMs: SHORT_MS,
  },
  explain: partOf(['announcements/explain'], ['end-to-end/{why,preview,almost-gone}']),
  ...partsOfFeatures(),
};

/** Each feature is a part of its own: `feature-x`. */
function partsOfFeatures() {
  const names = readdirSync(new URL('../../src/features', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const partOfFeature = (name) => ({ mutate: [`src/features/${name}/**/*.ts`], tests: testsAt(`features/${name}/*`) });
  return Object.fromEntries(names.map((name) => [`feature-${name}`, partOfFeature(name)]));
}

/** Folders of sources, with the tests that mirror them and those that concern them elsewhere. */
function partOf(folders, elsewhere = []) {
  return {
    mutate: folders.map((folder) => `src/${folder}/*.ts`),
    tests: testsAt(...folders.map((folder) => `${folder}/*`), ...elsewhere),
  };
}

function testsAt(...places) {
  return places.map((place) => `test/${place}{,.slow,.sampled}.test.ts`);
}
