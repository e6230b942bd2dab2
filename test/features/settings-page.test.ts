import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsOf } from '../../commands/subscription/flags.ts';
import { FEATURES } from '../../src/features/index.ts';

test('the page has a row for each setting, with its bounds, its choices and its default', () => {
  const page = readFileSync(new URL('../../docs/subscriptions-as-code.md', import.meta.url), 'utf8');
  const rows = new Map(
    [...page.matchAll(/^\| `(.*)` \| (.*) \| (.*) \|$/gm)].map(([, name, ...cells]) => [name, cells]),
  );
  for (const setting of settingsOf(FEATURES)) {
    const name = 'nameInFiles' in setting ? setting.nameInFiles : setting.name;
    const [value, usual] = rows.get(name) ?? [];
    expect([name, value]).toEqual([name, expect.any(String)]);
    if (setting.kind === 'choice') for (const choice of setting.choices) expect(value).toContain(`\`${choice}\``);
    if (setting.kind !== 'whole') continue;
    expect([name, value, usual]).toEqual([
      name,
      expect.stringMatching(new RegExp(`^${setting.least} to ${setting.most}\\b`)),
      String(setting.usual),
    ]);
  }
});
