import { type APIThreadList, ButtonStyle, ComponentType, MessageFlags, Routes } from 'discord-api-types/v10';
import type { Answer, PageMessage } from '../../packages/local-discord/src/index.ts';
import type { Feature } from '../../src/app/feature.ts';
import { aCatalogFolder, dealcast, event, feedItem } from './catalog-folder.ts';
import { customIdsOf, textOf } from './discord-form.ts';
import { aHouse, type House } from './house.ts';

/** A running bot, two feeds with a few offers, two events and a dealcast. */
export async function aHouseOfDeals(changes: Record<string, string> = {}, features: readonly Feature[] = []) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3)]);
  folder.writeFeed('Tools', [feedItem(4)]);
  folder.writeEvents([event(1), event(2, { Type: 'DealOff', Site: 'wine.example.com' })]);
  folder.writeDealcasts([dealcast(1)]);
  const house = await aHouse({ features, content: () => folder.content });
  const app = await house.startBot(changes);
  return { house, app, folder };
}

/** The answer that Ada gets when she clicks a button of a panel, or chooses from its menu. */
export async function adaUses(
  house: House,
  message: PageMessage,
  step: string,
  values: string[] = [],
): Promise<Answer> {
  const customId = customIdsOf(message).find((id) => id.startsWith(`subscription:${step}:`) || id === step);
  if (customId === undefined) throw new Error(`The card has no ${step}: ${customIdsOf(message).join(', ')}`);
  const click = {
    personId: house.discord.people.ada.id,
    channelId: message.channel_id,
    messageId: message.id,
    customId,
    values,
  };
  for (;;) {
    const answer = await house.discord.useComponent(click);
    // Her last click has been answered, but the bot does not know yet that the answer has arrived.
    if (!answer.message || !textOf(answer.message).includes('Already on its way.')) return answer;
  }
}

/** The same, where the answer is a card. */
export async function adaGets(
  house: House,
  message: PageMessage,
  step: string,
  values: string[] = [],
): Promise<PageMessage> {
  const answer = await adaUses(house, message, step, values);
  if (!answer.message) throw new Error(`${step} was answered without a message.`);
  return answer.message;
}

/** Opens a form of a panel as Ada and sends it. */
export async function adaFills(
  house: House,
  message: PageMessage,
  step: string,
  values: Record<string, string | string[]>,
): Promise<PageMessage> {
  return adaSends(house, message, await adaUses(house, message, step), values);
}

/** Sends a form as Ada, which she has opened from a message. */
export async function adaSends(
  house: House,
  { channel_id: channelId }: PageMessage,
  { modal }: Answer,
  values: Record<string, string | string[]>,
): Promise<PageMessage> {
  const personId = house.discord.people.ada.id;
  const answer = await house.discord.submitModal({ personId, channelId, customId: modal?.custom_id ?? '', values });
  if (!answer.message) throw new Error('The form was answered without a message.');
  return answer.message;
}

/** The id of the subscription whose panel it is. */
export const idIn = (panel: PageMessage) =>
  customIdsOf(panel)
    .find((id) => id.startsWith('subscription:duplicate:'))
    ?.slice('subscription:duplicate:'.length) ?? '';

/** The names that an option offers to a person who types. */
export async function completions(house: House, text: string, focused: string, personId = house.discord.people.ada.id) {
  const choices = await house.discord.autocomplete({
    personId,
    channelId: house.discord.channel('deals').id,
    text,
    focused,
  });
  return choices.map(({ name }) => name);
}

/** A message of the bot's with one button, for everybody to click. */
export async function aButton(house: House, channelId: string, customId: string): Promise<PageMessage> {
  const button = { type: ComponentType.Button, style: ButtonStyle.Secondary, label: 'Do it', custom_id: customId };
  const components = [{ type: ComponentType.ActionRow, components: [button] }];
  const body = JSON.stringify({ flags: MessageFlags.IsComponentsV2, components });
  return (await asBot(house, Routes.channelMessages(channelId), { method: 'POST', body })) as PageMessage;
}

/** The only post in a forum, once it is there. */
export async function thePost(house: House, forumId: string): Promise<string> {
  const { threads } = (await asBot(house, Routes.guildActiveThreads(house.discord.guildId))) as APIThreadList;
  const post = threads.find((thread) => 'parent_id' in thread && thread.parent_id === forumId);
  if (!post) throw new Error('The forum has no post.');
  return post.id;
}

/** What Discord answers the bot's user. */
export async function asBot(house: House, route: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bot ${house.discord.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${house.discord.api}/v10${route}`, { ...init, headers });
  return response.status === 204 ? null : response.json();
}
