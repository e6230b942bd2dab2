import { expect, test } from 'vitest';
import { banner } from '../../src/app/banner.ts';

const facts = {
  version: '1.2.3',
  address: 'http://127.0.0.1:8080',
  stateUrl: 'sqlite://data/dealbell.sqlite',
  discord: null,
  catalog: { portal: null, v2: null },
  isOpenToEveryone: false,
};

test('the banner says that nothing is real', () => {
  expect(banner(facts)).toBe(`Dealbell is running (1.2.3).
  Open     http://127.0.0.1:8080
  Discord  simulated, on this machine (DISCORD_TOKEN connects the real one)
  Catalog  simulated (CATALOG_PORTAL_URL and CATALOG_V2_URL connect a real one)
  State    data/dealbell.sqlite`);
});

test('the banner says what is real and what is not yet, and shows no path of an address', () => {
  const text = banner({
    ...facts,
    discord: { reached: false },
    catalog: { portal: 'https://catalog.example/key/x', v2: null },
  });
  expect(text).toContain('Health   http://127.0.0.1:8080');
  expect(text).toContain('Discord  real, not connected yet');
  expect(text).toContain('Catalog  portal catalog.example, v2 simulated\n');
});

test('the banner warns of a local Discord that is open', () => {
  expect(banner({ ...facts, isOpenToEveryone: true })).toContain('anyone who can reach this address can act as anyone');
});
