import { GatewayIntentBits, type TextChannel } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages`;
const HOUR_MS = 3_600_000;
const poll = (more: object = {}) => ({
  question: { text: 'Which kettle?' },
  answers: [{ poll_media: { text: 'The red one', emoji: { name: '🔴' } } }, { poll_media: { text: 'The blue one' } }],
  ...more,
});

async function aPoll(more: object = {}) {
  const started = await startDiscord();
  const { discord } = started;
  const { body } = await call(discord, 'POST', MESSAGES, { poll: poll(more) });
  const messageId = String(body['id']);
  const vote = (personId: string, ...answerIds: number[]) =>
    discord.act({ personId, do: 'vote', channelId: IDS.deals, messageId, answerIds });
  const read = async () => (await call(discord, 'GET', `${MESSAGES}/${messageId}`)).body['poll'];
  return { ...started, messageId, vote, read, polls: `/channels/${IDS.deals}/polls/${messageId}` };
}

test('people vote for one answer, change their mind and take it back, and the bot hears of it', async () => {
  const { discord, messageId, vote, read, polls } = await aPoll();
  const { Guilds, GuildMessages, GuildMessagePolls } = GatewayIntentBits;
  const client = await loginClient(discord, [Guilds, GuildMessages, GuildMessagePolls]);
  await ((await client.channels.fetch(IDS.deals)) as TextChannel).messages.fetch(messageId);
  const told: string[] = [];
  client.on('messagePollVoteAdd', ({ id }, personId) => void told.push(`+${id} ${personId}`));
  client.on('messagePollVoteRemove', ({ id }, personId) => void told.push(`-${id} ${personId}`));
  vote(IDS.ben, 2);
  vote(IDS.cleo, 2);
  vote(IDS.ben, 1);
  vote(IDS.ben);
  expect(await read()).toMatchObject({ results: { answer_counts: [{ id: 2, count: 1, me_voted: false }] } });
  expect((await call(discord, 'GET', `${polls}/answers/2`)).body).toMatchObject({ users: [{ id: IDS.cleo }] });
  await expect
    .poll(() => told)
    .toEqual([`+2 ${IDS.ben}`, `+2 ${IDS.cleo}`, `+1 ${IDS.ben}`, `-2 ${IDS.ben}`, `-1 ${IDS.ben}`]);
  expect(() => vote(IDS.ben, 1, 2)).toThrow('Invalid Form Body');
  expect(() => vote(IDS.ben, 3)).toThrow('Invalid Form Body');
});

test('several answers may be taken where the poll says so, and votes outlast a restart', async () => {
  const { discord, clock, stateUrl, messageId, vote } = await aPoll({ allow_multiselect: true });
  vote(IDS.ben, 1, 2);
  await discord.stop();
  const again = await startDiscord({ stateUrl, clock });
  const { body } = await call(again.discord, 'GET', `${MESSAGES}/${messageId}`);
  expect(body).toMatchObject({
    poll: {
      results: {
        answer_counts: [
          { id: 1, count: 1 },
          { id: 2, count: 1 },
        ],
      },
    },
  });
});

test('a poll ends with its time, and Discord tells the channel who won', async () => {
  const { discord, clock, messageId, vote, read } = await aPoll({ duration: 1 });
  vote(IDS.ben, 2);
  await clock.advance(HOUR_MS);
  expect(await read()).toMatchObject({ results: { is_finalized: true, answer_counts: [{ id: 2, count: 1 }] } });
  const [, result, ...more] = discord.messages(IDS.deals);
  expect(more).toEqual([]);
  expect(result).toMatchObject({ type: 46, message_reference: { message_id: messageId } });
  const fields = Object.fromEntries((result?.embeds[0]?.fields ?? []).map(({ name, value }) => [name, value]));
  expect(fields).toEqual({
    poll_question_text: 'Which kettle?',
    victor_answer_votes: '1',
    total_votes: '1',
    victor_answer_id: '2',
    victor_answer_text: 'The blue one',
  });
  expect(() => vote(IDS.cleo, 1)).toThrow('Poll expired');
});

test('the bot ends its own poll early, once; what Discord refuses is refused', async () => {
  const { discord, polls, messageId } = await aPoll();
  expect((await call(discord, 'POST', `${polls}/expire`)).body).toMatchObject({
    id: messageId,
    poll: { results: { is_finalized: true } },
  });
  expect((await call(discord, 'POST', `${polls}/expire`)).body).toMatchObject({ code: 520001 });
  for (const wrong of [
    { question: {} },
    { answers: [] },
    { duration: 769 },
    { answers: [{ poll_media: { text: 'x'.repeat(56) } }] },
  ]) {
    expect((await call(discord, 'POST', MESSAGES, { poll: poll(wrong) })).body, JSON.stringify(wrong)).toMatchObject({
      code: 50035,
    });
  }
  discord.setPermissions(IDS.deals, { deny: ['sendPolls'] });
  expect((await call(discord, 'POST', MESSAGES, { poll: poll() })).body).toMatchObject({ code: 50013 });
});
