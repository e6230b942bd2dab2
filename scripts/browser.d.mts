import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** The browser's program: the one that CHROMIUM names, else the first at a usual place; null where there is none. */
export function findChromium(
  environment?: Readonly<Record<string, string | undefined>>,
  exists?: (path: string) => boolean,
  platform?: string,
): string | null;

/** Starts the browser without a window, with a profile of its own that `close` deletes. */
export function launchBrowser(
  options?: BrowserContextOptions,
): Promise<{ context: BrowserContext; close: () => Promise<void> }>;

/** Opens a page of that size in CSS pixels, gives it to `use`, and clears everything away. */
export function withPage(
  size: { readonly width: number; readonly height: number },
  use: (page: Page) => Promise<void>,
): Promise<void>;
