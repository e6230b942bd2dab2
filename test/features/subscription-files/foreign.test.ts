import { expect, test } from 'vitest';
import { z } from 'zod';
import { type FieldSetting, SETTINGS } from '../../../src/deals/settings.ts';
import { readFile } from '../../../src/features/subscription-files/document.ts';
import { convertFile } from '../../../src/features/subscription-files/terminal/foreign.ts';

const FEEDS = ['Home', 'Tools', 'Computers'];
/** A field of roles, which a feature could add. */
const ROLES: object = {
  field: 'roles',
  name: 'roles',
  kind: 'field',
  usual: undefined,
  inFiles: {
    schema: () => z.array(z.object({ role: z.string(), filter: z.string().optional() })),
    names: ['role'],
    written: (stored: unknown) => stored,
    roles: { most: 10, entry: (role: string, filter: string) => ({ role, ...(filter !== '' && { filter }) }) },
  },
};
const SETTINGS_HERE = [...SETTINGS, ROLES as FieldSetting];
const [GUILD, CHANNEL, ROLE] = ['100000000000000001', '200000000000000001', '300000000000000001'];

test('a backup of MonitoRSS carries over channels, filters, roles and pauses, and names the rest', () => {
  const backup = {
    profile: { _id: GUILD, locale: 'en' },
    feeds: [
      {
        _id: 'a',
        title: 'Home deals',
        url: 'https://home.example.com/feed.rss',
        guild: GUILD,
        channel: CHANNEL,
        filters: { title: ['ssd', '~lap', '!refurbished'], description: ['sale'] },
        embeds: [{ title: '{title}' }],
        checkTitles: false,
      },
      {
        _id: 'b',
        title: 'Other',
        url: 'https://news.example.com/rss',
        guild: GUILD,
        channel: CHANNEL,
        disabled: 'Disabled from the command',
        rfilters: { title: '\\d+ ?TB' },
      },
      { _id: 'c', url: 'https://x.example.com/tools', guild: GUILD, channel: CHANNEL, rfilters: { title: '(?=x)' } },
    ],
    filteredFormats: [{ feed: 'a' }],
    subscribers: [
      { feed: 'a', id: ROLE, type: 'role' },
      { feed: 'a', id: '300000000000000002', type: 'role', filters: { title: ['nvme'] } },
      ...Array.from({ length: 9 }, (_, index) => ({ feed: 'c', id: `30000000000000001${index}`, type: 'role' })),
      { feed: 'c', id: '300000000000000020', type: 'role' },
      { feed: 'c', id: '300000000000000021', type: 'role' },
      { feed: 'a', id: '400000000000000001', type: 'user' },
    ],
  };
  expect(
    convertFile(JSON.stringify(backup), FEEDS, SETTINGS_HERE),
  ).toBe(`# Converted from MonitoRSS. Replace each "?" before the plan.
# Not carried over:
#   feeds[0]: User 400000000000000001 isn't pinged: people use /alert for themselves.
#   feeds[0].filters.title: "lap" was found within words, too. Here it is found at their beginning.
#   feeds[0]: The filter of "description" looks at title and subtitle here.
#   feeds[0].embeds: It has no counterpart.
#   feeds[1].url: It names no feed of the catalog. Put one in: Home, Tools, Computers.
#   feeds[2]: Role 300000000000000021 isn't pinged: a subscription pings up to 10 roles.
#   feeds[2]: The filter can't be read here: /(?=x)/i
#   filteredFormats: Dealbell has cards of its own: see /look.

version: 1
servers:
  - id: '${GUILD}'
    subscriptions:
      - channel: '${CHANNEL}'
        source: feed
        feed: Home
        filter: ("ssd" OR "lap*") -"refurbished" "sale"
        roles:
          - role: '${ROLE}'
          - role: '300000000000000002'
            filter: '"nvme"'
      - channel: '${CHANNEL}'
        source: feed
        feed: '?'
        filter: /\\d+ ?TB/i
        paused: true
      - channel: '${CHANNEL}'
        source: feed
        feed: Tools
        roles:
${[10, 11, 12, 13, 14, 15, 16, 17, 18, 20].map((end) => `          - role: '3000000000000000${end}'\n`).join('')}`);
});

/** As of the feature that has looks. */
const LOOK = {
  field: 'look',
  name: 'look',
  kind: 'field',
  usual: undefined,
  inFiles: { schema: () => z.strictObject({ accent: z.string() }), names: [], written: (stored: unknown) => stored },
};

test('FeedCord’s settings carry over but for the channel; the webhook’s address is not repeated', () => {
  const webhook = 'https://discord.example/api/webhooks/1/not-to-be-seen';
  const settings = {
    Instances: [
      {
        Id: 'Deals',
        YoutubeUrls: ['', 'https://youtube.example/@deals'],
        RssUrls: ['https://computers.example.com/rss', ''],
        Forum: true,
        DiscordWebhookUrl: webhook,
        RssCheckIntervalMinutes: 25,
        Color: 8411391,
        PostFilters: [
          { Url: 'all', Filters: ['laptop', 'label:security'] },
          { Url: 'https://elsewhere.example.com', Filters: ['never'] },
        ],
      },
    ],
  };
  const draft = convertFile(JSON.stringify(settings), FEEDS, SETTINGS_HERE);
  expect(draft).toBe(`# Converted from FeedCord. Replace each "?" before the plan.
# Not carried over:
#   Instances[0].DiscordWebhookUrl: A webhook names no channel. Put the ids of the channel and its server in.
#   Instances[0].YoutubeUrls[1]: The catalog has no channels of videos.
#   Instances[0].RssCheckIntervalMinutes: It has no counterpart.
#   Instances[0].PostFilters: "label:security" asks for a label, which offers don't have.

version: 1
servers:
  - id: '?'
    subscriptions:
      - channel: '?'
        target: forum
        source: feed
        feed: Computers
        filter: '"laptop"'
        look:
          accent: '#8058ff'
`);
  const options = { feeds: FEEDS, most: 50, settings: [...SETTINGS_HERE, LOOK as object as FieldSetting] };
  expect(readFile(draft ?? '', 'yaml', options)).toMatchObject({
    ok: false,
    problems: [{ path: 'servers[0].id' }, { path: 'servers[0].subscriptions[0].channel' }],
  });
  const filled = draft
    ?.replace("id: '?'", `id: "${GUILD}"`)
    .replace("'?'\n        target", `"${CHANNEL}"\n        target`);
  expect(readFile(filled ?? '', 'yaml', options)).toMatchObject({ ok: true });
  expect(convertFile(JSON.stringify(settings.Instances[0]), FEEDS, SETTINGS_HERE)).toBe(draft);
});

test.each(['', '{}', '[]', 'null', '{"feeds": 5}', 'a: [', '{"Instances": [{}]}'])('%j is no such file', (text) => {
  expect(convertFile(text, FEEDS, SETTINGS_HERE)).toBeNull();
});
