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

/** The size of the window that a scene is played in: CSS pixels. */
export function windowOf(scene: Pick<Scene, 'isPhone'>): { width: number; height: number };

/** What a card says in the bot's own words, whatever the catalog has: the labels of its buttons and menus, each once. */
export function wordsOf(shown: Locator): Promise<string>;
