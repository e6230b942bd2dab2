import { onTestFinished } from 'vitest';
import type { LocalDiscord } from '../../src/index.ts';

/** A bot that is written with a library, by what it does. Ids are Discord's. */
export interface LibraryBot {
  /** Of its own user. */
  id: string;
  /** @returns the message's id */
  post(channelId: string, content: string): Promise<string>;
  edit(channelId: string, messageId: string, content: string): Promise<unknown>;
  /** @returns the message's id */
  postFile(channelId: string, name: string, text: string): Promise<string>;
  /** Posts a message with one button. @returns the message's id */
  postButton(channelId: string, label: string, customId: string): Promise<string>;
  react(channelId: string, messageId: string, emoji: string): Promise<unknown>;
  type(channelId: string): Promise<unknown>;
  pin(channelId: string, messageId: string): Promise<unknown>;
  /** Publishes a message of an announcement channel to the channels that follow it. */
  publish(channelId: string, messageId: string): Promise<unknown>;
  /** Makes a post in a forum. @returns its id */
  postInForum(forumId: string, name: string, content: string): Promise<string>;
  /** @returns the thread's id */
  openThread(channelId: string, messageId: string, name: string): Promise<string>;
  /** @returns the id of the channel of direct messages */
  messagePerson(personId: string, content: string): Promise<string>;
  delete(channelId: string, messageId: string): Promise<unknown>;
  deleteAll(channelId: string, messageIds: string[]): Promise<unknown>;
  /** Posts a message with a menu of these choices. @returns the message's id */
  postMenu(channelId: string, choices: readonly string[], customId: string): Promise<string>;
  /** Registers `commands()`. */
  register(): Promise<unknown>;
  /**
   * Answers from now on: commands with the text made of their name, those of menus with that of the message's or user's id,
   * buttons with that of their custom id, menus with that of the choice, forms with that of what was typed. A value that is
   * being typed gets that of its command as a choice. Messages that begin with `!` get that of their content.
   * The button `FORM` opens a form with one input.
   */
  answer(text: (of: string) => string): void;
  /** Makes a text channel. @returns its id */
  createChannel(guildId: string, name: string): Promise<string>;
  /** Lets a person see a channel. */
  showChannel(channelId: string, personId: string): Promise<unknown>;
  deleteChannel(channelId: string): Promise<unknown>;
  createWebhook(channelId: string, name: string): Promise<Webhook>;
  postBy(webhook: Webhook, content: string): Promise<unknown>;
  /** @returns the role's id */
  createRole(guildId: string, name: string): Promise<string>;
  giveRole(guildId: string, personId: string, roleId: string): Promise<unknown>;
  deleteRole(guildId: string, roleId: string): Promise<unknown>;
  /** @returns the ids of the members whose names begin so */
  findMembers(guildId: string, name: string): Promise<string[]>;
}

export interface Webhook {
  id: string;
  token: string;
}

/** A slash command without options, one with an option whose values are proposed, a message command, and a user command. */
export const commands = () => [
  { type: 1 as const, name: 'greet', description: 'Says hello' },
  {
    type: 1 as const,
    name: 'find',
    description: 'Finds',
    options: [{ type: 3 as const, name: 'what', description: 'What', autocomplete: true as const }],
  },
  { type: 3 as const, name: 'Explain' },
  { type: 2 as const, name: 'Invite' },
];

/** The custom id of the button that opens a form, of the form, and of its input. */
export const FORM = 'form';

export interface Library {
  /** As npm calls it. */
  name: string;
  /** Resolves when the gateway says that it is ready, with as many shards as it recommends. */
  logIn: (discord: LocalDiscord) => Promise<LibraryBot>;
}

/** Ends a library's connection with its test. */
export function atEnd(stop: () => unknown): void {
  onTestFinished(async () => {
    await stop();
  });
}
