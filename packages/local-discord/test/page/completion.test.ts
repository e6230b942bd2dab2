import type { APIApplicationCommand } from 'discord-api-types/v10';
import { describe, expect, test } from 'vitest';
import { helpAt } from '../../src/page/completion.ts';

const commands = [
  {
    id: '1',
    type: 1,
    name: 'feed',
    description: 'Shows a feed',
    options: [
      { type: 3, name: 'feed', description: 'Feed to browse', required: true, autocomplete: true },
      { type: 4, name: 'page', description: 'Which page' },
    ],
  },
  {
    id: '2',
    type: 1,
    name: 'subscription',
    description: 'Subscriptions',
    options: [
      {
        type: 1,
        name: 'add',
        description: 'Adds one',
        options: [
          {
            type: 3,
            name: 'source',
            description: 'What',
            required: true,
            choices: [
              { name: 'Feed', value: 'feed' },
              { name: 'Events', value: 'events' },
            ],
          },
          { type: 7, name: 'channel', description: 'Where', required: true },
          { type: 5, name: 'quiet', description: 'Without sound' },
        ],
      },
      { type: 1, name: 'list', description: 'Lists them', options: [] },
    ],
  },
] as unknown as APIApplicationCommand[];

/** Help with the caret where `|` stands. */
function help(typed: string, remote: { name: string; value: string }[] = []) {
  const caret = typed.indexOf('|');
  const known = (option: { type: number }) => (option.type === 7 ? [{ name: '#deals', value: '#deals' }] : []);
  return helpAt(typed.replace('|', ''), caret, commands, known, remote);
}

const labels = (typed: string) => help(typed).offers.map(({ label }) => label);
/** The text after the first offer is taken. */
function taken(typed: string, remote: { name: string; value: string }[] = []) {
  const [first] = help(typed, remote).offers;
  return first && `${first.text.slice(0, first.caret)}|${first.text.slice(first.caret)}`;
}

describe('commands', () => {
  test('are offered with their subcommands', () => {
    expect(labels('/|')).toEqual(['/feed', '/subscription add', '/subscription list']);
    expect(labels('/sub|')).toEqual(['/subscription add', '/subscription list']);
    expect(labels('/subscription l|')).toEqual(['/subscription list']);
  });

  test('go on with the first option that must be given', () => {
    expect(taken('/f|')).toBe('/feed feed:|');
    expect(taken('/subscription l|')).toBe('/subscription list |');
  });

  test('are not offered to plain text', () => {
    expect(help('hello|')).toMatchObject({ offers: [], command: null, unfinished: false });
  });
});

describe('options', () => {
  test('are hinted with their state', () => {
    expect(help('/feed feed:Tools page:|')).toMatchObject({
      command: { title: '/feed', description: 'Shows a feed' },
      options: [
        { name: 'feed', required: true, state: 'given' },
        { name: 'page', required: false, state: 'active' },
      ],
    });
  });

  test('that are open are offered', () => {
    expect(labels('/feed feed:Tools |')).toEqual(['page']);
    expect(taken('/feed feed:Tools p|')).toBe('/feed feed:Tools page:|');
  });

  test('Enter runs a command to which only optional things could be added', () => {
    expect(help('/feed feed:Tools |').unfinished).toBe(false);
    expect(help('/feed |').unfinished).toBe(true);
    expect(help('/feed feed:Tools p|').unfinished).toBe(true);
  });
});

describe('values', () => {
  test('come from choices, channels and yes or no', () => {
    expect(labels('/subscription add source:|')).toEqual(['Feed', 'Events']);
    expect(labels('/subscription add source:ev|')).toEqual(['Events']);
    expect(labels('/subscription add channel:|')).toEqual(['#deals']);
    expect(labels('/subscription add quiet:|')).toEqual(['true', 'false']);
  });

  test('are followed by the next option that must be given', () => {
    expect(taken('/subscription add source:e|')).toBe('/subscription add source:feed channel:|');
    expect(taken('/subscription add source:feed channel:|')).toBe('/subscription add source:feed channel:#deals |');
  });

  test('are asked of the server where it completes them, and quoted when they need it', () => {
    expect(help('/feed feed:ho|')).toMatchObject({ remote: { option: 'feed' }, offers: [] });
    const garden = [{ name: 'Home & Garden', value: 'Home & Garden' }];
    expect(taken('/feed feed:ho|', garden)).toBe('/feed feed:"Home & Garden" |');
    expect(taken('/feed feed:x|', [{ name: 'x', value: 'a "b"' }])).toBe('/feed feed:"a \\"b\\"" |');
  });

  test('that are complete can be run as they are', () => {
    expect(help('/subscription add source:events|').unfinished).toBe(false);
    expect(help('/subscription add source:ev|').unfinished).toBe(true);
  });
});
