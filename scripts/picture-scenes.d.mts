import type { Locator, Page } from 'playwright-core';

export interface Scene {
  /** The command; a tab takes what is offered. Without it, the scene is the first post of #deals. */
  readonly type?: string;
  readonly next?: (answer: Locator, page: Page) => Promise<Locator>;
  readonly shows: RegExp;
  readonly isPhone?: boolean;
}

export const SCENES: Readonly<Record<string, Scene>>;

export function playScene(page: Page, address: string, scene: Scene): Promise<Locator>;
