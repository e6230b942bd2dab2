import type { LocalDiscord } from '../../src/local-discord/server/local-discord.ts';
import type { PageMessage } from '../../src/local-discord/server/page-api.ts';
import { linksIn, type RollUpLists, rollUpIn } from './arrivals.ts';

interface Lists {
  discord: LocalDiscord;
  addresses: () => readonly string[];
  /** The members of each roll-up. */
  lists: RollUpLists;
  messages: readonly PageMessage[];
}

/** Opens the list of every roll-up as a person does, page by page. Resolves with a line for each that is not whole. */
export async function problemsOfLists({ discord, addresses, lists, messages }: Lists): Promise<string[]> {
  const problems: string[] = [];
  for (const message of messages) {
    const id = rollUpIn(message);
    if (id === null) continue;
    const list = lists.get(id) ?? [];
    const listed = await listOf(message, id);
    if (listed.size === list.length && list.every((address) => listed.has(address))) continue;
    problems.push(`The roll-up ${id} holds ${list.length} and shows ${listed.size}.`);
  }
  return problems;

  async function listOf(message: PageMessage, rollUpId: string): Promise<Set<string>> {
    const listed = new Set<string>();
    let place = { channelId: message.channel_id, messageId: message.id, customId: `roll-up:${rollUpId}:1` };
    for (let page = 2; ; page += 1) {
      const answer = (await discord.useComponent({ personId: discord.people.ben.id, values: [], ...place })).message;
      if (!answer) return listed;
      for (const address of linksIn(answer)) if (addresses().includes(address)) listed.add(address);
      const next = `next>roll-up-page:${rollUpId}:${page}`;
      if (!JSON.stringify(answer.components).includes(`"${next}"`)) return listed;
      place = { channelId: answer.channel_id, messageId: answer.id, customId: next };
    }
  }
}
