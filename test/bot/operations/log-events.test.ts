import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loggedEvents } from '../../helpers/log-events.ts';

test('docs/operating.md lists exactly the events that are logged', () => {
  const [, page = ''] = readFileSync('docs/operating.md', 'utf8').split('## The log');
  const rows = [...page.matchAll(/^\| (`.+?`) \|/gm)].map(([, names = '']) => names);
  const listed = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const logged = loggedEvents('src/bot', 'src/shared', 'commands', 'src/app', 'src/app.ts', 'src/main.ts');
  expect(new Set(listed)).toEqual(logged);
});
