import { request } from 'node:http';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { webFeeds } from '../../../src/features/web-feeds/index.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, event, feedItem } from '../../helpers/catalog-folder.ts';
import { aHouse } from '../../helpers/house.ts';
import { uuid } from '../../helpers/things.ts';

async function aHouseWithFeeds() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [
    feedItem(1, { Title: 'Toaster' }),
    feedItem(2, { Title: 'Kettle <b>]]></b> & "tea" \u0001' }),
  ]);
  folder.writeEvents([event(1), event(2)]);
  const house = await aHouse({ content: () => folder.content, features: [webFeeds] });
  const app = await house.startBot({ WEB_FEEDS: 'yes' });
  const ask = (path: string) => fetch(`${house.addressOf(app)}${path}`);
  const spent = () => app.plan()?.quota.v2.spent;
  return { folder, house, app, ask, spent };
}

interface AtomFeed {
  feed: { id: string; title: string; updated: string; author: { name: string }; entry?: AtomEntry[] };
}

interface AtomEntry {
  id: string;
  /** Of HTML. */
  title: { type: string; '#text': string };
  updated: string;
  published: string;
  link: { href: string };
  content: { type: string; '#text': string };
}

/** The feed, with what RFC 4287 asks of every feed and entry. */
function atomOf(text: string): AtomFeed['feed'] {
  expect(XMLValidator.validate(text)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    isArray: (name) => name === 'entry',
    // What stands in CDATA is HTML, whose entities are no XML's.
    processEntities: false,
  });
  const { feed } = parser.parse(text) as AtomFeed;
  const dated = [feed, ...(feed.entry ?? [])];
  for (const { id, updated } of dated) {
    expect(URL.canParse(String(id))).toBe(true);
    expect(new Date(updated).toISOString()).toBe(updated);
  }
  expect(new Set(dated.map(({ id }) => id)).size).toBe(dated.length);
  expect(feed.author.name).toBe('Dealbell');
  return feed;
}

test('nothing is served to other programs unless the operator says so', async () => {
  const folder = aCatalogFolder();
  const house = await aHouse({ content: () => folder.content, features: [webFeeds] });
  const app = await house.startBot();
  for (const path of ['/events.ics', '/offers.atom?feed=Home']) {
    expect((await fetch(`${house.addressOf(app)}${path}`)).status).toBe(404);
  }
});

test('events are a calendar, read once an hour where nobody follows them', async () => {
  const { house, ask, spent } = await aHouseWithFeeds();
  const before = spent() ?? 0;
  const answer = await ask('/events.ics');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
  const text = await answer.text();
  expect(text.match(/^UID:.*$/gm)?.map((line) => line.trim())).toEqual(
    [1, 2].map((number) => `UID:${uuid(number)}@dealbell`),
  );
  expect(spent()).toBe(before + 1);
  await house.clock.advance(60 * MINUTE_MS);
  await ask('/events.ics');
  expect(spent()).toBe(before + 1);
  await house.clock.advance(1);
  // What was made within the last minute is served once more.
  await ask('/events.ics');
  expect(spent()).toBe(before + 1);
  await house.clock.advance(MINUTE_MS);
  await ask('/events.ics');
  expect(spent()).toBe(before + 2);
});

test('offers of a feed that is followed are an Atom feed, of those that a filter finds', async () => {
  const { house, app, ask } = await aHouseWithFeeds();
  const unread = await ask('/offers.atom?feed=Home');
  expect([unread.status, await unread.text()]).toEqual([404, 'Nobody follows that feed here, so it is not read.\n']);
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.tick(app);
  await house.clock.advance(MINUTE_MS * 16);
  await house.tick(app);
  const answer = await ask('/offers.atom?feed=Home');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
  const feed = atomOf(await answer.text());
  expect(feed.title).toBe('Home');
  expect(feed.entry?.map(({ id }) => id).toSorted()).toEqual([1, 2].map((number) => `urn:uuid:${uuid(number)}`));
  const kettle = feed.entry?.find(({ id }) => id.endsWith(uuid(2)));
  expect(kettle?.title.type).toBe('html');
  expect(kettle?.title['#text']).toMatch(/^Kettle &lt;b&gt;]]&gt;&lt;\/b&gt; &amp; &quot;tea&quot; · \$[\d.]+$/);
  expect(kettle?.content['#text']).toMatch(/^<ul><li>Now \$[\d.]+, since /);
  const found = atomOf(await (await ask('/offers.atom?feed=home&filter=kettle')).text());
  expect(found.entry?.map(({ id }) => id)).toEqual([`urn:uuid:${uuid(2)}`]);
  expect(atomOf(await (await ask('/offers.atom?feed=Home&filter=blender')).text()).entry).toBeUndefined();
});

