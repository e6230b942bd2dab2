import type {
  APIApplicationCommand,
  APIApplicationCommandOptionChoice,
  APIChannel,
  APIExternalGuildScheduledEvent,
  APIGuild,
  APIMessage,
  APIPoll,
  APIUser,
} from 'discord-api-types/v10';

import type { DemoState } from './demo-api.ts';

/**
 * The HTTP interface between the page and the server of local Discord, on the same origin:
 *
 * - `GET  /page/state` → PageState
 * - `GET  /page/updates` → server-sent events, each `data:` a PageUpdate
 * - `POST /page/commands` RunCommand → Started
 * - `POST /page/autocomplete` Autocomplete → Choices
 * - `POST /page/message-commands` RunMessageCommand → Started
 * - `POST /page/user-commands` RunUserCommand → Started
 * - `POST /page/components` UseComponent → Started
 * - `POST /page/modals` SubmitModal → Started
 * - `POST /page/actions` PersonAction → Done
 *
 * A request that can't be carried out answers 4xx with PageProblem.
 */
export interface PageState {
  guild: APIGuild;
  channels: APIChannel[];
  people: PagePerson[];
  /** The bot's user; null while it is not connected. */
  bot: APIUser | null;
  /** The bot has this name while it isn't connected, too. */
  botName: string;
  commands: APIApplicationCommand[];
  /** Messages by channel id, oldest first. Threads (forum posts) and direct messages are channels of their own. */
  messages: Record<string, PageMessage[]>;
  /** The server's scheduled events that aren't over, the earliest first. */
  events: PageEvent[];
  /** The bot's latest requests, the oldest first; none in a demo. */
  requests: PageRequest[];
  /** The demo that local Discord is part of; null where it is none. */
  demo: DemoState | null;
}

export interface PagePerson {
  user: APIUser;
  /** The ids of the roles that the person has in the server. */
  roles: string[];
  /** Whether the person may manage the server. */
  canManage: boolean;
}

/** A request of the bot, and Discord's answer. */
export interface PageRequest {
  /** When it was answered: epoch milliseconds. */
  atMs: number;
  method: string;
  /** With its query. */
  path: string;
  status: number;
  /** The JSON of the request and of the answer, over several lines, cut off where it is long; empty for none. */
  body: string;
  answer: string;
  /** Discord's sentence about what it refused; null where it didn't. */
  refusal: string | null;
}

/** A message as Discord's API returns it, with its visibility. */
export interface PageMessage extends APIMessage {
  /** Id of the only person who sees it (an ephemeral answer); null for everyone. */
  visible_to: string | null;
  /** When it was pinned, if it is: an ISO 8601 timestamp, which no other pin of the channel has. */
  pinned_at?: string;
  /** The ids of those who reacted, by the emoji; absent for nobody. */
  reactors?: Readonly<Record<string, readonly string[]>>;
  /** The ids of those who voted in its poll, by the answer's id; absent for nobody. */
  voters?: Readonly<Record<number, readonly string[]>>;
}

/** A message with a poll. */
export type PollMessage = PageMessage & { poll: APIPoll };

export function hasPoll(message: PageMessage): message is PollMessage {
  return message.poll !== undefined;
}

/** A scheduled event of the server as Discord's API returns it, with who is interested in it. */
export interface PageEvent extends APIExternalGuildScheduledEvent {
  scheduled_end_time: string;
  /** The ids of the people who pressed *Interested*. */
  interested: string[];
}

export type PageUpdate =
  | { type: 'message'; message: PageMessage }
  | { type: 'message-deleted'; channelId: string; messageId: string }
  | { type: 'guild'; guild: APIGuild }
  | { type: 'channels'; channels: APIChannel[] }
  | { type: 'events'; events: PageEvent[] }
  | { type: 'commands'; commands: APIApplicationCommand[] }
  | { type: 'bot'; bot: APIUser | null }
  | { type: 'people'; people: PagePerson[] }
  /** It counts for ten seconds, or until a message comes. */
  | { type: 'typing'; channelId: string; userId: string }
  | { type: 'request'; request: PageRequest }
  | { type: 'demo'; demo: DemoState }
  | { type: 'interaction'; interactionId: string; state: 'answered' | 'deferred' | 'failed'; problem?: string }
  | { type: 'modal'; interactionId: string; personId: string; modal: PageModal };

export interface PageModal {
  custom_id: string;
  title: string;
  components: unknown[];
}

export interface RunCommand {
  personId: string;
  channelId: string;
  /** The command as typed: `/feed feed:Electronics page:2`; a value with spaces may be in double quotes. */
  text: string;
  /** The files for options that take one; the option's value is the file's name. */
  files?: GivenFile[];
}

/** A file that a person attaches. */
export interface GivenFile {
  name: string;
  contentType: string;
  base64: string;
}

/** A message command, chosen from a message's menu. */
export interface RunMessageCommand {
  personId: string;
  channelId: string;
  messageId: string;
  /** The name of the command as it was registered. */
  name: string;
}

/** A user command, chosen from a person's menu. */
export interface RunUserCommand {
  personId: string;
  channelId: string;
  userId: string;
  /** The name of the command as it was registered. */
  name: string;
}

export interface Autocomplete extends RunCommand {
  /** Name of the option whose value is being typed. */
  focused: string;
}

export interface Choices {
  choices: APIApplicationCommandOptionChoice[];
}

export interface UseComponent {
  personId: string;
  channelId: string;
  messageId: string;
  customId: string;
  /** The values chosen in a select menu. */
  values?: string[];
}

export interface SubmitModal {
  personId: string;
  channelId: string;
  customId: string;
  /** The typed text, or the choice from a menu (a list for several), by the custom_id of the input. */
  values: Record<string, string | string[]>;
}

/** What a person does in the server without the bot. */
export type PersonAction = { personId: string } & (
  | { do: 'pin' | 'unpin' | 'delete-message'; channelId: string; messageId: string }
  /** Writes a message, as an answer to another one where `to` names it. */
  | { do: 'post'; channelId: string; content: string; to?: string }
  /** `emoji`: one of Unicode, or `name:id` for a server's own. */
  | { do: 'react' | 'take-back-reaction'; channelId: string; messageId: string; emoji: string }
  /** For these answers of a poll and no others; none takes the vote back. */
  | { do: 'vote'; channelId: string; messageId: string; answerIds: number[] }
  | { do: 'interest'; eventId: string; isInterested: boolean }
  | { do: 'end-event' | 'delete-event'; eventId: string }
  /** Has a channel follow an announcement channel. */
  | { do: 'follow'; channelId: string; targetId: string }
);

/** It is done. What came of it arrives as updates. */
export type Done = Record<string, never>;

export interface Started {
  interactionId: string;
}

export interface PageProblem {
  /** One plain sentence that names the mistake and describes a good request. */
  message: string;
}
