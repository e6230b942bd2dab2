// Runs the bot alone where the settings name Discord and the catalog, and nothing of packages/ with it. Otherwise runs the demo, which
// simulates what is missing. Usage: node scripts/start.mjs [options of the bot], after a build
import { existsSync } from 'node:fs';

const isSet = (name) => Boolean(process.env[name]?.trim());

// Variables that are already set take precedence.
if (existsSync('.env')) process.loadEnvFile('.env');
const isConnected =
  (isSet('DISCORD_TOKEN') || isSet('DISCORD_TOKEN_FILE')) && isSet('CATALOG_PORTAL_URL') && isSet('CATALOG_V2_URL');

const bot = new URL('../dist/src/main.js', import.meta.url);
const demo = new URL('../dist/packages/demo/src/main.js', import.meta.url);
// An installation of the bot alone has no demo: there the bot says what is missing.
const isBotAlone = isConnected || process.argv.includes('--help') || !existsSync(demo);
await import((isBotAlone ? bot : demo).href);
