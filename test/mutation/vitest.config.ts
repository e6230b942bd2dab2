import { configDefaults, defineConfig } from 'vitest/config';

// main.mjs names the tests that concern the mutated files.
export default defineConfig({
  test: {
    include: JSON.parse(process.env['MUTATION_TESTS'] ?? '["test/**/*.test.ts"]'),
    // It sets the time zone of its process, and Stryker runs tests in threads, which can't.
    exclude: [...configDefaults.exclude, 'test/deals/date-time.test.ts'],
    // Loading all modules anew for each file takes longer than most tests.
    isolate: false,
    // A busy machine is not a test that fails, and a mutant that makes one wait for ever is noticed.
    testTimeout: Number(process.env['MUTATION_TEST_TIMEOUT'] ?? 20_000),
    setupFiles: ['test/helpers/property-seed.ts', 'test/mutation/first-failure.ts'],
    // Where a PostgreSQL answers, its tests judge what only they reach.
    globalSetup: ['test/helpers/optional-parts.ts'],
  },
});
