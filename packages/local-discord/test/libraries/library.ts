import { onTestFinished } from 'vitest';
import type { LocalDiscord } from '../../src/index.ts';

/** What a bot does by a library, in that library's own words. Ids are Discord's. */
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
  /** @returns the thread's id */
  openThread(channelId: string, messageId: string, name: string): Promise<string>;
  /** @returns the id of the channel of direct messages */
  messagePerson(personId: string, content: string): Promise<string>;
  delete(channelId: string, messageId: string): Promise<unknown>;
  deleteAll(channelId: string, messageIds: string[]): Promise<unknown>;
  /** Registers a slash command without options. */
  register(name: string, description: string): Promise<unknown>;
  /** Answers all commands and buttons from now on, each with the text made of the name or custom id. */
  answer(text: (name: string) => string): void;
  /** @returns the ids of the members whose names begin so */
  findMembers(guildId: string, name: string): Promise<string[]>;
}

export interface Library {
  /** As npm calls it. */
  name: string;
  /** Resolves when the gateway says that it is ready. */
  logIn: (discord: LocalDiscord) => Promise<LibraryBot>;
}

/** Ends a library's connection with its test. */
export function atEnd(stop: () => unknown): void {
  onTestFinished(async () => {
    await stop();
  });
}
