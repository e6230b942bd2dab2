import type { DemoState, PageState, PageUpdate } from '../../local-discord/src/index.ts';
import { emptyView, reduce, type View } from '../../local-discord/src/page/state.ts';
import type { RunningDemo } from './running-demo.ts';

/** A page of the demo without a browser: it loads the state once, and applies each update that the demo sends. */
export class FollowedPage {
  readonly #demo: RunningDemo;
  readonly #listeners = new Set<(update: PageUpdate) => void>();
  #view: View = emptyView;

  constructor(demo: RunningDemo) {
    this.#demo = demo;
  }

  /** Calls the listener with each update. */
  onUpdate(listener: (update: PageUpdate) => void): void {
    this.#listeners.add(listener);
  }

  /** Loads the state, and follows the updates from then on: again whenever their stream is cut, until the demo has ended. */
  async open(): Promise<void> {
    const { body } = await fetch(`${await this.#demo.address}/page/updates`);
    const server = await this.#demo.state();
    this.#view = reduce(this.#view, { type: 'loaded', server });
    this.#read(body)
      .catch(() => undefined)
      .then(() => this.open())
      .catch(() => undefined);
  }

  get state(): PageState {
    if (!this.#view.server) throw new Error('The page is not open.');
    return this.#view.server;
  }

  get demo(): DemoState {
    const { demo } = this.state;
    if (!demo) throw new Error('Local Discord is part of no demo.');
    return demo;
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    let rest = '';
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) this.#take(JSON.parse(line.slice(6)) as PageUpdate);
    }
  }

  #take(update: PageUpdate): void {
    this.#view = reduce(this.#view, { type: 'updated', update, reading: true });
    for (const listener of this.#listeners) listener(update);
  }
}
