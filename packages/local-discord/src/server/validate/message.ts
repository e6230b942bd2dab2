import { MessageCreateRequestSchema, MessageEditRequestPartialSchema, type Schema } from 'discord-api-spec/zod';
import type {
  APIMessage,
  RESTPatchAPIChannelMessageJSONBody,
  RESTPostAPIChannelMessageJSONBody,
} from 'discord-api-types/v10';
import type { UploadedFile } from '../attachments.ts';
import { DiscordError } from '../discord-error.ts';
import { MESSAGE_FLAG } from '../numbers.ts';
import { validateComponents } from './components.ts';
import { validateEmbeds } from './embeds.ts';
import { type Field, isRecord } from './form.ts';
import { validatePoll } from './poll.ts';
import { holdAgainst } from './published.ts';

/** https://discord.com/developers/docs/resources/message#create-message */
const CONTENT = 2000;
const ATTACHMENTS = { number: 10, bytes: 10 * 1024 * 1024 } as const;

/** A message to be sent: by Create Message, in an interaction's answer, or as the start of a forum post. */
export type MessageBody = RESTPostAPIChannelMessageJSONBody;
export type MessageEdit = RESTPatchAPIChannelMessageJSONBody;

/**
 * Validates a new message against Discord's limits.
 * @throws DiscordError 50035 naming every wrong place, 50006 when there is nothing to show, 40005 for too large a file
 */
export function validateNewMessage(form: Field, files: readonly UploadedFile[]): MessageBody {
  const body = asBody(form);
  const isV2 = hasFlag(body.flags, MESSAGE_FLAG.componentsV2);
  validateCommon(form, MessageCreateRequestSchema, isV2);
  if (files.length > ATTACHMENTS.number) {
    form.at('attachments').fail('BASE_TYPE_MAX_LENGTH', `Must be ${ATTACHMENTS.number} or fewer in length.`);
  }
  validateFiles(files);
  validatePoll(form.at('poll'));
  if (isV2) forbidBesideV2(form, body);
  form.done();
  const shown =
    isV2 || [body.content?.trim(), body.embeds?.length, body.components?.length, body.poll, files.length].some(Boolean);
  if (!shown) throw new DiscordError('emptyMessage');
  return body;
}

/**
 * Validates an edit against Discord's limits and the existing message. Fields that the edit leaves out stay.
 * @throws DiscordError as {@link validateNewMessage}
 */
export function validateMessageEdit(form: Field, files: readonly UploadedFile[], message: APIMessage): MessageEdit {
  const body: MessageEdit = asBody(form);
  const was = hasFlag(message.flags, MESSAGE_FLAG.componentsV2);
  const isV2 = was || hasFlag(body.flags ?? 0, MESSAGE_FLAG.componentsV2);
  if (was && body.flags !== undefined && body.flags !== null && !hasFlag(body.flags, MESSAGE_FLAG.componentsV2)) {
    form
      .at('flags')
      .fail('MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG', 'The components v2 flag cannot be removed from a message');
  }
  validateCommon(form, MessageEditRequestPartialSchema, isV2, message);
  form.done();
  const kept = body.attachments
    ? body.attachments.filter(({ id }) => message.attachments.some((one) => one.id === id))
    : message.attachments;
  if (kept.length + files.length > ATTACHMENTS.number) {
    form.at('attachments').fail('BASE_TYPE_MAX_LENGTH', `Must be ${ATTACHMENTS.number} or fewer in length.`);
  }
  validateFiles(files);
  if (isV2) {
    forbidBesideV2(form, {
      content: body.content === undefined ? message.content : body.content,
      embeds: body.embeds === undefined ? message.embeds : body.embeds,
    });
  }
  form.done();
  const content = body.content === undefined ? message.content : (body.content ?? '').trim();
  const embeds = body.embeds === undefined ? message.embeds : (body.embeds ?? []);
  const components = body.components === undefined ? (message.components ?? []) : (body.components ?? []);
  if (![content, embeds.length, components.length, kept.length + files.length].some(Boolean)) {
    throw new DiscordError('emptyMessage');
  }
  return body;
}

function hasFlag(flags: number | undefined, flag: number): boolean {
  return typeof flags === 'number' && (flags & flag) !== 0;
}

/** Types a request's body as a message. The checks that follow make sure that it is one. */
function asBody(form: Field): MessageBody {
  if (isRecord(form.value)) return form.value as MessageBody;
  throw new DiscordError('emptyMessage');
}

/** Checks each field by itself, without regard to the other fields. */
function validateCommon(form: Field, schema: Schema, isV2: boolean, existing?: APIMessage): void {
  holdAgainst(form, schema);
  form.at('content').string({ max: CONTENT });
  if (!form.isRight) return;
  validateEmbeds(form.at('embeds'));
  // An edit without components keeps the existing ones.
  if (existing === undefined || !form.at('components').isAbsent || !existing.components?.length) {
    validateComponents(form.at('components'), isV2);
  }
  validateAllowedMentions(form.at('allowed_mentions'));
}

/** https://discord.com/developers/docs/resources/message#allowed-mentions-object */
function validateAllowedMentions(allowed: Field): void {
  const parse = allowed.at('parse').items();
  for (const kind of ['users', 'roles']) {
    if (allowed.at(kind).items().length > 0 && parse.some((one) => one.value === kind)) {
      allowed.fail(
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      );
    }
  }
}

function forbidBesideV2(
  form: Field,
  body: { content?: string | null | undefined; embeds?: unknown[] | null | undefined },
): void {
  const message = 'The field cannot be used when using MessageFlags.IS_COMPONENTS_V2';
  if (body.content) form.at('content').fail('MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', message);
  if (body.embeds?.length) form.at('embeds').fail('MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', message);
  for (const key of ['poll', 'sticker_ids']) {
    const field = form.at(key);
    if (!field.isAbsent) field.fail('MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', message);
  }
}

function validateFiles(files: readonly UploadedFile[]): void {
  if (files.some((file) => file.bytes.byteLength > ATTACHMENTS.bytes)) {
    throw new DiscordError('requestTooLarge');
  }
}
