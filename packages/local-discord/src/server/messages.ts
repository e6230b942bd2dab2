import type { APIAllowedMentions, APIAttachment, APIEmbed, APIMessage, APIUser } from 'discord-api-types/v10';
import type { Clock } from '../clock.ts';
import {
  type AttachmentNote,
  type AttachmentStore,
  describeAttachment,
  locatedAt,
  type UploadedFile,
} from './attachments.ts';
import { DiscordError } from './discord-error.ts';
import { resolveMentions } from './mentions.ts';
import { COMPONENT, MESSAGE, MESSAGE_FLAG, PERMISSION } from './numbers.ts';
import { hasPoll, type PageMessage } from './page-api.ts';
import { isAllowed } from './permissions.ts';
import { newPoll, resultsOf } from './polls.ts';
import { publishComponents, withChildren } from './publish-components.ts';
import { reactionsOf } from './reactions.ts';
import { IDS, type WorldChannel } from './seed.ts';
import { type Snowflakes, snowflakeTimeMs } from './snowflake.ts';
import type { MessageBody, MessageEdit } from './validate/message.ts';
import { isDirect, type World } from './world.ts';

/** Time for which a nonce is remembered; Discord says "a few minutes". */
const NONCE_MS = 5 * 60_000;
/** The flags that a bot may set on its own message. */
const SETTABLE_FLAGS = MESSAGE_FLAG.suppressEmbeds | MESSAGE_FLAG.suppressNotifications | MESSAGE_FLAG.componentsV2;

export interface Messages {
  /** Builds a new message from a validated body. It does not add it to the world. */
  compose(draft: Draft): PageMessage;
  /** Builds the message with a validated edit applied. It does not change the world. */
  revise(message: PageMessage, edit: MessageEdit, files: readonly UploadedFile[]): PageMessage;
}

export interface Draft {
  channel: WorldChannel;
  author: APIUser;
  body: MessageBody;
  files: readonly UploadedFile[];
  /** Fields that depend on the way of sending: type, interaction, visibility. */
  more?: Partial<PageMessage>;
}

interface Dependencies {
  world: World;
  snowflakes: Snowflakes;
  clock: Clock;
  attachments: AttachmentStore;
  /** URL of this server, `http://…` without a slash at its end. */
  url: () => string;
}

/** Builds messages as Discord's API shows them: https://discord.com/developers/docs/resources/message */
export function createMessages({ world, snowflakes, clock, attachments, url }: Dependencies): Messages {
  const now = () => new Date(clock.now()).toISOString().replace('Z', '000+00:00');

  function keepFiles(
    channelId: string,
    files: readonly UploadedFile[],
    notes: readonly AttachmentNote[] | null | undefined,
  ) {
    return files.map((file) => {
      const id = snowflakes.next();
      const { name, contentType } = file;
      attachments.save(id, { name, contentType, base64: file.bytes.toString('base64') });
      return describeAttachment(file, id, `${url()}/attachments/${channelId}/${id}/${encodeURIComponent(name)}`, notes);
    });
  }

  return {
    compose({ channel, author, body, files, more = {} }) {
      const id = more.id ?? snowflakes.next();
      const kept = keepFiles(channel.id, files, body.attachments);
      const content = (body.content ?? '').trim();
      const components = publishComponents(body.components ?? [], kept, snowflakes);
      return {
        id,
        channel_id: channel.id,
        author,
        content,
        timestamp: now(),
        edited_timestamp: null,
        tts: body.tts ?? false,
        ...pings(world, channel, { author, ...more }, content, components, body.allowed_mentions),
        attachments: kept,
        embeds: publishEmbeds(body.embeds ?? [], kept),
        components,
        pinned: false,
        type: MESSAGE.default,
        flags: (body.flags ?? 0) & SETTABLE_FLAGS,
        ...(body.poll && { poll: newPoll(body.poll, clock.now()) }),
        ...(body.nonce !== undefined && { nonce: body.nonce }),
        ...reference(world, channel, body),
        visible_to: null,
        ...more,
      };
    },

    revise(message, edit, files) {
      const channel = world.channel(message.channel_id);
      const stays = edit.attachments?.map(({ id }) => String(id));
      const kept = message.attachments.filter(({ id }) => stays?.includes(id) ?? true);
      const all = [...kept, ...keepFiles(channel.id, files, edit.attachments)];
      const content = edit.content === undefined ? message.content : (edit.content ?? '').trim();
      const components =
        edit.components === undefined
          ? (message.components ?? [])
          : publishComponents(edit.components ?? [], all, snowflakes);
      const flags = message.flags ?? 0;
      const wasLoading = (flags & MESSAGE_FLAG.loading) !== 0;
      const settable = MESSAGE_FLAG.suppressEmbeds | MESSAGE_FLAG.componentsV2;
      const asked = edit.flags === undefined || edit.flags === null ? flags & settable : edit.flags & settable;
      return {
        ...message,
        content,
        components,
        embeds: edit.embeds === undefined ? message.embeds : publishEmbeds(edit.embeds ?? [], all),
        attachments: all,
        ...pings(world, channel, message, content, components, edit.allowed_mentions),
        flags: (flags & ~settable & ~MESSAGE_FLAG.loading) | asked,
        // Filling in a deferred answer does not count as an edit.
        edited_timestamp: wasLoading ? null : now(),
      };
    },
  };
}

