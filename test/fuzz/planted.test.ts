import { afterAll, describe, expect, test } from 'vitest';
import { createViteServer } from 'vitest/node';

/** A mistake in the bot: what a file says, and what it says with the mistake. */
interface Mistake {
  file: string;
  is: string;
  becomes: string;
}

let planted: Mistake | null = null;
const server = await createViteServer({
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
  plugins: [
    {
      name: 'mistake',
      enforce: 'pre',
      transform(code, id) {
        if (planted === null || !id.endsWith(planted.file)) return null;
        if (!code.includes(planted.is)) throw new Error(`${planted.file} does not say "${planted.is}" any more.`);
        return code.replace(planted.is, planted.becomes);
      },
    },
  ],
});
afterAll(() => server.close());

const STEPS = 120;

/** Plays stories with a mistake in the bot. Returns what was found first, in short; null for nothing. */
async function findingsWith(mistake: Mistake, seeds: number): Promise<string[] | null> {
  planted = mistake;
  server.moduleGraph.invalidateAll();
  const { chanceStory } = (await server.ssrLoadModule('/test/fuzz/chance.ts')) as typeof import('./chance.ts');
  const { play } = (await server.ssrLoadModule('/test/fuzz/play.ts')) as typeof import('./play.ts');
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { findings } = await play(chanceStory(seed, STEPS));
    if (findings.length > 0) return findings.map(({ is }) => is);
  }
  return null;
}

describe('the fuzzer finds that', { timeout: 120_000 }, () => {
  test.each<[string, Mistake, string]>([
    [
      'a feed that repeats what is older than the belief overturns it',
      { file: 'src/deals/belief.ts', is: '{ ...last, isOlder: true }', becomes: '{ ...last }' },
      'not owed',
    ],
  ])('%s', async (_, mistake, found) => {
    expect(await findingsWith(mistake, 30)).toContain(found);
  });
});
