import { expect, test } from 'vitest';
import { findChromium } from '../../scripts/browser.mjs';

const only =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);

test('the browser that CHROMIUM names is the only one that counts', () => {
  const both = only('/usr/bin/chromium', '/opt/chrome');
  expect(findChromium({ CHROMIUM: '/opt/chrome' }, both, 'linux')).toBe('/opt/chrome');
  expect(findChromium({ CHROMIUM: '/opt/none' }, both, 'linux')).toBeNull();
});

test('without it, the first at a usual place is taken', () => {
  expect(findChromium({}, only('/usr/bin/google-chrome', '/usr/bin/chromium'), 'linux')).toBe('/usr/bin/chromium');
  expect(findChromium({}, only('/usr/bin/chromium', '/usr/bin/chromium-headless-shell'), 'linux')).toBe(
    '/usr/bin/chromium-headless-shell',
  );
  expect(findChromium({}, only('/snap/bin/chromium'), 'linux')).toBe('/snap/bin/chromium');
  const chrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  expect(findChromium({}, only(chrome), 'darwin')).toBe(chrome);
  expect(findChromium({}, only(), 'linux')).toBeNull();
  expect(findChromium({}, () => true, 'plan9')).toBeNull();
});
