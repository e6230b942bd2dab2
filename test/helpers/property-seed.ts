import fc from 'fast-check';

// Runs in every test file, so that properties without a seed of their own try the same values in every run. A failure
// names its seed and path.
fc.configureGlobal({ seed: Number(process.env['DEALBELL_TEST_SEED'] ?? 20_261_122) });
