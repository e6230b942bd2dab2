import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    // No test measures time: this only ends one that hangs, however slow the machine is.
    testTimeout: 30_000,
    // Vitest leaves one core free, which halves two. Many tests only wait for other processes.
    maxWorkers: '100%',
    setupFiles: ['test/helpers/no-leaks.ts', 'test/helpers/property-seed.ts'],
    globalSetup: ['test/browser/announce-skip.ts', 'test/helpers/postgres-setup.ts'],
    reporters: process.env['CI_TEST_REPORT'] ? ['default', 'json'] : ['default'],
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
