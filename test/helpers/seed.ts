/** The seed of properties that name none: DEALBELL_TEST_SEED, or always the same. */
export const suiteSeed = Number(process.env['DEALBELL_TEST_SEED'] ?? 20_261_122);