/** Finds the message that `authorId` sent there with this nonce in the past few minutes. */
export function findByNonce(
  { world, clock }: Pick<Dependencies, 'world' | 'clock'>,
  channelId: string,
  authorId: string,
  nonce: string | number,
): PageMessage | undefined {
  const since = clock.now() - NONCE_MS;
  return world
    .messages(channelId)
    .findLast(
      (message) =>
        String(message.nonce) === String(nonce) &&
        message.author.id === authorId &&
        snowflakeTimeMs(message.id) >= since,
    );
}

/** Resolves the pings of the content and of the components' texts. */
function pings(
  world: World,
  channel: WorldChannel,
  { author, webhook_id }: Pick<APIMessage, 'author' | 'webhook_id'>,
  content: string,
  components: unknown,
  allowed?: APIAllowedMentions | null,
) {
  const text = [content, ...displayedTexts(components)].join('\n');
  // A webhook needs no permission.
  const everyone = webhook_id !== undefined || isAllowed(world, author.id, channel, PERMISSION.mentionEveryone);
  return resolveMentions(world.guildAt(channel), text, allowed ?? undefined, everyone);
}

/**
 * The reference to the message that a new one replies to. @throws DiscordError 50035 where it must exist and does not
 */
function reference(world: World, channel: WorldChannel, body: MessageBody): Partial<PageMessage> {
  const to = body.message_reference;
  if (!to?.message_id) return {};
  const target = world.findMessage(channel.id, to.message_id);
  if (!target && to.fail_if_not_exists !== false) {
    const complaint = { code: 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE', message: 'Unknown message' };
    throw new DiscordError('invalidForm', { errors: { message_reference: { _errors: [complaint] } } });
  }
  if (!target) return {};
  return {
    type: MESSAGE.reply,
    message_reference: { type: 0, channel_id: channel.id, message_id: target.id, ...world.guildOf(channel.id) },
    referenced_message: target,
  };
}

function displayedTexts(components: unknown): string[] {
  const all = Array.isArray(components) ? components.flatMap(withChildren) : [];
  return all.filter(({ type }) => type === COMPONENT.textDisplay).map(({ content }) => String(content));
}

/** Completes validated embeds for a message: sets their type and the URLs of attached media. */
function publishEmbeds(embeds: readonly APIEmbed[], attachments: readonly APIAttachment[]): APIEmbed[] {
  const at = (address: string) => locatedAt(address, attachments);
  return embeds.map((embed) => {
    const { image, thumbnail, footer, author } = embed;
    return {
      ...embed,
      type: 'rich' as NonNullable<APIEmbed['type']>,
      ...(image && { image: { ...image, url: at(image.url) } }),
      ...(thumbnail && { thumbnail: { ...thumbnail, url: at(thumbnail.url) } }),
      ...(footer?.icon_url && { footer: { ...footer, icon_url: at(footer.icon_url) } }),
      ...(author?.icon_url && { author: { ...author, icon_url: at(author.icon_url) } }),
    };
  });
}

/** The message as the API returns it, without its nonce. */
export function asApiMessage(message: PageMessage): APIMessage {
  const shown = asCreatedMessage(message);
  delete shown.nonce;
  return shown;
}

/** The message as the API returns it to its creator: only then it contains its nonce. */
export function asCreatedMessage(message: PageMessage): APIMessage {
  const shown: Partial<PageMessage> & APIMessage = { ...message };
  delete shown.visible_to;
  delete shown.pinned_at;
  delete shown.reactors;
  delete shown.voters;
  if (hasPoll(message)) shown.poll = { ...message.poll, results: resultsOf(message) };
  const reactions = reactionsOf(message);
  return reactions.length > 0 ? { ...shown, reactions } : shown;
}

/**
 * The message as a bot gets it that lacks the intent for what others write: without what they wrote, unless they wrote to the bot.
 * @see https://discord.com/developers/docs/events/gateway#message-content-intent
 */
export function withoutContent<M extends APIMessage>(world: World, message: M): M {
  const channel = world.findChannel(message.channel_id);
  const isToBot = message.mentions.some(({ id }) => id === IDS.application) || (channel && isDirect(channel));
  if (isToBot || message.author.id === IDS.application) return message;
  const shown = { ...message, content: '', embeds: [], attachments: [], components: [] };
  delete shown.poll;
  return shown;
}
