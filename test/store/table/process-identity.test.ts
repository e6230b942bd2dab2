import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { hasEnded, ownIdentity } from '../../../src/store/table/process-identity.ts';

const isLinux = process.platform === 'linux';
/** Long enough for a machine that is busy with other things. */
const PATIENT = { timeout: 15_000 };

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function startTicksOf(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

/** A process that runs until the test ends. */
async function aChild() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const { pid = 0 } = child;
  return { child, identity: { ...ownIdentity(), pid, startTicks: startTicksOf(pid) } };
}

test('a process names itself', () => {
  expect(ownIdentity()).toMatchObject({ pid: process.pid, host: hostname() });
  expect(hasEnded(ownIdentity(), ownIdentity())).toBe(false);
});

test.runIf(isLinux)('what Linux tells of a process is in its identity', () => {
  expect(ownIdentity()).toMatchObject({
    bootId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
    pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/) as string,
    startTicks: startTicksOf(process.pid),
  });
});

test.runIf(isLinux)('a process has ended once it is killed, not while it is stopped', async () => {
  const { child, identity } = await aChild();
  const own = ownIdentity();
  child.kill('SIGSTOP');
  expect(hasEnded(identity, own)).toBe(false);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  expect(hasEnded(identity, own)).toBe(true);
});

test.runIf(isLinux)('the number of a process may be another’s by now: when it started tells them apart', async () => {
  const { identity } = await aChild();
  expect(hasEnded({ ...identity, startTicks: '1' }, ownIdentity())).toBe(true);
});

test.runIf(isLinux).each(['host', 'bootId', 'pidNamespace', 'startTicks'] as const)(
  'of a process whose %s is not known, or another, nobody can say that it has ended',
  async (name) => {
    const { identity } = await aChild();
    const own = ownIdentity();
    const ended = { ...identity, startTicks: '1' };
    if (name !== 'startTicks') expect(hasEnded({ ...ended, [name]: 'other' }, own)).toBe(false);
    if (name === 'host') return;
    expect(hasEnded({ ...ended, [name]: null }, own)).toBe(false);
    // What is unknown on both sides is not the same.
    expect(hasEnded({ ...ended, [name]: null }, { ...own, [name]: null })).toBe(false);
  },
);

test.runIf(isLinux)('a process that has exited, and whose parent has not looked, has ended', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [said] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  // The shell looks after its children, until it is no shell any more.
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8'), PATIENT).toBe('sleep\n');
  const own = ownIdentity();
  const child = { ...own, pid, startTicks: startTicksOf(pid) };
  expect(hasEnded(child, own)).toBe(false);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => hasEnded(child, own), PATIENT).toBe(true);
  expect(startTicksOf(pid), 'it is still listed').toBe(child.startTicks);
});
