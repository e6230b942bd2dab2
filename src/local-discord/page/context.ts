import type { APIChannel, APIUser } from 'discord-api-types/v10';
import type { PageMessage, PagePerson, PageState } from '../page-api.ts';
import { avatarOf } from './avatar.ts';
import type { OpenModal, View } from './state.ts';

/** What every part of the page is drawn from. */
export interface Context {
  view: View;
  server: PageState;
  nowMs: number;
  actions: Actions;
}

/** What a person can do on the page. */
export interface Actions {
  openChannel: (channelId: string) => void;
  choosePerson: (personId: string) => void;
  /** Puts the beginning of a command into the composer. */
  startCommand: (name: string) => void;
  use: (message: PageMessage, customId: string, values?: string[]) => void;
  dismiss: (id: string) => void;
  showEarlier: () => void;
  jumpToNewest: () => void;
  closeNotice: () => void;
  submitModal: (modal: OpenModal & { channelId: string }, values: Record<string, string>) => Promise<void>;
  closeModal: (interactionId: string) => void;
}

export function displayName(user: APIUser): string {
  return user.global_name ?? user.username;
}

/** A user's picture: made here, since nothing is loaded from outside. */
export function avatarOfUser(user: APIUser): string {
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

export function nameOfChannel(channel: APIChannel): string {
  return channel.name ?? 'unnamed';
}
