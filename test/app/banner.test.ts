import { expect, test } from 'vitest';
import { banner } from '../../src/app/banner.ts';

const facts = {
  version: '1.2.3',
  address: 'http://127.0.0.1:8080',
  stateUrl: 'sqlite://data/dealbell.sqlite',
  isDiscordReached: true,
  catalog: { portal: 'https://catalog.example/key/x', v2: 'https://other.example:8443' },
};

test('the banner says what the bot is connected to, and shows no path of an address', () => {
  expect(banner(facts)).toBe(`Dealbell is running (1.2.3).
  Health   http://127.0.0.1:8080
  Discord  real, connected
  Catalog  portal catalog.example, v2 other.example:8443
  State    data/dealbell.sqlite`);
});

test('the banner says that Discord keeps the bot waiting', () => {
  expect(banner({ ...facts, isDiscordReached: false })).toContain('Discord  real, not connected yet');
});
