import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import type { App } from '../../src/app/app.ts';
import type { Feature } from '../../src/app/feature.ts';
import { aCatalogFolder, event, eventOffer, feedItem } from './catalog-folder.ts';
import { textOf } from './discord-form.ts';
import { aHouse, type House } from './house.ts';

/** Lets time pass, and a tick. Where that asks for offers that are in doubt, the client gathers them for a moment. */
export async function lookAgain(house: House, app: App, ms = 120_000): Promise<void> {
  await house.clock.advance(ms);
  await house.tick(app);
  await app.settled();
}

/** A running bot, whose server follows a feed with two offers, and Ben, who may not manage the server. */
export async function aHouseWithBen(features: readonly Feature[] = []) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  folder.writeEvents([event(1, { Offers: [eventOffer(1), eventOffer(2)] }), event(2, { Offers: [eventOffer(3)] })]);
  const house = await aHouse({ content: () => folder.content, features });
  const jobs = new Map<string, () => Promise<void>>();
  const app = await house.startBot(
    { CATALOG_FEEDS: 'Home' },
    {
      schedule(name, _, work) {
        jobs.set(name, work);
        return { stop: async () => undefined };
      },
    },
  );
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await app.settled();
  const ben = house.discord.people.ben.id;
  const letters = () => house.discord.messages(house.discord.directChannel(ben).id);
  const inDirect = async (text: string) => {
    const channelId = house.discord.directChannel(ben).id;
    const { message } = await house.discord.runCommand({ personId: ben, channelId, text });
    if (!message) throw new Error(`${text} was answered without a message.`);
    return message;
  };
  const sweep = () => jobs.get('sweep')?.();
  return { house, app, folder, ben, letters, inDirect, sweep };
}

/** The texts of the messages that the bot has sent by itself. */
export const sentTexts = (messages: readonly PageMessage[]): string[] =>
  messages.filter(({ interaction_metadata: of }) => of === undefined).map((message) => textOf(message));
