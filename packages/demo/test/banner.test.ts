import { expect, test } from 'vitest';
import { banner } from '../src/banner.ts';
import type { Connection } from '../src/protocol.ts';

const ALL: Connection[] = ['DISCORD_TOKEN', 'CATALOG_PORTAL_URL', 'CATALOG_V2_URL'];
const facts = {
  bot: {
    version: '1.2.3',
    health: 'http://127.0.0.1:9000',
    state: 'data/dealbell.sqlite',
    discord: 'real, connected',
    catalog: { portal: 'catalog.example', v2: '127.0.0.1:4100' },
  },
  missing: ALL,
  page: 'http://127.0.0.1:8080',
  takenPort: null,
  isOpenToEveryone: false,
};

test('the banner says that nothing is real', () => {
  expect(banner(facts)).toBe(`Dealbell is running (1.2.3).
  Open     http://127.0.0.1:8080
  Discord  simulated, on this machine (DISCORD_TOKEN connects the real one)
  Catalog  simulated (CATALOG_PORTAL_URL and CATALOG_V2_URL connect a real one)
  State    data/dealbell.sqlite
  Stop     Ctrl-C stops everything; the next start goes on from there`);
});

test('the banner says why the page is elsewhere', () => {
  expect(banner({ ...facts, page: 'http://127.0.0.1:8081', takenPort: 8080 })).toContain(
    'Open     http://127.0.0.1:8081 (something else listens at port 8080; PORT sets another one)\n',
  );
});

test('the banner says what is real', () => {
  const text = banner({ ...facts, page: null, missing: ['CATALOG_V2_URL'] });
  expect(text).toContain('Health   http://127.0.0.1:9000\n  Discord  real, connected\n');
  expect(text).toContain('Catalog  portal catalog.example, v2 simulated\n');
});

test('the banner warns of a local Discord that is open', () => {
  expect(banner({ ...facts, isOpenToEveryone: true })).toContain('anyone who can reach this address can act as anyone');
});
