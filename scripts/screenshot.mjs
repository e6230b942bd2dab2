// Takes a picture of local Discord's page in headless Chromium, where that is installed.
// Usage: node scripts/screenshot.mjs ADDRESS FILE.png [WIDTH HEIGHT]
import { withPage } from './browser.mjs';

const [address, file, width = '1280', height = '800'] = process.argv.slice(2);
if (!address || !file) {
  process.stderr.write('Usage: node scripts/screenshot.mjs ADDRESS FILE.png [WIDTH HEIGHT]\n');
  process.exit(2);
}
await withPage({ width: Number(width), height: Number(height) }, async (page) => {
  await page.goto(address);
  await page.getByText('New offer').first().waitFor();
  await page.waitForTimeout(1000);
  await page.screenshot({ path: file });
});
