import type { APIChannel } from 'discord-api-types/v10';
import { CHANNEL, MOST_REQUESTS } from '../server/numbers.ts';
import type { PageMessage, PageModal, PageState, PageUpdate } from '../server/page-api.ts';

/** The whole state of the page, as one value that only `reduce` creates. */
export interface View {
  /** The server's state; null until it is first loaded. */
  server: PageState | null;
  connection: 'connecting' | 'live' | 'reconnecting';
  /** The open channel, '' while there is none. */
  channelId: string;
  /** The id of the person whom the page acts as. */
  personId: string;
  /** Numbers of unread messages by channel id; a channel without any has no entry. */
  unread: Record<string, number>;
  /** The first message that was unread when the channel was opened. */
  firstUnreadId: string | null;
  /** The message that the page's address leads to. */
  linkedId: string | null;
  /** Number of messages that arrived below while the reader was further up. */
  below: number;
  /** Number of the channel's newest messages that are shown. */
  limit: number;
  /** Ids of the ephemeral messages that were dismissed. */
  dismissed: readonly string[];
  started: readonly StartedInteraction[];
  /**
   * The outcomes of interactions, by id. An outcome may arrive before `started` has its interaction, because the two
   * travel separately.
   */
  outcomes: Record<string, Outcome>;
  modals: readonly OpenModal[];
  /** Who typed last in each channel without having posted since, and when: epoch milliseconds. */
  typing: Readonly<Record<string, { userId: string; atMs: number }>>;
  /** The panel that is open over the page; null for none. */
  panel: Panel | null;
  /** How often a panel was opened or closed: one that is opened again at once is another one. */
  panelTurns: number;
  /** One sentence about the latest problem, '' for none. */
  notice: string;
}

/** The pinned messages of the open channel, the server's events, or the question which channel is to follow the open one. */
export type Panel = 'pins' | 'events' | 'follow' | 'requests';

/** An interaction that this page started. */
export interface StartedInteraction {
  id: string;
  personId: string;
  channelId: string;
  startedMs: number;
  /** A command as typed, or the component that was used. */
  origin: { type: 'command'; text: string } | { type: 'component'; messageId: string; customId: string };
}

export interface Outcome {
  state: 'answered' | 'deferred' | 'failed';
  problem?: string;
}

export interface OpenModal {
  interactionId: string;
  personId: string;
  modal: PageModal;
}

export type Action =
  | { type: 'loaded'; server: PageState }
  | { type: 'updated'; update: PageUpdate; reading: boolean }
  | { type: 'typed'; channelId: string; userId: string; atMs: number }
  | { type: 'connection'; connection: View['connection'] }
  | { type: 'channel-opened'; channelId: string; messageId?: string | null }
  | { type: 'marked-read'; channelId: string }
  | { type: 'person-chosen'; personId: string }
  | { type: 'caught-up' }
  | { type: 'earlier-wanted' }
  | { type: 'dismissed'; id: string }
  | { type: 'started'; interaction: StartedInteraction }
  | { type: 'modal-closed'; interactionId: string }
  | { type: 'panel-opened'; panel: Panel | null }
  | { type: 'notice'; text: string };

export const PAGE_OF_MESSAGES = 50;

/** For so long somebody counts as typing, in milliseconds: https://discord.com/developers/docs/resources/channel#trigger-typing-indicator */
export const TYPING_MS = 10_000;

/** A page that stays open for days keeps this many messages per channel, and those that are pinned. */
const MOST_MESSAGES = 1000;

const isKept = ({ pinned }: PageMessage, index: number, all: readonly PageMessage[]) =>
  pinned || index >= all.length - MOST_MESSAGES;

export const emptyView: View = {
  server: null,
  connection: 'connecting',
  channelId: '',
  personId: '',
  unread: {},
  firstUnreadId: null,
  linkedId: null,
  below: 0,
  limit: PAGE_OF_MESSAGES,
  dismissed: [],
  started: [],
  outcomes: {},
  modals: [],
  panel: null,
  panelTurns: 0,
  notice: '',
  typing: {},
};

