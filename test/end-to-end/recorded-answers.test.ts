import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createRecorded } from '../../packages/catalog-service/src/index.ts';
import { formatPrice, LONGEST_SMALL } from '../../src/discord/format.ts';
import { translatorFor } from '../../src/discord/i18n/translator.ts';
import { link } from '../../src/discord/markdown.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

const directory = fileURLToPath(new URL('../../../shared/real-payloads', import.meta.url));
const recorded = (file: string) => JSON.parse(readFileSync(`${directory}/${file}`, 'utf8'));
const priceOf = ({ Minimum, Maximum }: { Minimum: number; Maximum: number }) =>
  formatPrice({ minimum: Minimum, maximum: Maximum }, translatorFor('en-US'));

describe.skipIf(!existsSync(directory))('recorded answers of a public deployment', () => {
  test('become cards, once, whatever is restarted', async () => {
    const house = await aHouse({ content: (clock) => createRecorded({ directory, freshAtMs: clock.now() }) });
    const app = await house.startBot();
    for (const source of ['feed feed:Electronics', 'events', 'dealcasts']) {
      await house.asAda('deals', `/subscription add ${source} catch-up:10`);
    }
    await app.settled();

    const cards = house.announcements('deals').map((message) => ({
      text: textOf(message),
      all: JSON.stringify(message.components),
    }));
    expect(cards).toHaveLength(7);
    const cardOf = (title: string, url: string) => {
      const found = cards.filter(({ text }) => text.includes(`### ${link(title, url)}`));
      expect(found, title).toHaveLength(1);
      return found[0] ?? { text: '', all: '' };
    };

    const { Items: offers } = recorded('feeds/Electronics.json');
    expect(offers).toHaveLength(5);
    for (const offer of offers) {
      const { text, all } = cardOf(offer.Title, offer.Url);
      expect(all).toContain(`"media":{"url":"${offer.Photo}"`);
      const { Minimum: least, Maximum: most } = offer.SalePrice;
      const isRange = least < most;
      expect(text).toContain(isRange ? `\n### from $${least.toFixed(2)} · ` : `# ${priceOf(offer.SalePrice)}`);
      const list = offer.ListPrice && !isRange ? priceOf(offer.ListPrice) : null;
      const off = /(?:up to )?−\d+%/.exec(text)?.[0];
      const isTooLong = [priceOf(offer.SalePrice), list, off].join(' ').length > LONGEST_SMALL;
      expect(text.match(/~~.*~~/)?.[0] ?? null).toBe(list && !isTooLong ? `~~${list}~~` : null);
      expect(text).toMatch(/^⏳ <t:\d+:R> · <t:\d+:[tf]>$/m);
    }

    const [event] = recorded('events.json');
    const [eventOffer] = event.Offers;
    const eventCard = cardOf(event.Title, eventOffer.Url);
    expect(eventCard.text).toContain('**Event started** · Deal\\-off');
    expect(eventCard.text).toContain(link(eventOffer.Title, eventOffer.Url));
    expect(eventCard.text).toContain('## $69.99 ~~$120.00~~ −41%\n🚫 **Sold out**');
    expect(eventCard.all).toContain(eventOffer.Photos[1].Url);

    const [dealcast] = recorded('dealcasts.json');
    const dealcastCard = cardOf(dealcast.Title, dealcast.YouTubeUrl);
    expect(dealcastCard.all).toContain(`"media":{"url":"${dealcast.Thumbnail.Url}"`);
    expect(dealcastCard.text).toMatch(/^🎬 \*\*Dealcast\*\*\n/);

    await app.stop();
    const again = await house.startBot();
    await house.clock.advance(10 * 60_000);
    await again.tick();
    await again.settled();
    expect(house.announcements('deals')).toHaveLength(7);
  });
});
