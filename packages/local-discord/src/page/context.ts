import type { APIApplicationCommand, APIChannel, APIUser } from 'discord-api-types/v10';
import { CHANNEL, type COMMAND, isUsableIn } from '../server/numbers.ts';
import type { PageMessage, PagePerson, PageState, PersonAction, SubmitModal } from '../server/page-api.ts';
import { avatarOf } from './avatar.ts';
import { isThread, type OpenModal, type Panel, type View } from './state.ts';

/** The input that every part of the page is rendered from. */
export interface Context {
  view: View;
  server: PageState;
  nowMs: number;
  actions: Actions;
}

/** A point of the window, in CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

export interface MenuItem {
  label: string;
  choose: () => void;
  /** Whether the item is the chosen one of several; left out for an item that does something. */
  checked?: boolean;
  /** The heading that stands above the item. */
  heading?: string;
}

export interface Picture {
  url: string;
  description: string;
}

/** An action before it is said whose it is. */
export type Unsigned<A extends PersonAction> = A extends unknown ? Omit<A, 'personId'> : never;

/** The actions that a person can take on the page. */
export interface Actions {
  /** Opens a channel, at the message if one is given. */
  openChannel: (channelId: string, messageId?: string | null) => void;
  choosePerson: (personId: string) => void;
  /** Puts the beginning of a command into the composer. */
  startCommand: (name: string) => void;
  use: (message: PageMessage, customId: string, values?: string[]) => void;
  /** Runs a message command on the message. */
  runOn: (message: PageMessage, name: string) => void;
  /** Runs a user command on the person. */
  runOnUser: (userId: string, name: string) => void;
  dismiss: (id: string) => void;
  openMenu: (point: Point, label: string, items: readonly MenuItem[]) => void;
  /** Shows pictures in full size, beginning with the one at `index`. */
  showPictures: (pictures: readonly Picture[], index: number) => void;
  copy: (text: string) => void;
  focusComposer: () => void;
  /** Marks a channel's messages as read, those of its posts included. */
  markRead: (channelId: string) => void;
  showEarlier: () => void;
  /** Opens a panel over the page, or closes the one that is open (null). */
  openPanel: (panel: Panel | null) => void;
  /** Does something in the server as the chosen person, without the bot. */
  act: (action: Unsigned<PersonAction>) => void;
  jumpToNewest: () => void;
  closeNotice: () => void;
  submitModal: (modal: OpenModal & { channelId: string }, values: SubmitModal['values']) => Promise<void>;
  closeModal: (interactionId: string) => void;
}

export function displayName(user: APIUser): string {
  return user.global_name ?? user.username;
}

/** A user's avatar: their own, or one generated here, because the page loads nothing from outside. */
export function avatarOfUser(user: APIUser): string {
  if (user.avatar) return `/attachments/avatars/${user.avatar}/avatar`;
  return avatarOf({ id: user.id, name: displayName(user), bot: user.bot ?? false });
}

export function personOf({ server, view }: Context): PagePerson | undefined {
  return server.people.find(({ user }) => user.id === view.personId);
}

export function userById({ server }: Context, id: string): APIUser | undefined {
  return server.bot?.id === id ? server.bot : server.people.find(({ user }) => user.id === id)?.user;
}

export function channelById({ server }: Context, id: string): APIChannel | undefined {
  return server.channels.find((channel) => channel.id === id);
}

/** @param botName the name of direct messages, where the channel may be of these */
export function nameOfChannel(channel: APIChannel, botName = ''): string {
  return channel.name ?? (channel.type === CHANNEL.direct ? botName : 'unnamed');
}

/** The displayed name of a channel: `#deals`, `@Bot` for direct messages, and a thread's name as it is. */
export function titleOfChannel(channel: APIChannel, botName = ''): string {
  const sign = channel.type === CHANNEL.direct ? '@' : isThread(channel) ? '' : '#';
  return `${sign}${nameOfChannel(channel, botName)}`;
}

/** The commands that the chosen person can use in the open channel: none that require a permission they lack. */
export function offeredCommands(
  context: Context,
  type: (typeof COMMAND)[keyof typeof COMMAND],
): APIApplicationCommand[] {
  const { server, view } = context;
  const isDirect = channelById(context, view.channelId)?.type === CHANNEL.direct;
  const manages = personOf(context)?.canManage ?? false;
  return server.commands.filter(
    (command) =>
      Number(command.type) === type &&
      isUsableIn(command, isDirect ? 'direct' : 'guild') &&
      (manages || isDirect || !command.default_member_permissions),
  );
}
