import { expect, onTestFinished, test } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/app/config.ts';
import { createLog } from '../../src/shared/log.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

function anApp(port: string): App {
  const app = createApp(parseConfig({ STATE_URL: temporaryState(), PORT: port }), {
    clock: new ManualClock(),
    schedule: () => ({ stop: async () => undefined }),
    log: createLog('silent'),
    version: '0.0.0',
    pageDirectory: 'no page',
  });
  onTestFinished(() => app.stop());
  return app;
}

test('a bot that cannot start stops what it has started, and says why', async () => {
  const { port } = new URL(await anApp('0').start());
  const app = anApp(port);
  await expect(app.start()).rejects.toThrow(
    `PORT ${port} on HOST 127.0.0.1 isn't available: something else listens there already.`,
  );
  expect(app.localDiscord()).toBeNull();
});
