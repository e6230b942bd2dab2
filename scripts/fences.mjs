// A rule for oxlint that says which folder may import what, so that an editor shows what it forbids, too.
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const APP = ['src/app/', 'src/bot/', 'src/shared/', 'src/config.ts', 'commands/'];
const KINDS = 'src/bot/announcements/kinds/';

/**
 * The folders and files that a folder or file may import besides itself. The longest entry that a path begins with
 * counts; a path without an entry (other tests, benchmarks, scripts, main.ts) may import everything.
 */
const MAY_IMPORT = {
  'src/shared/': [],
  // Packages of their own: neither they nor the bot know each other.
  'packages/catalog-service/src/': [],
  'packages/local-discord/src/': [],
  // It runs the bot as a process and knows nothing of its code.
  'src/demo/': [
    'src/shared/',
    'packages/catalog-service/src/index.ts',
    'packages/local-discord/src/index.ts',
    'test/model/',
  ],
  // It says what must stand in the channels: nothing of the bot's may decide that.
  'test/model/': [],
  'src/app.ts': APP,
  'src/app/': APP,
  // Only these two start the other programs.
  'src/app/catalog-side.ts': [...APP, 'packages/catalog-service/src/index.ts'],
  'src/app/discord-side.ts': [...APP, 'packages/local-discord/src/index.ts'],
  'src/config.ts': ['src/shared/', 'src/bot/operations/', 'src/bot/deals/levenshtein.ts'],

  'src/bot/deals/': [],
  'src/bot/catalog/': ['src/shared/', 'src/bot/deals/'],
  'src/bot/offers/': ['src/shared/', 'src/bot/deals/', 'src/bot/catalog/'],
  'src/bot/store/': ['src/shared/', 'src/bot/deals/', 'src/bot/catalog/', KINDS],
  'src/bot/discord/': ['src/shared/', 'src/bot/deals/', 'src/bot/catalog/', KINDS],
  'src/bot/operations/': ['src/shared/'],

  // Below what stores and shows them: a kind says in data and words what is to be shown, the cards show it.
  [KINDS]: [
    'src/shared/',
    'src/bot/deals/',
    'src/bot/discord/i18n/',
    'src/bot/discord/format.ts',
    'src/bot/discord/cards/accent.ts',
  ],
  ...pipeline('poll/', 'detect/', 'match/', 'outbox/', 'deliver/', 'current-state.ts'),
  'src/bot/subscription-files/': [...belowAnnouncements(), 'src/bot/announcements/'],
  'src/bot/announcements/explain/': [...belowAnnouncements(), 'src/bot/announcements/'],

  'commands/': [...belowAnnouncements(), 'src/bot/announcements/', 'src/bot/subscription-files/'],
};

/** The folders of which a folder may import types, and nothing else. */
const MAY_IMPORT_TYPES = { 'test/model/': ['src/bot/deals/'] };

/** The only places that know a library. */
const LIBRARIES = {
  undici: ['src/bot/catalog/'],
  'lru-cache': ['src/bot/catalog/', 'src/bot/discord/charts/'],
  keyv: ['src/shared/storage/', 'packages/local-discord/'],
  '@keyv/sqlite': ['src/shared/storage/', 'packages/local-discord/'],
  '@keyv/postgres': ['src/shared/storage/'],
  pg: ['src/shared/storage/'],
  'node-cron': ['src/bot/operations/'],
  'temporal-polyfill': ['src/bot/deals/timing.ts', 'src/bot/discord/i18n/'],
  'discord.js': ['src/bot/discord/', 'commands/', 'packages/local-discord/test/'],
  htmlparser2: ['src/bot/discord/'],
  minisearch: ['src/bot/offers/'],
  yaml: ['src/bot/subscription-files/'],
  re2js: ['src/bot/deals/filter/'],
  fastify: ['src/bot/operations/', 'packages/', 'src/demo/'],
  '@fastify/swagger': ['packages/catalog-service/'],
  '@fastify/swagger-ui': ['packages/catalog-service/'],
  'discord-api-spec': ['packages/local-discord/'],
  ws: ['packages/local-discord/'],
  'prom-client': ['src/bot/operations/'],
};

function belowAnnouncements() {
  return ['src/shared/', 'src/bot/deals/', 'src/bot/catalog/', 'src/bot/offers/', 'src/bot/store/', 'src/bot/discord/'];
}

/** Each part of the pipeline may import those after it. */
function pipeline(...parts) {
  const paths = parts.map((part) => `src/bot/announcements/${part}`);
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
  const isChecked = ['src/', 'commands/', 'packages/', 'test/model/'].some((path) => file.startsWith(path));
  if (!isChecked) return null;
  if (!specifier.startsWith('.')) {
    const places = LIBRARIES[specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')];
    if (!places || places.some((place) => file.startsWith(place))) return null;
    return `Only ${places.join(', ')} may import ${specifier}.`;
  }
  const target = slashes(relative(ROOT, resolve(ROOT, dirname(file), specifier)));
  const [folder] = Object.keys(MAY_IMPORT)
    .filter((path) => file.startsWith(path))
    .sort((a, b) => b.length - a.length);
  if (folder === undefined) return null;
  const allowed = [folder, ...MAY_IMPORT[folder], ...(isOfTypes ? (MAY_IMPORT_TYPES[folder] ?? []) : [])];
  if (allowed.some((path) => target.startsWith(path))) return null;
  return `${folder} may import ${MAY_IMPORT[folder].join(', ') || 'nothing else'}, not ${target}.`;
}

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