export function reduce(view: View, action: Action): View {
  switch (action.type) {
    case 'loaded':
      return load(view, action.server);
    case 'updated':
      return update(view, action.update, action.reading);
    case 'connection':
      return { ...view, connection: action.connection };
    case 'channel-opened':
      return openChannel(view, action.channelId, action.messageId ?? null);
    case 'marked-read':
      return markRead(view, action.channelId);
    case 'person-chosen':
      return choosePerson(view, action.personId);
    case 'caught-up':
      return view.below === 0 ? view : { ...view, below: 0 };
    case 'earlier-wanted':
      return { ...view, limit: view.limit + PAGE_OF_MESSAGES };
    case 'dismissed':
      return {
        ...view,
        dismissed: [...view.dismissed, action.id],
        started: view.started.filter((interaction) => interaction.id !== action.id),
      };
    case 'started':
      // A new use of a component replaces the earlier one.
      return {
        ...view,
        started: [...view.started.filter((known) => !sameComponent(known, action.interaction)), action.interaction],
      };
    case 'modal-closed':
      return { ...view, modals: view.modals.filter((open) => open.interactionId !== action.interactionId) };
    case 'typed': {
      const { channelId, userId, atMs } = action;
      return { ...view, typing: { ...view.typing, [channelId]: { userId, atMs } } };
    }
    case 'panel-opened':
      return { ...view, panel: action.panel, panelTurns: view.panelTurns + 1 };
    case 'notice':
      return { ...view, notice: action.text };
  }
}

function sameComponent(one: StartedInteraction, other: StartedInteraction): boolean {
  return (
    one.origin.type === 'component' &&
    other.origin.type === 'component' &&
    one.origin.messageId === other.origin.messageId
  );
}

function load(view: View, server: PageState): View {
  const person = server.people.find((candidate) => candidate.user.id === view.personId) ?? server.people[0];
  const personId = person?.user.id ?? '';
  const known = server.channels.some((channel) => channel.id === view.channelId && isFor(channel, personId));
  const channelId = known ? view.channelId : (topChannels(server.channels)[0]?.id ?? '');
  const unread = { ...view.unread };
  if (view.server) {
    // Messages that arrived while the connection was broken are unread too.
    for (const [channelId, messages] of Object.entries(server.messages)) {
      const before = view.server.messages[channelId]?.at(-1)?.id ?? '';
      const missed = messages.filter((message) => compareIds(message.id, before) > 0).length;
      if (missed > 0 && channelId !== view.channelId) unread[channelId] = (unread[channelId] ?? 0) + missed;
    }
  }
  const next: View = {
    ...view,
    server,
    unread,
    connection: 'live',
    // Outcomes that came while the connection was broken are not sent again, so unsettled interactions are dropped.
    started: view.server ? view.started.filter(({ id }) => isSettled(view, id)) : view.started,
    channelId,
    personId,
  };
  if (view.server) return next;
  // As on Discord, ephemeral answers are gone after a reload.
  const ephemeral = Object.values(server.messages).flatMap((messages) => messages.filter(isEphemeral));
  const opened = { ...next, dismissed: ephemeral.map(({ id }) => id) };
  if (view.channelId !== '' && !known) return { ...opened, linkedId: null, notice: GONE_CHANNEL };
  return openChannel(opened, channelId, view.linkedId);
}

const GONE_CHANNEL = "That channel isn't here any more.";
const GONE_MESSAGE = "That message isn't here any more.";

const isEphemeral = (message: PageMessage) => message.visible_to !== null;

function isSettled(view: View, interactionId: string): boolean {
  const asks = view.modals.some((open) => open.interactionId === interactionId);
  return asks || view.outcomes[interactionId]?.state === 'failed';
}

/** Chooses a person. Another person's direct messages cannot stay open. */
function choosePerson(view: View, personId: string): View {
  const { server, channelId } = view;
  const next = { ...view, personId };
  const open = server?.channels.find(({ id }) => id === channelId);
  if (!server || !open || isFor(open, personId)) return next;
  return openChannel(next, topChannels(server.channels)[0]?.id ?? '');
}

