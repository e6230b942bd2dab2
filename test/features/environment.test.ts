import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEMO_SETTINGS } from '../../packages/demo/src/settings.ts';
import { variablesOf } from '../../src/app/config.ts';
import { FEATURES } from '../../src/features/index.ts';

test('.env.example describes exactly the variables that the bot and the demo read', () => {
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const described = [...example.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]);
  expect(new Set(described)).toEqual(new Set([...variablesOf(FEATURES), ...DEMO_SETTINGS]));
});
