import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FEATURES } from '../../src/features/index.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { uuid } from '../helpers/things.ts';

async function metricsOf({ logLines }: House): Promise<string> {
  const line = logLines.find((text) => text.includes('serving metrics')) ?? '{}';
  const { address } = JSON.parse(line) as { address: string };
  return (await fetch(address)).text();
}

interface Board {
  panels: { id: number; title: string; gridPos: { x: number; w: number }; targets: { expr: string }[] }[];
}

const board = () => JSON.parse(readFileSync('deploy/grafana.json', 'utf8')) as Board;
const boardExpressions = () => board().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The board leaves these out: the version, and a moment that the figures of the audit go with. */
const UNSHOWN = ['dealbell_build_info', 'dealbell_last_audit_timestamp_seconds'];

test("the board's panels have ids of their own and stand side by side", () => {
  const { panels } = board();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, gridPos, targets } of panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    expect(targets.length, title).toBeGreaterThan(0);
  }
});

test('the metrics are those that the page for operators, the rules for Prometheus and the board know', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const app = await house.startBot({ METRICS_PORT: '0' });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.tick(app);
  const startDate = new Date(house.clock.now()).toISOString();
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { StartDate: startDate, Condition: 5, Color: 1 })]);
  await house.clock.advance(90_000);
  await house.tick(app);
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(1);
  folder.writeFeed('Home', [
    feedItem(1, { Url: 'https://www.example.com/offers/odd' }),
    feedItem(2, { StartDate: startDate, Condition: 5, Color: 1 }),
  ]);
  await house.clock.advance(90_000);
  await house.tick(app);
  await house.asAda('deals', `/alert add offer:${uuid(1)} when:end`);

  const text = await metricsOf(house);
  const page = readFileSync('docs/operating.md', 'utf8');
  const exported = [...text.matchAll(/^# TYPE (dealbell_\w+)/gm)].map(([, name]) => name);
  const described = [...page.matchAll(/^\| `(dealbell_\w+)`/gm)].map(([, name]) => name);
  expect(new Set(described)).toEqual(new Set(exported));
  const asked = readFileSync('deploy/alerts.yml', 'utf8').match(/dealbell_\w+/g) ?? [];
  expect(asked.length).toBeGreaterThanOrEqual(15);
  expect(exported).toEqual(expect.arrayContaining(asked));
  const shown = boardExpressions().flatMap((expression) => expression.match(/\b(dealbell|nodejs|process)_\w+/g) ?? []);
  const allExported = new Set([...text.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name]) => name));
  const families = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
  for (const name of shown)
    expect(allExported.has(name) || families.has(name.replace(/_bucket$/, '')), name).toBe(true);
  // The board shows everything of Dealbell's own but its version.
  const shownFamilies = new Set(shown.map((name) => name.replace(/_bucket$/, '')));
  expect(exported.filter((name) => !shownFamilies.has(name ?? ''))).toEqual(UNSHOWN);
});
