import type { Page } from 'playwright-core';

/** The browser's program. */
export const CHROMIUM: string;

/** Opens a page of that size in CSS pixels, gives it to `use`, and clears everything away. */
export function withPage(
  size: { readonly width: number; readonly height: number },
  use: (page: Page) => Promise<void>,
): Promise<void>;
