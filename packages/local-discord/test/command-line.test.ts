import type { APIApplicationCommand } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import {
  type Completion,
  completionAt,
  type Lookups,
  parseCommandLine,
  parseUnfinished,
} from '../src/server/command-line/parse.ts';

const COMMANDS = [
  {
    type: 1,
    name: 'subscription',
    description: '',
    options: [
      {
        type: 1,
        name: 'add',
        description: '',
        options: [
          {
            type: 3,
            name: 'source',
            description: '',
            required: true,
            choices: [
              { name: 'Feed', value: 'feed' },
              { name: 'Dealcasts', value: 'dealcasts' },
            ],
          },
          { type: 3, name: 'feed', description: '', autocomplete: true },
          { type: 7, name: 'channel', description: '', channel_types: [0, 5] },
          { type: 4, name: 'catch-up', description: '', min_value: 0, max_value: 10 },
        ],
      },
      { type: 1, name: 'list', description: '' },
      { type: 2, name: 'pause', description: '', options: [{ type: 1, name: 'all', description: '' }] },
    ],
  },
  {
    type: 1,
    name: 'try',
    description: '',
    options: [
      { type: 5, name: 'flag', description: '' },
      { type: 10, name: 'price', description: '' },
      { type: 6, name: 'who', description: '' },
      { type: 8, name: 'role', description: '' },
      { type: 3, name: 'text', description: '', max_length: 5 },
      { type: 11, name: 'file', description: '' },
    ],
  },
] as unknown as APIApplicationCommand[];

const LOOKUPS: Lookups = {
  channels: [
    { id: '11', name: 'deals', type: 0 },
    { id: '12', name: 'forum', type: 15 },
  ],
  people: [{ id: '21', username: 'ada', global_name: 'Ada Lovelace' }],
  roles: [{ id: '31', name: 'Deal Hunters' }],
  files: [{ id: '41', filename: 'logo.png' }],
};

const parse = (text: string) => parseCommandLine(text, COMMANDS, LOOKUPS);

test('options go by name, in any order, with values in quotes where they have spaces', () => {
  const parsed = parse('/subscription add catch-up:5 channel:#deals feed:"Home & \\"Garden\\"" source:Feed');
  expect(parsed).toMatchObject({
    ok: true,
    command: { name: 'subscription' },
    options: [
      {
        name: 'add',
        type: 1,
        options: [
          { name: 'catch-up', type: 4, value: 5 },
          { name: 'channel', type: 7, value: '11' },
          { name: 'feed', type: 3, value: 'Home & "Garden"' },
          { name: 'source', type: 3, value: 'feed' },
        ],
      },
    ],
  });
  expect(parse('  /subscription pause all ')).toMatchObject({
    options: [{ name: 'pause', options: [{ name: 'all', options: [] }] }],
  });
  expect(parse('/subscription list')).toMatchObject({ options: [{ name: 'list', options: [] }] });
});

test.for([
  ['flag:yes', true],
  ['flag:False', false],
  ['price:9.99', 9.99],
  ['who:@ada', '21'],
  ['who:"@Ada Lovelace"', '21'],
  ['who:<@21>', '21'],
  ['who:21', '21'],
  ['role:"@Deal Hunters"', '31'],
  ['role:<@&31>', '31'],
  ['text:a:b', 'a:b'],
  ['file:logo.png', '41'],
] as const)('%s is read', ([option, value]) => {
  expect(parse(`/try ${option}`)).toMatchObject({ ok: true, options: [{ value }] });
});

