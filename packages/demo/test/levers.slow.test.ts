import { expect, test } from 'vitest';
import { builtProgram } from '../../../test/helpers/built-program.ts';
import { textOf } from '../../../test/helpers/discord-form.ts';
import { temporaryState } from '../../../test/helpers/temporary-folder.ts';
import type { DemoAction, DemoResult } from '../../local-discord/src/index.ts';
import { actOn as act, DEMO_PROGRAMS, demoOf, startDemo, untilPosted, WITHIN_MS } from './running-demo.ts';

const PROGRAM = builtProgram(...DEMO_PROGRAMS);

const poll = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: WITHIN_MS, interval: 100 });

test('the levers change offers, time, quota and permissions, and the counters stay right over kills', {
  timeout: 2 * WITHIN_MS,
}, async () => {
  const demo = startDemo(PROGRAM, { STATE_URL: temporaryState() });
  await untilPosted(demo, 3);
  await poll(async () => (await demoOf(demo)).offer?.state).toBe('live');
  expect((await act(demo, { do: 'kill' }, 'http://elsewhere.example')).status, 'no page of another site').toBe(403);
  expect((await act(demo, { do: 'explode' } as unknown as DemoAction)).status).toBe(422);

  const textOfPost = async (id: string) => textOf((await demo.deals()).find((post) => post.id === id) ?? {});
  /** The message of the newest offer, sold out. One that ends by itself meanwhile is left, and the next is taken. */
  async function soldOut(): Promise<string> {
    await poll(async () => (await demoOf(demo)).offer?.state).toBe('live');
    const { messageId = '' } = (await demoOf(demo)).offer ?? {};
    const changed = await act(demo, { do: 'offer', messageId, change: 'sell-out' });
    expect(((await changed.json()) as DemoResult).shown).toMatchObject({ messageId });
    await poll(() => textOfPost(messageId)).toMatch(/Sold out|Ended/);
    const again = await act(demo, { do: 'offer', messageId, change: 'drop-price' });
    expect(again.status).toBe(422);
    const { message } = (await again.json()) as { message: string };
    if (message === "It's over. Bring it back first.") return soldOut();
    expect(message).toBe("It's sold out. Bring it back first.");
    return messageId;
  }
  const messageId = await soldOut();
  const card = () => textOfPost(messageId);
  await act(demo, { do: 'offer', messageId, change: 'bring-back' });
  await poll(card).not.toContain('Sold out');

  for (const kills of [1, 2]) {
    await act(demo, { do: 'kill' });
    await poll(async () => (await demoOf(demo)).bot).toMatchObject({ state: 'running', kills });
  }
  await poll(async () => (await demoOf(demo)).counters).toMatchObject({ waiting: 0, twice: 0, lost: 0 });
  expect((await demoOf(demo)).counters.posted).toBeGreaterThan(0);

  await act(demo, { do: 'permissions', change: 'canSend', is: false });
  expect((await demoOf(demo)).permissions.canSend).toBe(false);
  await act(demo, { do: 'permissions', change: 'canSend', is: true });
  await act(demo, { do: 'permissions', change: 'othersPublish', is: true });
  expect((await demoOf(demo)).permissions.othersPublish).toBe(true);
  const before = Date.now();
  await act(demo, { do: 'quota', as: 'used-up' });
  await poll(async () => (await demoOf(demo)).plan?.polls.every(({ nextMs }) => nextMs === null)).toBe(true);
  await act(demo, { do: 'time', to: 'midnight' });
  expect((await demoOf(demo)).time.demoMs).toBeGreaterThan(before);
  await poll(async () => (await demoOf(demo)).plan?.polls.every(({ nextMs }) => nextMs !== null)).toBe(true);
});
