import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { findChromium } from '../../scripts/browser.mjs';

/** Where PostgreSQL is looked for when nothing names it. */
const USUAL = 'postgres://root@127.0.0.1:5432/postgres';

const NO_BROWSER =
  'in a browser (no Chromium, Chrome or Edge was found: install one, or name its program with CHROMIUM=<path>)';
const SLOW = 'that are slow, and of some others all but a sample (npm run test:slow has them)';
const NO_PROMTOOL = 'of the rules for Prometheus (promtool was not found: install Prometheus)';
const NO_POSTGRES = `on PostgreSQL (none answers at ${USUAL}: start one there, or name one with DEALBELL_TEST_POSTGRES=<address>)`;

/**
 * Looks once, for all tests, for what some of them need and not every machine has. At the end of the run one line says which
 * tests were skipped, and how to have them run. A PostgreSQL that is named has to be there: its tests then fail where it
 * is not. So does the browser with CI_REQUIRE_BROWSER=1.
 */
export default async function setUp({ name, provide }: TestProject): Promise<void> {
  const skipped: string[] = [];
  if (name === 'slow') {
    if (findChromium() === null) {
      if (process.env['CI_REQUIRE_BROWSER'] === '1')
        throw new Error(`CI_REQUIRE_BROWSER=1, but no tests run ${NO_BROWSER}.`);
      skipped.push(NO_BROWSER);
    }
    if (findPromtool() === null) skipped.push(NO_PROMTOOL);
  }
  if (!process.env['DEALBELL_TEST_POSTGRES']) {
    if (await answers(USUAL)) process.env['DEALBELL_TEST_POSTGRES'] = USUAL;
    else skipped.push(NO_POSTGRES);
  }
  if (name === 'fast') skipped.push(SLOW);
  provide('skippedTests', skipped);
}

/** Where Prometheus' tool is that tests rules; null where it is not installed. */
export function findPromtool(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'promtool')).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
