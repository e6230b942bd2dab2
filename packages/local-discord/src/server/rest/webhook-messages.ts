import { DiscordError } from '../discord-error.ts';
import { asApiMessage } from '../messages.ts';
import { CHANNEL, MESSAGE } from '../numbers.ts';
import type { PageMessage } from '../page-api.ts';
import type { IncomingWebhook, WorldChannel } from '../seed.ts';
import { Field, isRecord } from '../validate/form.ts';
import { validateMessageEdit, validateNewMessage } from '../validate/message.ts';
import { webhookAuthor } from '../webhooks.ts';
import { isThread } from '../world.ts';
import type { RequestBody } from './body.ts';
import type { RestContext } from './context.ts';
import { startPost } from './threads.ts';

/**
 * Posts a webhook's message: https://discord.com/developers/docs/resources/webhook#execute-webhook
 * @param threadId the thread of the webhook's channel in which it posts; undefined for the channel itself
 * @throws DiscordError 50035, 50006, 10003, 220001, 220003
 */
export function executeWebhook(
  context: RestContext,
  webhook: IncomingWebhook,
  { json, files }: RequestBody,
  threadId: string | undefined,
) {
  const { world, messages } = context;
  const form = new Field(json);
  const {
    username: _name,
    avatar_url: _url,
    thread_name: threadName,
    applied_tags: tags,
    ...body
  } = isRecord(json) ? json : {};
  const name = form.at('username').string({ min: 1, max: 80 });
  const channel = threadOf(context, webhook, threadId);
  const by = { author: webhookAuthor(webhook, name), more: { webhook_id: webhook.id, type: MESSAGE.default } };
  if (channel.type === CHANNEL.forum) {
    if (threadName === undefined) throw new DiscordError('forumNeedsThread');
    form.done();
    return startPost(context, channel, { name: threadName, applied_tags: tags, message: body }, files, by).message;
  }
  if (threadName !== undefined) throw new DiscordError('threadNameElsewhere');
  form.done();
  const message = messages.compose({ channel, body: validateNewMessage(new Field(body), files), files, ...by });
  world.addMessage(message);
  return asApiMessage(message);
}

/** The webhook's channel, or a thread of it. @throws DiscordError 10003 */
function threadOf({ world }: RestContext, { channel_id }: IncomingWebhook, threadId: string | undefined): WorldChannel {
  const channel = world.channel(threadId ?? channel_id);
  if (threadId !== undefined && !(isThread(channel) && channel.parent_id === channel_id)) {
    throw new DiscordError('unknownChannel');
  }
  return channel;
}

/** A message that the webhook has posted. @throws DiscordError 10003, 10008 */
export function messageOfWebhook(
  context: RestContext,
  webhook: IncomingWebhook,
  messageId: string,
  threadId: string | undefined,
): PageMessage {
  const message = context.world.message(threadOf(context, webhook, threadId).id, messageId);
  if (message.webhook_id !== webhook.id) throw new DiscordError('unknownMessage');
  return message;
}

/** https://discord.com/developers/docs/resources/webhook#edit-webhook-message */
export function editWebhookMessage({ world, messages }: RestContext, message: PageMessage, body: RequestBody) {
  const edited = messages.revise(message, validateMessageEdit(new Field(body.json), body.files, message), body.files);
  world.setMessage(edited);
  return asApiMessage(edited);
}
