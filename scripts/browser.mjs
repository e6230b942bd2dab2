// Headless Chromium, where it is installed. CHROMIUM says where, if not at the usual place.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** The browser's program. */
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Opens a page of that size in CSS pixels, gives it to `use`, and clears everything away. Errors of the page are told. */
export async function withPage(size, use) {
  const profile = mkdtempSync(join(tmpdir(), 'dealbell-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    viewport: size,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => process.stderr.write(`${error.message}\n`));
    page.on('console', (message) => {
      if (message.type() === 'error') process.stderr.write(`${message.text()}\n`);
    });
    await use(page);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
