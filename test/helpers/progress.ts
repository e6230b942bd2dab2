import { DefaultReporter, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

/** How often a log gets a line. */
const EVERY_MS = 15_000;

/**
 * Vitest's default reporter, with its progress in logs too. In a terminal Vitest itself keeps the files done, the failures
 * and the time in its last lines; elsewhere this writes a line of them every 15 s.
 */
export default class Progress extends DefaultReporter implements Reporter {
  #startedMs = 0;
  #files = 0;
  #done = 0;
  readonly #failed: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    [this.#startedMs, this.#files, this.#done] = [performance.now(), specifications.length, 0];
    this.#failed.length = 0;
    if (this.isTTY) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.log(this.#line()), EVERY_MS).unref();
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#done += 1;
    if (module.state() === 'failed') this.#failed.push(module.relativeModuleId);
  }

  override onTestRunEnd(...end: Parameters<DefaultReporter['onTestRunEnd']>): void {
    clearInterval(this.#timer);
    super.onTestRunEnd(...end);
  }

  #line(): string {
    const seconds = Math.round((performance.now() - this.#startedMs) / 1000);
    const failed =
      this.#failed.length === 0 ? 'none failed' : `${this.#failed.length} failed: ${this.#failed.join(', ')}`;
    return `\n-- ${this.#done} of ${this.#files} files, ${Math.floor(seconds / 60)} min ${seconds % 60} s, ${failed}\n`;
  }
}
