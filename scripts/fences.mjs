// A rule for oxlint that says which folder may import what, so that an editor shows what it forbids, too.
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const BOT = ['deals', 'catalog', 'offers', 'announcements', 'store', 'discord'].map((folder) => `src/${folder}/`);
const APP = ['src/app/', 'src/shared/', ...BOT, 'commands/'];
const KINDS = 'src/announcements/kinds/';

/**
 * The folders and files that a folder or file may import besides itself. The longest entry that a path begins with
 * counts; a path without an entry (other tests, benchmarks, scripts) may import everything.
 */
const MAY_IMPORT = {
  'src/shared/': [],
  // Packages of their own: none of them imports the bot, and the bot imports none of them.
  'packages/catalog-service/src/': [],
  'packages/local-discord/src/': [],
  // It runs the bot as a process, and counts what is posted by the model of the world.
  'packages/demo/src/': ['packages/catalog-service/src/index.ts', 'packages/local-discord/src/index.ts', 'test/model/'],
  // It says what must stand in the channels: nothing of the bot's may decide that.
  'test/model/': [],
  'src/main.ts': ['src/app/', 'src/shared/'],
  'src/app/': APP,

  'src/deals/': ['src/shared/time.ts'],
  'src/catalog/': ['src/shared/', 'src/deals/'],
  'src/offers/': ['src/shared/', 'src/deals/', 'src/catalog/'],
  'src/store/': ['src/shared/', 'src/deals/', 'src/catalog/', KINDS],
  // Rows, commits and the lease, whatever the records are.
  'src/store/table/': ['src/shared/'],
  'src/discord/': ['src/shared/', 'src/deals/', 'src/catalog/', KINDS],

  // The store and the cards import the kinds, so the kinds import neither: a kind says what to show as data and words.
  [KINDS]: [
    'src/shared/',
    'src/deals/',
    'src/discord/i18n/',
    'src/discord/format.ts',
    'src/discord/limits.ts',
    'src/discord/markdown.ts',
    'src/discord/cards/accent.ts',
  ],
  ...pipeline('poll/', 'detect/', 'match/', 'outbox/', 'deliver/', 'current-state.ts'),
  'src/announcements/explain/': [...belowAnnouncements(), 'src/announcements/'],

  // A feature may import the core, and of other features only what FEATURE_IMPORTS allows.
  'src/features/': ['src/app/feature.ts', 'src/announcements/', 'commands/', ...belowAnnouncements()],

  'commands/': [...belowAnnouncements(), 'src/announcements/'],
};

/** The list of features, and the programs that hand it to the bot. */
const FEATURES = 'src/features/';
const FEATURE_LIST = `${FEATURES}index.ts`;
const PROGRAMS = ['src/main.ts', 'src/app/driven/driven.ts', 'src/app/operator/operator.ts'];

/** What a feature may import of another one, with the reason. */
export const FEATURE_IMPORTS = [
  // The button of /events and the address give the same calendar, with the same ids in it.
  { from: 'web-feeds', to: 'src/features/events-list/calendar-file.ts' },
];

/** The folders of which a folder may import types, and nothing else. */
const MAY_IMPORT_TYPES = {
  'test/model/': ['src/deals/'],
  // A setting of a feature says in its own words what a value is.
  'src/deals/': ['src/shared/errors.ts', 'src/discord/i18n/translator.ts'],
};

/** The only places that know a library. */
const LIBRARIES = {
  undici: ['src/catalog/'],
  'lru-cache': ['src/catalog/', 'src/discord/pictures/'],
  keyv: ['src/store/table/'],
  '@keyv/sqlite': ['src/store/table/'],
  sqlite3: ['packages/local-discord/'],
  '@keyv/postgres': ['src/store/table/'],
  pg: ['src/store/table/'],
  'node-cron': ['src/app/'],
  'temporal-polyfill': ['src/deals/timing.ts', 'src/discord/i18n/'],
  'discord.js': [
    'src/discord/',
    'src/features/',
    'commands/',
    'packages/local-discord/test/',
    'packages/local-discord/examples/',
  ],
  entities: ['src/shared/'],
  htmlparser2: ['src/discord/'],
  minisearch: ['src/offers/'],
  'js-yaml': ['src/features/'],
  re2js: ['src/deals/filter/'],
  'ical-generator': ['src/features/events-list/'],
  feed: ['src/features/'],
  fastify: ['src/app/', 'src/features/', 'packages/'],
  '@fastify/etag': ['src/features/'],
  '@fastify/rate-limit': ['src/features/'],
  '@fastify/swagger': ['packages/catalog-service/'],
  '@fastify/swagger-ui': ['packages/catalog-service/'],
  'discord-api-spec': ['packages/local-discord/'],
  ws: ['packages/local-discord/'],
  'prom-client': ['src/app/'],
};

