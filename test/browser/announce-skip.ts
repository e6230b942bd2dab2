import { findChromium } from '../../scripts/browser.mjs';

/**
 * Says at the end of a run that the tests in a browser were skipped for want of one, and fails where they must not be:
 * with CI_REQUIRE_BROWSER=1.
 */
export default function announceSkip(): (() => void) | undefined {
  if (findChromium() !== null) return undefined;
  if (process.env['CI_REQUIRE_BROWSER'] === '1') throw new Error(`CI_REQUIRE_BROWSER=1, but: ${NO_BROWSER}`);
  return () => {
    process.stderr.write(`\nThe tests in a browser were skipped: ${NO_BROWSER}\n`);
  };
}

const NO_BROWSER = 'no Chromium, Chrome or Edge was found. Install one, or name its program: CHROMIUM=<path>.';
