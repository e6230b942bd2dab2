import fc from 'fast-check';
import { suiteSeed } from './seed.ts';

// Runs in every test file, so that properties without a seed of their own try the same values in every run. A failure
// names its seed and path.
fc.configureGlobal({ seed: suiteSeed });