function openChannel(view: View, channelId: string, messageId: string | null = null): View {
  const { [channelId]: unread = 0, ...others } = view.unread;
  const messages = view.server?.messages[channelId] ?? [];
  const first = unread > 0 ? messages.at(-Math.min(unread, messages.length)) : undefined;
  const opened = { ...view, channelId };
  const shown = visibleMessages(opened);
  const at = messageId === null ? -1 : shown.findIndex(({ id }) => id === messageId);
  return {
    ...opened,
    unread: others,
    firstUnreadId: first?.id ?? null,
    linkedId: at < 0 ? null : messageId,
    panel: null,
    below: 0,
    // A linked message is shown with some of those before it.
    limit: at < 0 ? PAGE_OF_MESSAGES : Math.max(PAGE_OF_MESSAGES, shown.length - at + PAGE_OF_MESSAGES / 2),
    notice: messageId !== null && at < 0 ? GONE_MESSAGE : view.notice,
  };
}

/** Marks a channel as read, and the posts of a forum with it. */
function markRead(view: View, channelId: string): View {
  const posts = threadsOf(view.server?.channels ?? [], channelId).map(({ id }) => id);
  const read = new Set([channelId, ...posts]);
  const unread = Object.fromEntries(Object.entries(view.unread).filter(([id]) => !read.has(id)));
  return { ...view, unread };
}

function update(view: View, change: PageUpdate, reading: boolean): View {
  const { server } = view;
  if (!server) return view;
  switch (change.type) {
    case 'message':
      return putMessage(view, server, change.message, reading);
    case 'message-deleted': {
      const messages = (server.messages[change.channelId] ?? []).filter(({ id }) => id !== change.messageId);
      return { ...view, server: { ...server, messages: { ...server.messages, [change.channelId]: messages } } };
    }
    case 'guild':
      return { ...view, server: { ...server, guild: change.guild } };
    case 'channels': {
      const next = { ...view, server: { ...server, channels: change.channels } };
      return change.channels.some(({ id }) => id === view.channelId)
        ? next
        : openChannel(next, topChannels(change.channels)[0]?.id ?? '');
    }
    case 'events':
      return { ...view, server: { ...server, events: change.events } };
    case 'commands':
      return { ...view, server: { ...server, commands: change.commands } };
    case 'bot':
      return { ...view, server: { ...server, bot: change.bot } };
    case 'people':
      return { ...view, server: { ...server, people: change.people } };
    case 'typing':
      return view;
    case 'request':
      return { ...view, server: { ...server, requests: [...server.requests, change.request].slice(-MOST_REQUESTS) } };
    case 'demo':
      return { ...view, server: { ...server, demo: change.demo } };
    case 'interaction': {
      const problem = change.problem === undefined ? {} : { problem: change.problem };
      return {
        ...view,
        outcomes: { ...view.outcomes, [change.interactionId]: { state: change.state, ...problem } },
      };
    }
    case 'modal': {
      const { interactionId, personId, modal } = change;
      const others = view.modals.filter((open) => open.interactionId !== interactionId);
      return { ...view, modals: [...others, { interactionId, personId, modal }] };
    }
  }
}

function putMessage(view: View, server: PageState, message: PageMessage, reading: boolean): View {
  const before = server.messages[message.channel_id] ?? [];
  const known = before.some(({ id }) => id === message.id);
  const after = known
    ? before.map((other) => (other.id === message.id ? message : other))
    : [...before, message].sort((one, other) => compareIds(one.id, other.id)).filter(isKept);
  const { [message.channel_id]: typing, ...others } = view.typing;
  const next = {
    ...view,
    server: { ...server, messages: { ...server.messages, [message.channel_id]: after } },
    ...(typing?.userId === message.author.id && !known && { typing: others }),
  };
  const channel = server.channels.find(({ id }) => id === message.channel_id);
  if (known || !isVisible(message, view) || (channel && !isFor(channel, view.personId))) return next;
  if (message.channel_id !== view.channelId) {
    const count = (view.unread[message.channel_id] ?? 0) + 1;
    return { ...next, unread: { ...view.unread, [message.channel_id]: count } };
  }
  return reading ? { ...next, limit: grown(view) } : { ...next, below: view.below + 1, limit: view.limit + 1 };
}