function belowAnnouncements() {
  return ['src/shared/', 'src/deals/', 'src/catalog/', 'src/offers/', 'src/store/', 'src/discord/'];
}

/** Each part of the pipeline may import those after it. */
function pipeline(...parts) {
  const paths = parts.map((part) => `src/announcements/${part}`);
  return Object.fromEntries(
    paths.map((path, place) => [path, [...belowAnnouncements(), ...paths.slice(place + 1), KINDS]]),
  );
}

/**
 * Why a file may not import something; null where it may.
 * @param {string} file its path below the root, with slashes
 * @param {string} specifier as it stands in the file
 * @param {boolean} isOfTypes whether it imports only types
 * @returns {string | null}
 */
export function forbiddenImport(file, specifier, isOfTypes = false) {
  const isChecked = ['src/', 'commands/', 'packages/', 'test/'].some((path) => file.startsWith(path));
  if (!isChecked) return null;
  if (!specifier.startsWith('.')) {
    // Tests look at what libraries store and send.
    if (file.startsWith('test/') && !file.startsWith('test/model/')) return null;
    const places = LIBRARIES[specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')];
    if (!places || places.some((place) => file.startsWith(place))) return null;
    return `Only ${places.join(', ')} may import ${specifier}.`;
  }
  const target = slashes(relative(ROOT, resolve(ROOT, dirname(file), specifier)));
  if (target.startsWith(FEATURES) || file.startsWith(FEATURES)) {
    const forbidden = forbiddenOfFeatures(file, target);
    if (forbidden !== undefined) return forbidden;
  }
  const [folder] = Object.keys(MAY_IMPORT)
    .filter((path) => file.startsWith(path))
    .sort((a, b) => b.length - a.length);
  if (folder === undefined) return null;
  const allowed = [folder, ...MAY_IMPORT[folder], ...(isOfTypes ? (MAY_IMPORT_TYPES[folder] ?? []) : [])];
  if (allowed.some((path) => target.startsWith(path))) return null;
  return `${folder} may import ${MAY_IMPORT[folder].join(', ') || 'nothing else'}, not ${target}.`;
}

/** As `forbiddenImport` where one of the two belongs to a feature; undefined where the other rules decide. */
function forbiddenOfFeatures(file, target) {
  if (file === FEATURE_LIST)
    return target.startsWith(FEATURES) || target === 'src/app/feature.ts' ? null : `${file} is a list.`;
  if (!target.startsWith(FEATURES)) return undefined;
  if (!file.startsWith(FEATURES)) {
    const isList = target === FEATURE_LIST && (PROGRAMS.includes(file) || file.startsWith('test/'));
    const isItsTest = file.startsWith(target.replace(/^src\/(features\/[^/]+\/).*/, 'test/$1'));
    return isList || isItsTest ? null : `The core can do without ${target}: a feature plugs itself in.`;
  }
  const [own, other] = [featureOf(file), featureOf(target)];
  if (own === other || FEATURE_IMPORTS.some(({ from, to }) => from === own && target === to)) return null;
  return `The feature ${own} may not import ${target}: only what FEATURE_IMPORTS lists with a reason.`;
}

const featureOf = (path) => path.slice(FEATURES.length).split('/')[0];

function slashes(path) {
  return path.split(sep).join('/');
}

const fences = {
  meta: { type: 'problem' },
  create(context) {
    const file = slashes(relative(ROOT, context.filename));
    function check({ source, importKind }) {
      if (typeof source?.value !== 'string') return;
      const message = forbiddenImport(file, source.value, importKind === 'type');
      if (message !== null) context.report({ node: source, message });
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

export default { meta: { name: 'dealbell' }, rules: { fences } };
