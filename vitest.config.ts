import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import Progress from './test/helpers/progress.ts';

/**
 * Where tests mostly wait, for other processes or for discord.js between two logins, in the order in which they start: the
 * longest first.
 */
const WAITING = [/\b(browser|demo)\b/, /\bend-to-end\b/, /\bdiscord\/client\b/];

const testsNamed = (suffix: string) => [`test/**/*${suffix}.test.ts`, `packages/*/test/**/*${suffix}.test.ts`];
const TESTS = testsNamed('');
/** Tests that are slow by nature: in a browser, with processes, of a build, on PostgreSQL, with discord.js' own waits. */
const SLOW = testsNamed('.slow');
/** Tests of which `npm test` takes samples. */
const SAMPLED = testsNamed('.sampled');

/** Starts the files whose tests wait before the others, which then have the processor meanwhile. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const path = relative(import.meta.dirname, moduleId);
      const index = WAITING.findIndex((folder) => folder.test(path));
      return index < 0 ? WAITING.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'fast', include: TESTS, exclude: [...configDefaults.exclude, ...SLOW] } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [...SLOW, ...SAMPLED],
          env: { DEALBELL_TEST_FULL: '1' },
          // As above, for what takes a minute by itself.
          testTimeout: 300_000,
        },
      },
    ],
    // No test measures time: this only ends one that hangs.
    testTimeout: 20_000,
    // One more than cores, for when one waits: each loads all modules for itself.
    maxWorkers: availableParallelism() + 1,
    // Loading all modules anew for each file takes longer than most tests.
    isolate: false,
    sequence: { sequencer: WaitingFirst },
    setupFiles: ['test/helpers/no-leaks.ts', 'test/helpers/property-seed.ts'],
    globalSetup: ['test/helpers/optional-parts.ts'],
    reporters: process.env['CI_TEST_REPORT'] ? [new Progress(), 'json'] : [new Progress()],
    ...(process.env['CI_TEST_REPORT'] && { outputFile: { json: process.env['CI_TEST_REPORT'] } }),
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'commands/**/*.ts', 'packages/*/src/**/*.ts'],
      // The page runs in a browser; the programs' entry points run as child processes.
      exclude: [
        'packages/local-discord/src/page/**',
        'src/main.ts',
        'src/app/driven/driven.ts',
        'packages/demo/src/main.ts',
        'packages/*/src/cli.ts',
      ],
      reporter: ['text-summary'],
    },
  },
});
