// Headless Chromium, where one is installed. CHROMIUM says where, if not at a usual place.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** Where Chromium and its relatives are usually installed, by Node's name of the platform. */
const USUAL_PLACES = {
  // The first one is Chromium without its windows, whose own toolbars take as long to draw as the pages.
  linux: [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'microsoft-edge',
  ].flatMap((name) => [`/usr/bin/${name}`, `/snap/bin/${name}`]),
  darwin: ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'].flatMap((path) =>
    [process.env.ProgramFiles, process.env['ProgramFiles(x86)'], process.env.LOCALAPPDATA].map(
      (base) => `${base}\\${path}`,
    ),
  ),
};

/** The browser's program: the one that CHROMIUM names, else the first at a usual place; null where there is none. */
export function findChromium(environment = process.env, exists = existsSync, platform = process.platform) {
  const places = environment.CHROMIUM ? [environment.CHROMIUM] : (USUAL_PLACES[platform] ?? []);
  return places.find((path) => exists(path)) ?? null;
}

/** Starts the browser without a window, with a profile of its own that `close` deletes. */
export async function launchBrowser(options = {}) {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('No Chromium found. Install one, or say where it is: CHROMIUM=<path>.');
  const profile = mkdtempSync(join(tmpdir(), 'dealbell-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    ...options,
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens a page of that size in CSS pixels, gives it to `use`, and clears everything away. Errors of the page are told. */
export async function withPage(size, use) {
  const { context, close } = await launchBrowser({ viewport: size });
  try {
    const page = await context.newPage();
    // The tour begins by itself for whoever has not seen it. A document of another kind has no storage.
    await page.addInitScript("if (location.protocol === 'http:') localStorage.setItem('local-discord.tour', 'seen')");
    page.on('pageerror', (error) => process.stderr.write(`${error.message}\n`));
    page.on('console', (message) => {
      if (message.type() === 'error') process.stderr.write(`${message.text()} (${message.location().url})\n`);
    });
    await use(page);
  } finally {
    await close();
  }
}
