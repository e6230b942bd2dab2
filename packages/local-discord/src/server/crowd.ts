import { guildCreate } from './gateway-events.ts';
import { CHANNEL } from './numbers.ts';
import { IDS, newChannel, role } from './seed.ts';
import type { World } from './world.ts';

/** Numbers of channels and roles in each of the servers. */
const CHANNELS = 25;
const ROLES = 10;
/** Later than every id in the seed, and earlier than any that the clock can make. */
const FIRST_ID = 1_100_000_001_000_000_000n;
const IDS_EACH = 1_000n;

/** Makes the GUILD_CREATE events of servers in which nobody does anything, to measure a bot that is in many servers. */
export function* crowd(world: World, servers: number): Generator<Record<string, unknown> & { id: string }> {
  const own = guildCreate(world);
  for (let server = 0; server < servers; server += 1) {
    const idOf = (number: number) => String(FIRST_ID + BigInt(server) * IDS_EACH + BigInt(number));
    yield {
      ...own,
      id: idOf(0),
      name: `Server ${server + 1}`,
      // The role @everyone has the server's id.
      roles: Array.from({ length: ROLES }, (_, index) => role(idOf(index), `Role ${index}`, index, 0n)),
      members: own.members
        .filter(({ user }) => user.id === IDS.application)
        .map((member) => ({ ...member, roles: [] })),
      channels: Array.from({ length: CHANNELS }, (_, position) => ({
        ...newChannel({ id: idOf(ROLES + position), type: CHANNEL.text, name: `channel-${position + 1}`, position }),
        guild_id: idOf(0),
      })),
      threads: [],
    };
  }
}
