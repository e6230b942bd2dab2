import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loggedEvents } from '../helpers/log-events.ts';

test('docs/operating.md lists exactly the events that are logged', () => {
  const [, page = ''] = readFileSync('docs/operating.md', 'utf8').split('## The log');
  const rows = [...page.matchAll(/^\| (`.+?`) \|/gm)].map(([, names = '']) => names);
  const listed = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const folders = ['app', 'announcements', 'catalog', 'deals', 'discord', 'features', 'offers', 'shared', 'store'].map(
    (name) => `src/${name}`,
  );
  const logged = loggedEvents('commands', 'src/main.ts', 'packages/demo/src/main.ts', ...folders);
  expect(new Set(listed)).toEqual(logged);
});
