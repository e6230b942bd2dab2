import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  MessageFlags,
  TextInputStyle,
} from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { LocalDiscord, PageMessage } from '../../packages/local-discord/src/index.ts';
import { deferred, startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { expectedSentence } from '../../src/discord/answering.ts';
import { actionButton, buttons, type Card, card, noticeCard, text } from '../../src/discord/cards/parts.ts';
import type { ActionHandler, ChatCommand, Command, FormHandler } from '../../src/discord/command.ts';
import type { Action } from '../../src/discord/custom-id.ts';
import { translatorFor } from '../../src/discord/i18n/translator.ts';
import { keepRegistering } from '../../src/discord/registration.ts';
import { createRouter } from '../../src/discord/router.ts';
import { StoreError, UserError, type WriteProblem } from '../../src/shared/errors.ts';
import { textOf } from '../helpers/discord-form.ts';
import { createTestLog } from '../helpers/keys.ts';
import { loginBot } from '../helpers/login-bot.ts';

type FeedAction = Extract<Action, { do: 'feed' }>;

const FEED_BUTTON = actionButton('Next', { do: 'feed', feed: 'Home', page: 2, order: 'newest', filter: '' });
const LIST: Card = card(0, [text('Page 1'), buttons([FEED_BUTTON])]);

/** A command that answers as the test wants. */
function aCommand(changes: Partial<ChatCommand<null>> = {}): ChatCommand<null> {
  return {
    data: { name: 'list', description: 'A list' },
    answer: 'public',
    execute: async () => LIST,
    ...changes,
  };
}

async function aRouter(
  commands: readonly Command<null>[],
  around: (handle: () => Promise<void>) => Promise<void> = (handle) => handle(),
) {
  const { discord, clock } = await startDiscord();
  const logLines: string[] = [];
  const log = createTestLog((line) => logLines.push(line));
  const client = await loginBot(discord, clock, log);
  await keepRegistering(
    client,
    commands.map(({ data }) => data),
    { log, clock, signal: new AbortController().signal, onListed: () => undefined, onProblem: () => undefined },
  );
  const router = createRouter<null>({ commands, services: null, translators: translatorFor, clock, log });
  const handled: Promise<void>[] = [];
  client.on('interactionCreate', (interaction) => handled.push(around(() => router.handle(interaction))));
  const ben = { personId: discord.people.ben.id, channelId: discord.channel('deals').id };
  return {
    discord,
    clock,
    client,
    logLines,
    run: async (text = '/list') => (await discord.runCommand({ ...ben, text })).message,
    click: (message: PageMessage | null, customId = FEED_BUTTON.custom_id, values?: string[]) =>
      discord.useComponent({ ...ben, messageId: message?.id ?? '', customId, ...(values && { values }) }),
    submit: (customId: string, values: Record<string, string>) => discord.submitModal({ ...ben, customId, values }),
    /** Resolves when every interaction so far has been handled. */
    handled: () => Promise.all(handled),
    latest: () => discord.messages(ben.channelId).at(-1),
  };
}

function turning(run: ActionHandler<FeedAction, null>['run'], answer: 'update' | 'private' = 'update') {
  return aCommand({ actions: { feed: { answer, run } } });
}

async function post(discord: LocalDiscord, components: unknown): Promise<PageMessage> {
  const channelId = discord.channel('deals').id;
  const response = await fetch(`${discord.api}/v10/channels/${channelId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ flags: MessageFlags.IsComponentsV2, components }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as PageMessage;
}

test.each([
  'nonsense',
  '',
  'feed',
  'feed:Home',
  'feed:Home:0',
  'feed:Home:-1',
  'feed:Home:99999999',
  'feed:../../etc:1',
  'offer:<@1>:x',
  'offer::',
  'events:home:Daily:1e3',
  '__proto__:x',
  'constructor',
  'x'.repeat(100),
])('a forged button %j is answered with a plain sentence, for the one who clicked', async (customId) => {
  const { discord, click } = await aRouter([turning(async () => LIST)]);
  const button = { ...FEED_BUTTON, custom_id: customId || ' ' };
  const posted = await post(discord, [{ type: ComponentType.ActionRow, components: [button] }]);
  const { message } = await click(posted, button.custom_id);
  expect(message && textOf(message)).toBe('This button no longer works. Run the command again.');
  expect(message?.visible_to).toBe(discord.people.ben.id);
});

const INCOMPLETE = 'Discord sent this without something that it needs. Reload Discord and try again.';

test('a command without an option that it needs is answered plainly, and is no defect', async () => {
  const execute: ChatCommand<null>['execute'] = async ({ options }) => noticeCard(options.getString('feed', true));
  const { run, logLines } = await aRouter([aCommand({ execute })]);
  const answer = await run();
  expect(answer && textOf(answer)).toBe(INCOMPLETE);
  expect(logLines.filter((line) => line.includes('an interaction failed'))).toEqual([]);
  expect(logLines.filter((line) => line.includes('a user was shown an error'))).toHaveLength(1);
});

test('a menu does what the choice says', async () => {
  const { discord, click } = await aRouter([turning(async ({ page }) => noticeCard(`Page ${page}`))]);
  const options = [1, 7].map((page) => ({ label: `Page ${page}`, value: `feed:Home:${page}` }));
  const menu = { type: ComponentType.StringSelect, custom_id: 'jump', options };
  const posted = await post(discord, [{ type: ComponentType.ActionRow, components: [menu] }]);
  const { message } = await click(posted, 'jump', ['feed:Home:7']);
  expect(message?.id).toBe(posted.id);
  expect(message && textOf(message)).toBe('Page 7');
});

test('a menu whose choices an older bot knew says so', async () => {
  const { discord, click } = await aRouter([turning(async () => LIST)]);
  const menu = { type: ComponentType.StringSelect, custom_id: 'jump', options: [{ label: 'Old', value: 'old:1' }] };
  const posted = await post(discord, [{ type: ComponentType.ActionRow, components: [menu] }]);
  const { message } = await click(posted, 'jump', ['old:1']);
  expect(message && textOf(message)).toBe('This menu no longer works. Run the command again.');
});

test('a menu whose message has lost it is answered as one that shows nothing, and is no defect', async () => {
  const shown: (readonly string[])[] = [];
  const run: ActionHandler<FeedAction, null>['run'] = async (_, request) => {
    if ('shown' in request) shown.push(request.shown);
    return noticeCard('Done');
  };
  const { discord, client, click, logLines } = await aRouter([turning(run)]);
  const options = [1, 7].map((page) => ({ label: `Page ${page}`, value: `feed:Home:${page}` }));
  const menu = { type: ComponentType.StringSelect, custom_id: 'feed:Home:3', options };
  const message = await post(discord, [{ type: ComponentType.ActionRow, components: [menu] }]);
  client.prependListener('interactionCreate', (interaction) => {
    if (interaction.isMessageComponent()) interaction.message.components.length = 0;
  });
  const answer = (await click(message, 'feed:Home:3', ['feed:Home:7'])).message;
  expect(answer && textOf(answer)).toBe('Done');
  expect(shown).toEqual([[]]);
  expect(logLines.filter((line) => line.includes('an interaction failed'))).toEqual([]);
});

test('a form opens, and what is filled in comes back to the command that opened it', async () => {
  const run: FormHandler<FeedAction, null>['run'] = async ({ feed }, { fields }) =>
    noticeCard(`${feed}: ${fields.getTextInputValue('filter')}`);
  const modal: APIModalInteractionResponseCallbackData = {
    custom_id: 'feed:Home:1',
    title: 'Filter',
    components: [
      {
        type: ComponentType.Label,
        label: 'Filter',
        component: { type: ComponentType.TextInput, custom_id: 'filter', style: TextInputStyle.Short },
      },
    ],
  };
  const { discord, submit } = await aRouter([
    aCommand({
      execute: async () => ({ modal }),
      forms: { feed: { answer: 'private', run } },
    }),
  ]);
  const ben = { personId: discord.people.ben.id, channelId: discord.channel('deals').id };
  const { modal: opened } = await discord.runCommand({ ...ben, text: '/list' });
  expect(opened?.title).toBe('Filter');
  const { message } = await submit('feed:Home:1', { filter: 'price < 20' });
  expect(message && textOf(message)).toBe('Home: price < 20');
});

test('a form without a field that it needs is answered plainly, and is no defect', async () => {
  const run: FormHandler<FeedAction, null>['run'] = async (_, { fields }) =>
    noticeCard(fields.getTextInputValue('none'));
  const title = 'Filter';
  const input = { type: ComponentType.TextInput, custom_id: 'filter', style: TextInputStyle.Short } as const;
  const modal: APIModalInteractionResponseCallbackData = {
    custom_id: 'feed:Home:1',
    title,
    components: [{ type: ComponentType.Label, label: title, component: input }],
  };
  const commands = [aCommand({ execute: async () => ({ modal }), forms: { feed: { answer: 'private', run } } })];
  const { discord, submit, logLines } = await aRouter(commands);
  await discord.runCommand({ personId: discord.people.ben.id, channelId: discord.channel('deals').id, text: '/list' });
  const { message } = await submit('feed:Home:1', { filter: 'price < 20' });
  expect(message && textOf(message)).toBe(INCOMPLETE);
  expect(logLines.filter((line) => line.includes('an interaction failed'))).toEqual([]);
  expect(logLines.filter((line) => line.includes('a user was shown an error'))).toHaveLength(1);
});

test('a second click while the first is being answered gets a plain sentence, and the work is done once', async () => {
  const gate = deferred<void>();
  let runs = 0;
  const { run, click } = await aRouter([
    turning(async () => {
      runs += 1;
      await gate.promise;
      return noticeCard('Page 2');
    }),
  ]);
  const list = await run();
  const first = click(list);
  const second = await click(list);
  expect(second.message && textOf(second.message)).toBe('Already on its way.');
  gate.resolve();
  expect(textOf((await first).message ?? {})).toBe('Page 2');
  expect(runs).toBe(1);
});

test('slow work is announced, then reassured about, then answered in the same place', async () => {
  const gate = deferred<Card>();
  const { discord, clock, run, latest, handled } = await aRouter([aCommand({ execute: () => gate.promise })]);
  const states: string[] = [];
  discord.onUpdate((update) => update.type === 'interaction' && states.push(update.state));
  const answered = run();
  await clock.untilSleeping((ms) => ms === 800);
  await clock.advance(800);
  await discord.waitFor(() => states.includes('deferred'));
  await clock.untilSleeping((ms) => ms === 4_000);
  await clock.advance(4_000);
  expect(textOf((await answered) ?? {})).toBe('Waiting for the catalog…');
  gate.resolve(noticeCard('Here it is'));
  await handled();
  expect(textOf(latest() ?? {})).toBe('Here it is');
  expect(discord.messages(discord.channel('deals').id)).toHaveLength(1);
});

test('a slow click leaves the card as it is, and its reassurance goes when the answer comes', async () => {
  const gate = deferred<Card>();
  const { discord, clock, run, click, handled } = await aRouter([turning(() => gate.promise)]);
  const shown = () => discord.messages(discord.channel('deals').id).map(textOf);
  const list = await run();
  const clicked = click(list);
  await clock.untilSleeping((ms) => ms === 800);
  await clock.advance(800);
  await clock.untilSleeping((ms) => ms === 4_000);
  await clock.advance(4_000);
  await clicked;
  expect(shown()).toEqual(['Page 1', 'Waiting for the catalog…']);
  gate.resolve(noticeCard('Page 2'));
  await handled();
  expect(shown()).toEqual(['Page 2']);
});

test('what asks the catalog is deferred before it asks', async () => {
  const asked = deferred<void>();
  const gate = deferred<void>();
  const { discord, run } = await aRouter([
    aCommand({
      async execute(request) {
        request.asking(0).beforeRequest?.();
        asked.resolve();
        await gate.promise;
        return LIST;
      },
    }),
  ]);
  const states: string[] = [];
  discord.onUpdate((update) => update.type === 'interaction' && states.push(update.state));
  const answered = run();
  await asked.promise;
  await discord.waitFor(() => states.includes('deferred'));
  gate.resolve();
  expect(textOf((await answered) ?? {})).toBe('Page 1');
});

test.each([0, -24, -3, 3, 24])(
  'nobody spends everybody’s day: who asks too much is told when there is more, though the clock jumps by %i hours',
  async (hours) => {
    const { discord, clock, run } = await aRouter([
      aCommand({
        async execute(request) {
          request.spend();
          return LIST;
        },
      }),
    ]);
    const asBen = async () => textOf((await run()) ?? {});
    for (let asked = 0; asked < 12; asked += 1) expect(await asBen()).toBe('Page 1');
    clock.jump(hours * 3_600_000);
    const refused = await run();
    expect(textOf(refused ?? {})).toContain(`Try again <t:${clock.now() / 1000 + 300}:R>`);
    expect(refused?.visible_to).toBe(discord.people.ben.id);
    const ada = { personId: discord.people.ada.id, channelId: discord.channel('deals').id };
    expect(textOf((await discord.runCommand({ ...ada, text: '/list' })).message ?? {})).toBe('Page 1');
    await clock.advance(299_999);
    expect(await asBen()).toContain('Try again');
    await clock.advance(1);
    expect(await asBen()).toBe('Page 1');
    expect(await asBen()).toContain('Try again');
  },
);

test('an interaction that comes too late is logged, and nothing else happens', async () => {
  const late = deferred<void>();
  const arrived = deferred<void>();
  const { clock, run, handled, logLines } = await aRouter([aCommand()], async (handle) => {
    arrived.resolve();
    await late.promise;
    await handle();
  });
  const failed = expect(run()).rejects.toThrow('The application did not respond within 3 seconds.');
  await arrived.promise;
  await clock.advance(3_001);
  late.resolve();
  await failed;
  await handled();
  expect(logLines.filter((line) => line.includes('"code":10062'))).toHaveLength(1);
});

test('an interaction that was answered already is logged, and nothing else happens', async () => {
  const { run, handled, logLines } = await aRouter([aCommand()], async (handle) => {
    await Promise.all([handle(), handle()]);
  });
  await run();
  await handled();
  expect(logLines.filter((line) => line.includes('"code":40060'))).toHaveLength(1);
});

test('a message that is deleted while its button is answered: a plain sentence, for the one who clicked', async () => {
  const gate = deferred<void>();
  const { discord, run, click } = await aRouter([
    turning(async () => {
      await gate.promise;
      return noticeCard('Page 2');
    }),
  ]);
  const list = await run();
  const clicked = click(list);
  discord.deleteMessage(list?.id ?? '');
  gate.resolve();
  const { message } = await clicked;
  expect(message && textOf(message)).toBe('That message has been deleted.');
  expect(message?.visible_to).toBe(discord.people.ben.id);
});

test('a channel that is deleted while a command runs there is logged, and nothing else happens', async () => {
  const gate = deferred<Card>();
  const started = deferred<void>();
  const { discord, run, handled, logLines } = await aRouter([
    aCommand({
      execute() {
        started.resolve();
        return gate.promise;
      },
    }),
  ]);
  const answered = run().catch(() => null);
  await started.promise;
  discord.deleteChannel(discord.channel('deals').id);
  gate.resolve(LIST);
  await handled();
  expect(logLines.some((line) => line.includes('an answer could not be sent') && line.includes('"level":40'))).toBe(
    true,
  );
  await discord.stop();
  await answered;
});

test('a card that Discord refuses is our mistake: a sentence with a reference that stands in the log', async () => {
  const tooLong = { components: [{ ...text('x'.repeat(4_001)) }] } as unknown as Card;
  const { run, logLines } = await aRouter([aCommand({ execute: async () => tooLong })]);
  const [, reference = 'none'] = /error (\w+)\./.exec(textOf((await run()) ?? {})) ?? [];
  expect(logLines.some((line) => line.includes(reference) && line.includes('50035'))).toBe(true);
});

test('a command that the bot does not have any more says so', async () => {
  const { discord, client, run } = await aRouter([aCommand()]);
  await client.application.commands.create({ name: 'old', description: 'Once there' });
  const message = await run('/old');
  expect(textOf(message ?? {})).toBe('This command no longer exists. Reload Discord to see the current ones.');
  expect(message?.visible_to).toBe(discord.people.ben.id);
});

test('what a command throws at once is said like what it throws later', async () => {
  const { run } = await aRouter([
    aCommand({
      execute() {
        throw new UserError('No.');
      },
    }),
  ]);
  expect(textOf((await run()) ?? {})).toBe('No.');
});

test.each<WriteProblem>(['disk-full', 'disk-failed', 'read-only', 'unreachable'])(
  'a command that can not write says what the status says of %s, and the log has the cause once',
  async (problem) => {
    const router = await aRouter([
      aCommand({
        execute: async () => {
          throw new StoreError('Could not write.', { cause: new Error('the cause'), problem });
        },
      }),
    ]);
    for (const locale of ['en-US', 'de', 'fr', 'es-ES'] as const) {
      const said = expectedSentence(new StoreError('Could not write.', { problem }), translatorFor(locale));
      expect(said).toBe(translatorFor(locale).t(`status.state.${problem}`));
    }
    expect(textOf((await router.run()) ?? {})).toContain(translatorFor('en-US').t(`status.state.${problem}`));
    expect(router.logLines.filter((line) => line.includes('the cause'))).toHaveLength(1);
  },
);

test('a state that fails for another reason than a write is unexpected', () => {
  expect(expectedSentence(new StoreError('The state is damaged.'), translatorFor('en-US'))).toBeNull();
});
