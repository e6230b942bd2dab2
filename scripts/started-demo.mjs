import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Starts the built program as `npm start` does where nothing is set, gives its address to `use`, and stops it. */
export async function withDemo(use) {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-demo-'));
  const demo = spawn(process.execPath, ['dist/packages/demo/src/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      STATE_URL: `sqlite://${join(folder, 'state.sqlite')}`,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await use(await addressOf(demo));
  } finally {
    demo.kill('SIGTERM');
    await new Promise((resolve) => demo.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function addressOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const [address] = /http:\S+/.exec(line) ?? [];
    if (address) return address;
  }
  throw new Error('The program ended before it told its address.');
}
