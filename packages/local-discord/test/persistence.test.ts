import type { APIApplicationCommand, APIRole } from 'discord-api-types/v10';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryState } from '../../../test/helpers/temporary-folder.ts';
import { createPersistence } from '../src/server/persistence.ts';
import { IDS } from '../src/server/seed.ts';

const COMMAND = { id: '1', name: 'feed' } as APIApplicationCommand;
const RENAMED = { ...COMMAND, name: 'deals' };

async function reopened(stateUrl: string) {
  const persistence = createPersistence(stateUrl);
  onTestFinished(() => persistence.close());
  return persistence.load();
}

it('writes in the order of the changes', async () => {
  const stateUrl = temporaryState();
  const persistence = createPersistence(stateUrl);
  persistence.recordFirst([{ id: '10' } as never], []);
  persistence.record({ type: 'command-set', command: COMMAND });
  persistence.record({ type: 'command-deleted', command: COMMAND });
  persistence.record({ type: 'command-set', command: RENAMED });
  await persistence.close();
  expect(await reopened(stateUrl)).toMatchObject({ commands: [RENAMED] });
});

it('writes nothing any more after a write that failed, and says so each time', async () => {
  const stateUrl = temporaryState();
  const persistence = createPersistence(stateUrl);
  persistence.recordFirst([{ id: '10' } as never], []);
  await persistence.settled();
  persistence.record({
    type: 'role-created',
    guildId: IDS.guild,
    role: { id: '2', position: 1n } as unknown as APIRole,
  });
  persistence.record({ type: 'command-set', command: COMMAND });
  for (let request = 0; request < 2; request += 1)
    await expect(persistence.settled()).rejects.toThrow('Could not write');
  await persistence.close();
  expect(await reopened(stateUrl)).toMatchObject({ channels: [{ id: '10' }], commands: [] });
});