test.for([
  ['hello', 'A command begins with a slash, for instance /help.'],
  ['/nothing', 'There is no command /nothing; the commands are /subscription, /try.'],
  ['/subscription', '/subscription needs a subcommand: use add, list, pause.'],
  ['/subscription ad', '/subscription has no subcommand "ad": use add, list, pause.'],
  ['/subscription add', '/subscription add needs source: add source:….'],
  ['/subscription add source:x', 'Option source of /subscription add cannot be "x"; choose one of Feed, Dealcasts.'],
  [
    '/subscription add source:feed where:x',
    '/subscription add has no option "where"; its options are source, feed, channel, catch-up.',
  ],
  ['/subscription add source:feed source:feed', 'Option source of /subscription add is given twice; give it once.'],
  [
    '/subscription add source:feed feed:Home Garden',
    '"Garden" after /subscription add belongs to no option: put a value with spaces in double quotes, as in feed:"Home Garden".',
  ],
  ['/subscription add source:feed feed:"Home', 'Option feed of /subscription add lacks its closing double quote.'],
  [
    '/subscription add source:feed channel:#none',
    'Option channel of /subscription add is not a channel here: "#none"; use one of #deals.',
  ],
  [
    '/subscription add source:feed channel:#forum',
    'Option channel of /subscription add does not take a channel like #forum; use one of #deals.',
  ],
  ['/subscription add source:feed catch-up:11', 'Option catch-up of /subscription add is 11; the most is 10.'],
  ['/subscription add source:feed catch-up:1.5', 'Option catch-up of /subscription add is not a whole number: "1.5".'],
  ['/try flag:perhaps', 'Option flag of /try cannot be "perhaps"; use true or false.'],
  ['/try who:@ben', 'Option who of /try is not a person here: "@ben"; use @ada.'],
  ['/try text:toolong', 'Option text of /try has 7 characters; it takes 1 to 5.'],
  ['/try text:', 'Option text of /try is empty; type a value after the colon.'],
  ['/subscription list all:1', '/subscription list has no option "all"; it takes none.'],
] as const)('%s is refused with a sentence', ([text, problem]) => {
  expect(parse(text)).toEqual({ ok: false, problem });
});

test('a command that is being typed may be incomplete', () => {
  const typed = '/subscription add catch-up:x feed:Ele';
  expect(parseUnfinished(typed, 'feed', COMMANDS, LOOKUPS)).toMatchObject({
    ok: true,
    options: [{ name: 'add', options: [{ name: 'feed', value: 'Ele', focused: true }] }],
  });
  const nothing = parseUnfinished('/subscription add', 'feed', COMMANDS, LOOKUPS);
  expect(nothing).toMatchObject({ options: [{ options: [{ name: 'feed', value: '', focused: true }] }] });
  expect(parseUnfinished('/try', 'feed', COMMANDS, LOOKUPS)).toEqual({
    ok: false,
    problem: '/try has no option "feed".',
  });
});

/** `|` marks the caret. */
function complete(marked: string): Completion | null {
  return completionAt(marked.replace('|', ''), marked.indexOf('|'), COMMANDS);
}

test('what is being typed is known at the caret', () => {
  expect(complete('hello|')).toBeNull();
  expect(complete('/|')).toMatchObject({
    kind: 'command',
    typed: '',
    commands: [{ name: 'subscription' }, { name: 'try' }],
  });
  expect(complete('/tr|y')).toMatchObject({
    kind: 'command',
    typed: 'tr',
    start: 1,
    end: 4,
    commands: [{ name: 'try' }],
  });
  expect(complete('/subscription |')).toMatchObject({
    kind: 'subcommand',
    start: 14,
    end: 14,
    subcommands: [{ name: 'add' }, { name: 'list' }, { name: 'pause' }],
  });
  expect(complete('/subscription pause a|')).toMatchObject({ kind: 'subcommand', subcommands: [{ name: 'all' }] });
  expect(complete('/subscription add |')).toMatchObject({
    kind: 'option',
    options: [{ name: 'source' }, { name: 'feed' }, { name: 'channel' }, { name: 'catch-up' }],
  });
  expect(complete('/subscription add source:feed c|')).toMatchObject({
    kind: 'option',
    typed: 'c',
    options: [{ name: 'channel' }, { name: 'catch-up' }],
  });
  expect(complete('/subscription add feed:"Home &|')).toMatchObject({
    kind: 'value',
    typed: 'Home &',
    start: 23,
    end: 30,
    option: { name: 'feed' },
  });
  expect(complete('/subscription add feed:| source:feed')).toMatchObject({
    kind: 'value',
    typed: '',
    option: { name: 'feed' },
  });
  expect(complete('/subscription add none:|')).toBeNull();
  expect(complete('/nothing |')).toBeNull();
});
