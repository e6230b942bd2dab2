import { IDS, type PageMessage } from '../../../packages/local-discord/src/index.ts';
import { pings } from '../../../src/features/pings/index.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { aSchedule } from '../../helpers/schedule.ts';

const PLENTY = { requests: 10_000, perMs: 1_000 };

/** Whether a message is a panel on which members choose their pings. */
export const isPanel = (message: PageMessage) => customIdsOf(message).some((id) => id.startsWith('toggle-pings'));

/** A bot in a server of which #deals follows a feed, and rings a role of it that Ben may take. */
export async function aHouseWithPings() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({
    features: [pings],
    content: () => folder.content,
    discord: { limits: { createMessage: PLENTY, editMessage: PLENTY, global: PLENTY, memberRoles: PLENTY } },
  });
  const scheduled = aSchedule();
  const start = () => house.startBot({ CATALOG_FEEDS: 'Home' }, scheduled);
  const app = await start();
  const { discord } = house;
  const ssd = discord.createRole('SSD deals', { mentionable: true });
  await app.tick();
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 role:${ssd.id}`);
  await app.settled();
  const deals = discord.channel('deals').id;
  const panelOf = () => discord.messages(deals).find(isPanel);
  /** Runs a job of the bot that was started last. */
  const run = async (job: 'pings' | 'pings-week') => scheduled.jobs.get(job)?.run();
  const refresh = async () => {
    await run('pings');
    return panelOf();
  };
  /** Chooses in a menu as Ben. @param menu how its id begins */
  const choose = async (message: PageMessage, menu: string, ...values: string[]) => {
    const customId = customIdsOf(message).find((id) => id.startsWith(menu)) ?? menu;
    const what = { personId: IDS.ben, channelId: message.channel_id, messageId: message.id, customId, values };
    const { message: answer } = await discord.useComponent(what);
    if (!answer) throw new Error(`${menu} was answered without a message.`);
    return answer;
  };
  return { house, app, start, folder, discord, ssd, deals, panelOf, refresh, run, choose };
}

/** Has Ada make the role that `/pings make` proposes. Where it proposes none, what it says. */
export async function adaMakes(house: House, command: string, channel = 'deals'): Promise<PageMessage> {
  const proposed = await house.asAda(channel, command);
  const customId = customIdsOf(proposed).find((id) => id.startsWith('make-ping'));
  if (customId === undefined) return proposed;
  const press = { personId: IDS.ada, channelId: proposed.channel_id, messageId: proposed.id, customId };
  const { message } = await house.discord.useComponent(press);
  if (!message) throw new Error('The button was answered without a message.');
  return message;
}
