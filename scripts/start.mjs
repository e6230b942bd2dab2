// Runs the bot alone where the settings name Discord and the catalog, and nothing of packages/ with it. Otherwise runs the demo, which
// simulates what is missing. Usage: node scripts/start.mjs [options of the bot], after a build
import { existsSync } from 'node:fs';

const { loadEnvFile } = await import(new URL('../dist/src/env-file.js', import.meta.url).href);
const isSet = (name) => Boolean(process.env[name]?.trim());

const hasProblems = loadEnvFile().length > 0;
const isConnected =
  (isSet('DISCORD_TOKEN') || isSet('DISCORD_TOKEN_FILE')) && isSet('CATALOG_PORTAL_URL') && isSet('CATALOG_V2_URL');

const bot = new URL('../dist/src/main.js', import.meta.url);
const demo = new URL('../dist/packages/demo/src/main.js', import.meta.url);
// The bot says what is wrong with .env. An installation of the bot alone has no demo: there it says what is missing, too.
const isBotAlone = isConnected || hasProblems || process.argv.includes('--help') || !existsSync(demo);
await import((isBotAlone ? bot : demo).href);
