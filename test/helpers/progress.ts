import { DefaultReporter, type Reporter, type TestCase, type TestModule, type TestSpecification } from 'vitest/node';
import { suiteSeed } from './seed.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Which tests are skipped on this machine, and how to have them run; in words. */
    skippedTests: readonly string[];
  }
}

/** How often a log gets a line. */
const EVERY_MS = 15_000;

/** An error as Vitest reports it. */
interface ReportedError {
  message: string;
}

/**
 * Vitest's default reporter, with its progress in logs too. In a terminal Vitest itself keeps the files done, the failures
 * and the time in its last lines; elsewhere this writes a line of them every 15 s. The last lines of a run name what was
 * skipped, and each failed test with its file and seed.
 */
export default class Progress extends DefaultReporter implements Reporter {
  #startedMs = 0;
  #files = 0;
  #done = 0;
  readonly #failedFiles: string[] = [];
  readonly #failures: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    [this.#startedMs, this.#files, this.#done] = [performance.now(), specifications.length, 0];
    this.#failedFiles.length = 0;
    this.#failures.length = 0;
    if (this.isTTY) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.log(this.#line()), EVERY_MS).unref();
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    const { state, errors } = test.result();
    if (state === 'failed') this.#failures.push(failureLine(test.module.relativeModuleId, test.fullName, errors));
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module);
    this.#done += 1;
    if (module.state() !== 'failed') return;
    this.#failedFiles.push(module.relativeModuleId);
    // A file that could not be loaded, or whose hooks failed, has errors of its own.
    const suites = [module, ...module.children.allSuites()];
    const errors = suites.flatMap((suite) => suite.errors());
    if (errors.length > 0) this.#failures.push(failureLine(module.relativeModuleId, 'the file itself', errors));
  }

  override onTestRunEnd(...end: Parameters<DefaultReporter['onTestRunEnd']>): void {
    clearInterval(this.#timer);
    super.onTestRunEnd(...end);
    const skipped = new Set(this.ctx.projects.flatMap((project) => project.getProvidedContext().skippedTests));
    if (skipped.size > 0) this.log(`Skipped: the tests ${[...skipped].join('; those ')}.\n`);
    const [, unhandled] = end;
    const failures = [
      ...this.#failures,
      ...unhandled.map((error) => failureLine('outside of tests', 'an error', [error])),
    ];
    if (failures.length > 0) this.log(`Failed:\n${failures.map((line) => `  ${line}\n`).join('')}`);
  }

  #line(): string {
    const seconds = Math.round((performance.now() - this.#startedMs) / 1000);
    const failed =
      this.#failedFiles.length === 0
        ? 'none failed'
        : `${this.#failedFiles.length} failed: ${this.#failedFiles.join(', ')}`;
    return `\n-- ${this.#done} of ${this.#files} files, ${Math.floor(seconds / 60)} min ${seconds % 60} s, ${failed}\n`;
  }
}

/** One line that finds a failure again. A property names its own seed; elsewhere the suite's is all that chance depends on. */
function failureLine(file: string, test: string, errors: readonly ReportedError[] = []): string {
  const seeds = errors.flatMap(({ message }) => /\bseed\b[:= (]{1,3}(-?\d+)/.exec(message)?.[1] ?? []);
  const [reason = ''] = errors.map(({ message }) => message.split('\n', 1)[0]?.slice(0, 120));
  return `${file}: ${test} (seed ${seeds[0] ?? suiteSeed}): ${reason}`;
}