/**
 * The new limit of shown messages. At the end one page is enough, but a reader who asked for earlier messages keeps
 * them.
 */
function grown(view: View): number {
  return view.limit === PAGE_OF_MESSAGES ? PAGE_OF_MESSAGES : view.limit + 1;
}

/** Compares snowflakes as text: the longer one is larger, and equal lengths sort alphabetically. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}

/** Whether the chosen person can see a message. */
export function isVisible(message: PageMessage, view: Pick<View, 'personId' | 'dismissed'>): boolean {
  if (view.dismissed.includes(message.id)) return false;
  return message.visible_to === null || message.visible_to === view.personId;
}

/** The messages of the open channel that the chosen person can see, oldest first. */
export function visibleMessages(view: View): PageMessage[] {
  return (view.server?.messages[view.channelId] ?? []).filter((message) => isVisible(message, view));
}

/** The type of a channel that only groups others: a category. */
export const CATEGORY = 4;

/** The channels of the list, in the server's order. Threads are listed in their forum. */
export function topChannels(channels: readonly APIChannel[]): APIChannel[] {
  const place = (channel: APIChannel) => ('position' in channel ? (channel.position ?? 0) : 0);
  const listed = channels.filter((channel) => !isThread(channel) && channel.type !== CHANNEL.direct);
  return listed.sort((one, other) => place(one) - place(other));
}

/** A person's direct messages, which no other person sees. */
export function directChannels(channels: readonly APIChannel[], personId: string): APIChannel[] {
  return channels.filter((channel) => channel.type === CHANNEL.direct && isFor(channel, personId));
}

function isFor(channel: APIChannel, personId: string): boolean {
  if (channel.type !== CHANNEL.direct) return true;
  return 'recipients' in channel && channel.recipients?.some(({ id }) => id === personId) === true;
}

/** A channel's threads, newest first. */
export function threadsOf(channels: readonly APIChannel[], parentId: string): APIChannel[] {
  return channels
    .filter((channel) => isThread(channel) && 'parent_id' in channel && channel.parent_id === parentId)
    .sort((one, other) => compareIds(other.id, one.id));
}

export function isThread(channel: APIChannel): boolean {
  return channel.type === CHANNEL.announcementThread || channel.type === CHANNEL.publicThread;
}

/** A command without a message of its own: it awaits its answer, or never got one. */
export interface PendingCommand extends StartedInteraction {
  outcome: Outcome | null;
}

/** The chosen person's pending commands in the open channel, oldest first. */
export function pendingCommands(view: View): PendingCommand[] {
  const shown = new Set(visibleMessages(view).map((message) => message.interaction_metadata?.id));
  const asked = new Set(view.modals.map((open) => open.interactionId));
  return view.started
    .filter(
      ({ id, origin, channelId, personId }) =>
        origin.type === 'command' && channelId === view.channelId && personId === view.personId && !asked.has(id),
    )
    .map((interaction) => ({ ...interaction, outcome: view.outcomes[interaction.id] ?? null }))
    .filter(({ id, outcome }) => outcome?.state !== 'answered' && !shown.has(id));
}

/** The last use of one of a message's components and its outcome, until the interaction is answered. */
export function componentUse(view: View, messageId: string): { customId: string; outcome: Outcome | null } | undefined {
  const use = view.started.findLast(({ origin }) => origin.type === 'component' && origin.messageId === messageId);
  if (use?.origin.type !== 'component' || view.modals.some((open) => open.interactionId === use.id)) return undefined;
  const outcome = view.outcomes[use.id] ?? null;
  return outcome?.state === 'answered' ? undefined : { customId: use.origin.customId, outcome };
}

/** The modal to show: only one that an interaction of this page asked for. */
export function currentModal(view: View): (OpenModal & { channelId: string }) | undefined {
  for (const open of view.modals) {
    const started = view.started.find(({ id }) => id === open.interactionId);
    if (started) return { ...open, channelId: started.channelId };
  }
  return undefined;
}
