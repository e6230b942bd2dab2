import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { actionButton, buttons, card, text } from '../../src/discord/cards/parts.ts';
import type { ChatCommand, Command } from '../../src/discord/command.ts';
import { translatorFor } from '../../src/discord/i18n/translator.ts';
import { keepRegistering } from '../../src/discord/registration.ts';
import { type Answered, createRouter } from '../../src/discord/router.ts';
import { createLog } from '../../src/shared/log.ts';
import { loginBot } from '../helpers/login-bot.ts';

const BUTTON = actionButton('Next', { do: 'feed', feed: 'Home', page: 2, order: 'newest', filter: '' });
const FORGED = { ...BUTTON, label: 'Old', custom_id: 'made-up:1' };
const LIST = card(0, [text('Page 1'), buttons([BUTTON, FORGED])]);

/** A bot whose commands take 1,234 ms, and what it reports of the interactions. */
async function aBot() {
  const { discord, clock } = await startDiscord();
  const log = createLog('silent');
  const client = await loginBot(discord, clock, log);
  async function slowly() {
    await clock.advance(1_234);
    return LIST;
  }
  const list: ChatCommand<null> = {
    data: {
      name: 'list',
      description: 'A list',
      options: [
        { type: 1, name: 'all', description: 'All' },
        {
          type: 2,
          name: 'some',
          description: 'Some',
          options: [
            {
              type: 1,
              name: 'feed',
              description: 'A feed',
              options: [{ type: 3, name: 'feed', description: 'Which', autocomplete: true }],
            },
          ],
        },
      ],
    },
    answer: 'public',
    execute: slowly,
    autocomplete: () => [{ name: 'Home', value: 'Home' }],
    actions: { feed: { answer: 'update', run: async () => LIST } },
  };
  const plain: ChatCommand<null> = {
    data: { name: 'plain', description: 'No options' },
    answer: 'public',
    execute: slowly,
  };
  const commands: Command<null>[] = [list, plain];
  const data = commands.map((command) => command.data);
  await keepRegistering(client, data, {
    log,
    clock,
    signal: new AbortController().signal,
    onListed: () => undefined,
    onProblem: () => undefined,
  });
  const answered: Answered[] = [];
  const reported = new EventEmitter();
  const router = createRouter<null>({
    commands,
    services: null,
    translators: translatorFor,
    onAnswered(one) {
      answered.push(one);
      reported.emit('answered');
    },
    clock,
    log,
  });
  client.on('interactionCreate', (interaction) => void router.handle(interaction));
  const ben = { personId: discord.people.ben.id, channelId: discord.channel('deals').id };
  return {
    client,
    discord,
    ben,
    run: async (command: string) => (await discord.runCommand({ ...ben, text: command })).message,
    until: async (count: number): Promise<Answered[]> => {
      while (answered.length < count) await once(reported, 'answered');
      return answered;
    },
  };
}

test('commands are reported with their subcommands, where they were used and how long they took', async () => {
  const { run, until, ben } = await aBot();
  for (const [index, command] of ['/plain', '/list all', '/list some feed'].entries()) {
    await run(command);
    await until(index + 1);
  }
  const { channelId } = ben;
  expect(await until(3)).toEqual(
    ['plain', 'list all', 'list some feed'].map((command) => ({ command, channelId, tookMs: 1_234 })),
  );
});

test('a name that the bot does not know, as one that was registered before, is reported as unknown', async () => {
  const { client, run, until } = await aBot();
  await client.application.commands.create({ name: 'old', description: 'Once there' });
  await run('/old');
  expect(await until(1)).toMatchObject([{ command: 'unknown' }]);
});

test('buttons are reported by their action, forged ones as unknown, and what is typed as autocomplete', async () => {
  const { discord, run, until, ben } = await aBot();
  const message = await run('/plain');
  const click = (customId: string) => discord.useComponent({ ...ben, messageId: message?.id ?? '', customId });
  await until(1);
  await click(BUTTON.custom_id);
  await until(2);
  await click(FORGED.custom_id);
  await until(3);
  await discord.autocomplete({ ...ben, text: '/list some feed feed:ho', focused: 'feed' });
  expect((await until(4)).map(({ command }) => command)).toEqual(['plain', 'feed', 'unknown', 'autocomplete']);
});
