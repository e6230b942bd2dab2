import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, type Started, startDiscord } from './helpers.ts';

const HOUR = 3_600_000;

const post = async ({ discord }: Started, channelId: string = IDS.deals) =>
  String((await call(discord, 'POST', `/channels/${channelId}/messages`, { content: 'A' })).body['id']);

/** Has the bot create an event that begins in an hour, for an hour. Returns its id. */
async function newEvent({ discord, clock }: Started): Promise<string> {
  const { body } = await call(discord, 'POST', `/guilds/${IDS.guild}/scheduled-events`, {
    name: 'Deal-off',
    privacy_level: 2,
    entity_type: 3,
    scheduled_start_time: new Date(clock.now() + HOUR).toISOString(),
    scheduled_end_time: new Date(clock.now() + 2 * HOUR).toISOString(),
    entity_metadata: { location: 'https://example.com/event' },
  });
  return String(body['id']);
}

test('who may manage messages pins, unpins and deletes them; others may not', async () => {
  const started = await startDiscord();
  const { discord } = started;
  const messageId = await post(started);
  const on = { channelId: IDS.deals, messageId };
  discord.act({ personId: IDS.ada, do: 'pin', ...on });
  expect(discord.pins(IDS.deals)).toHaveLength(1);
  expect(discord.messages(IDS.deals).at(-1)).toMatchObject({ type: 6, author: { id: IDS.ada } });
  for (const what of ['unpin', 'delete-message'] as const) {
    expect(() => discord.act({ personId: IDS.ben, do: what, ...on })).toThrow("Ben can't do that: Missing Permissions");
  }
  discord.act({ personId: IDS.ada, do: 'unpin', ...on });
  expect(discord.pins(IDS.deals)).toEqual([]);
  discord.act({ personId: IDS.ada, do: 'delete-message', ...on });
  expect(() => discord.act({ personId: IDS.ada, do: 'pin', ...on })).toThrow('Unknown Message');
  expect(() => discord.act({ personId: '1', do: 'pin', ...on })).toThrow('There is no person 1.');
});

test('everybody may be interested in an event, which is counted; who may manage events ends or deletes it', async () => {
  const started = await startDiscord();
  const { discord, clock } = started;
  const client = await loginClient(discord, [1, 1 << 16]);
  const told: string[] = [];
  client.on('guildScheduledEventUserAdd', (_, { id }) => told.push(`+${id}`));
  const removed = new Promise<string>((resolve) => {
    client.once('guildScheduledEventUserRemove', (_, { id }) => resolve(id));
  });
  const eventId = await newEvent(started);
  for (const personId of [IDS.ben, IDS.cleo, IDS.ben]) {
    discord.act({ personId, do: 'interest', eventId, isInterested: true });
  }
  const count = async () => {
    const path = `/guilds/${IDS.guild}/scheduled-events/${eventId}?with_user_count=true`;
    return (await call(discord, 'GET', path)).body['user_count'];
  };
  expect(await count()).toBe(2);
  discord.act({ personId: IDS.cleo, do: 'interest', eventId, isInterested: false });
  expect(await count()).toBe(1);
  expect(await removed).toBe(IDS.cleo);
  expect(told).toEqual([`+${IDS.ben}`, `+${IDS.cleo}`]);

  const end = (personId: string) => discord.act({ personId, do: 'end-event', eventId });
  expect(() => end(IDS.ben)).toThrow('Missing Permissions');
  expect(() => end(IDS.ada)).toThrow("isn't on");
  await clock.advance(HOUR);
  end(IDS.ada);
  expect(discord.events()).toEqual([]);
  expect(() => discord.act({ personId: IDS.ben, do: 'interest', eventId, isInterested: false })).toThrow('finished');
  expect(() => discord.act({ personId: IDS.ben, do: 'delete-event', eventId })).toThrow('Missing Permissions');
  discord.act({ personId: IDS.ada, do: 'delete-event', eventId });
  expect(() => discord.act({ personId: IDS.ada, do: 'delete-event', eventId })).toThrow('Unknown');
});

test('interest outlives a restart', async () => {
  const started = await startDiscord();
  const eventId = await newEvent(started);
  started.discord.act({ personId: IDS.ben, do: 'interest', eventId, isInterested: true });
  await started.discord.stop();
  const { discord } = await startDiscord({ stateUrl: started.stateUrl, clock: started.clock });
  expect(discord.events()).toMatchObject([{ id: eventId, interested: [IDS.ben] }]);
});

test('who may manage webhooks has a channel follow an announcement channel', async () => {
  const started = await startDiscord();
  const { discord } = started;
  const follow = (personId: string) =>
    discord.act({ personId, do: 'follow', channelId: IDS.announcements, targetId: IDS.deals });
  expect(() => follow(IDS.ben)).toThrow('Missing Permissions');
  follow(IDS.ada);
  expect(discord.webhooks(IDS.deals)).toMatchObject([{ user: { id: IDS.ada } }]);
});

test('the page asks for each of these in one place, and is told of what it gets wrong', async () => {
  const started = await startDiscord();
  const messageId = await post(started);
  const eventId = await newEvent(started);
  const ask = async (body: object) => {
    const response = await fetch(`${started.discord.url}/page/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()];
  };
  const ada = { personId: IDS.ada };
  const message = { channelId: IDS.deals, messageId };
  for (const action of [
    { do: 'pin', ...message },
    { do: 'unpin', ...message },
    { do: 'delete-message', ...message },
    { do: 'interest', eventId, isInterested: true },
    { do: 'delete-event', eventId },
    { do: 'follow', channelId: IDS.announcements, targetId: IDS.deals },
  ]) {
    expect(await ask({ ...ada, ...action }), action.do).toEqual([200, {}]);
  }
  expect(await ask({ ...ada, do: 'end-event', eventId })).toMatchObject([422, { message: expect.any(String) }]);
  expect(await ask({ ...ada, do: 'dance' })).toMatchObject([422, { message: expect.stringContaining('dance') }]);
  expect(await ask({ ...ada, do: 'pin' })).toMatchObject([422, { message: expect.stringContaining('channelId') }]);
});