test('events that are to come are in the calendar, too', async () => {
  const { house, folder, ask } = await aHouseWithFeeds();
  const toCome = new Date(house.clock.now() + 3 * 60 * MINUTE_MS).toISOString();
  folder.writeEvents([event(1), event(3, { StartDate: toCome })]);
  const text = await (await ask('/events.ics')).text();
  expect(text.match(/^UID:.*$/gm)).toHaveLength(2);
  expect(text).toContain(`UID:${uuid(3)}@dealbell`);
});

test('who has what is served already gets nothing again, by its tag and by its date, until something changes', async () => {
  const { house, folder, app } = await aHouseWithFeeds();
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.tick(app);
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${house.addressOf(app)}${path}`, { headers });
  for (const path of ['/events.ics', '/offers.atom?feed=Home']) {
    const first = await ask(path);
    const [tag, date] = [first.headers.get('etag') ?? '', first.headers.get('last-modified') ?? ''];
    await house.clock.advance(2 * MINUTE_MS);
    for (const headers of [{ 'if-none-match': tag }, { 'if-modified-since': date }] as Record<string, string>[]) {
      const again = await ask(path, headers);
      expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
    }
    expect((await ask(path, { 'if-none-match': '"other"', 'if-modified-since': date })).status).toBe(200);
    if (path === '/events.ics') folder.writeEvents([event(1), event(2), event(3)]);
    else folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3)]);
    await house.clock.advance(61 * MINUTE_MS);
    await house.tick(app);
    for (const headers of [{ 'if-none-match': tag }, { 'if-modified-since': date }] as Record<string, string>[]) {
      const changed = await ask(path, headers);
      expect([path, changed.status, changed.headers.get('etag') === tag]).toEqual([path, 200, false]);
    }
  }
});

test('the docs’ own example, sent as it stands, is XML that leads back to itself', async () => {
  const { house, app, ask } = await aHouseWithFeeds();
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.tick(app);
  // `fetch` would escape it.
  const { port } = new URL(house.addressOf(app));
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request({ port, path: '/offers.atom?feed=Home&filter=price:<50&x="y' }, (answer) => {
      answer.setEncoding('utf8');
      let body = '';
      answer.on('data', (part: string) => {
        body += part;
      });
      answer.on('end', () => resolve(body));
    });
    sent.on('error', reject);
    sent.end();
  });
  // An attribute may not hold it, which not every reader minds.
  expect(text).not.toMatch(/="[^"]*</);
  const { link } = atomOf(text) as unknown as { link: { rel: string; href: string } | { rel: string; href: string }[] };
  const [self] = [link].flat().filter(({ rel }) => rel === 'self');
  const href = self?.href.replaceAll('&amp;', '&') ?? '';
  expect(new URL(href).searchParams.get('filter')).toBe('price:<50');
  expect((await ask(new URL(href).pathname + new URL(href).search)).status).toBe(200);
});

test('what can’t be asked for is told, and nobody asks without end', async () => {
  const { house, app, ask } = await aHouseWithFeeds();
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.tick(app);
  const unknown = await ask('/offers.atom?feed=Toys');
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringMatching(/^The feeds are .*Home/)]);
  const refused = [
    ['/offers.atom', 'Say feed=… once'],
    ['/offers.atom?feed=Home&feed=All', 'Say feed=… once'],
    [`/offers.atom?feed=Home&filter=${'x'.repeat(301)}`, 'at most 300 characters'],
    ['/offers.atom?feed=Home&filter=price:%3Cx', 'price:<x\n'],
  ] as const;
  for (const [path, why] of refused) {
    const answer = await ask(path);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(why);
  }
  expect((await ask(`/offers.atom?feed=Home&filter=${'x'.repeat(300)}`)).status).toBe(200);
  const statuses: number[] = [];
  for (let asked = refused.length + 2; asked < 61; asked += 1) statuses.push((await ask('/events.ics')).status);
  expect([statuses.slice(0, -1).every((status) => status === 200), statuses.at(-1)]).toEqual([true, 429]);
  // The health checks are for those who watch the bot: they have no limit.
  expect((await ask('/livez')).status).toBe(200);
});
