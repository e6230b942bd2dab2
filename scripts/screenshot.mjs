// Takes pictures of local Discord's page in headless Chromium, where that is installed.
// Usage: node scripts/screenshot.mjs ADDRESS FILE.png [WIDTH HEIGHT]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [address, file, width = '1280', height = '800'] = process.argv.slice(2);
if (!address || !file) {
  process.stderr.write('Usage: node scripts/screenshot.mjs ADDRESS FILE.png [WIDTH HEIGHT]\n');
  process.exit(2);
}
const profile = mkdtempSync(join(tmpdir(), 'dealbell-browser-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  viewport: { width: Number(width), height: Number(height) },
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
  await page.goto(address);
  await page.getByText('New offer').first().waitFor();
  await page.waitForTimeout(1000);
  await page.screenshot({ path: file });
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
