import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import type { Fault } from '../faults.ts';
import { endPolls } from '../poll-life.ts';
import { beginAndEnd } from '../scheduled-events.ts';
import { LOCAL_TOKEN } from '../seed.ts';
import { archiveIdle } from '../thread-life.ts';
import { trackAnswers } from './answering.ts';
import { applicationCommandRoutes } from './application-commands.ts';
import { bodyOf, readBodies } from './body.ts';
import { channelWebhookRoutes } from './channel-webhooks.ts';
import { channelRoutes } from './channels.ts';
import type { RestContext } from './context.ts';
import { followerRoutes } from './followers.ts';
import { guildRoutes } from './guilds.ts';
import { interactionCallbackRoutes } from './interaction-callbacks.ts';
import { globallyLimited, refuse } from './limit.ts';
import { messageRoutes } from './messages.ts';
import { pinRoutes } from './pins.ts';
import { pollRoutes } from './polls.ts';
import { reactionRoutes } from './reactions.ts';
import { listOperations, logRequests } from './request-log.ts';
import { scheduledEventRoutes } from './scheduled-events.ts';
import { threadRoutes } from './threads.ts';
import { gatewayRoute, userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

/** The REST API, version 10, to be registered below `/api/v10`: https://discord.com/developers/docs/reference */
export function restApi(context: RestContext): FastifyPluginAsync {
  return async (app) => {
    listOperations(app, context.operations);
    trackAnswers(app, context.answering);
    readBodies(app);
    answerErrors(app, context);
    injectFaults(app, context);
    // A response waits until its changes are in the file, so that an accepted request survives a kill.
    app.addHook('onSend', async ({ headers }, reply, payload) => {
      // Several libraries read a body only where its type is exactly Discord's, which names no charset.
      if (String(reply.getHeader('content-type') ?? '').startsWith('application/json')) {
        reply.header('content-type', 'application/json');
      }
      await context.persistence.settled();
      return typeof payload === 'string' ? context.reachedBy(headers, payload) : payload;
    });

    logRequests(app, context.requests, () => context.clock.now());

    await app.register(async (bots) => {
      bots.addHook('onRequest', async (request) => {
        if (request.headers.authorization !== `Bot ${LOCAL_TOKEN}`) throw new DiscordError('unauthorized');
      });
      bots.addHook('onRequest', globallyLimited(context));
      // Discord archives threads, and begins and ends events, at about the time they are due; here with the next request.
      bots.addHook('preHandler', async () => {
        archiveIdle(context.world, context.clock);
        beginAndEnd(context.world, context.clock);
        endPolls(context);
      });
      for (const routes of [
        userRoutes,
        guildRoutes,
        channelRoutes,
        messageRoutes,
        pinRoutes,
        reactionRoutes,
        pollRoutes,
        scheduledEventRoutes,
        followerRoutes,
        channelWebhookRoutes,
        threadRoutes,
        applicationCommandRoutes,
      ]) {
        routes(bots, context);
      }
    });

    // These routes need no token, or only that in their path, and the global limit does not apply to them.
    gatewayRoute(app);
    interactionCallbackRoutes(app, context);
    webhookRoutes(app, context);
  };
}

function answerErrors(app: FastifyInstance, { log }: RestContext): void {
  app.setNotFoundHandler(({ method, url }, reply) => {
    const path = url.split('?')[0]?.slice(app.prefix.length);
    const cause = `Local Discord has no ${method} ${path}; its README lists what it has.`;
    return reply.code(404).send({ ...new DiscordError('notFound').toJSON(), cause });
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof DiscordError) return answer(reply, error);
    const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500;
    if (status === 413) return answer(reply, new DiscordError('requestTooLarge'));
    if (status === 415) return answer(reply, new DiscordError('invalidForm'));
    log.error({ err: error, method: request.method, url: request.routeOptions.url }, 'A request could not be answered');
    // Discord's answer has no cause: here somebody looks for a mistake of this package, or of its test.
    return reply.code(500).send({ message: '500: Internal Server Error', code: 0, cause: String(error) });
  });
}

function answer(reply: FastifyReply, error: DiscordError): FastifyReply {
  const { retryAfterMs, isShared } = error;
  if (retryAfterMs !== undefined) {
    const seconds = isShared ? 1 : Math.ceil(retryAfterMs / 1000);
    reply.headers({ 'retry-after': seconds, 'x-ratelimit-scope': isShared ? 'shared' : 'user' });
  }
  return reply.code(error.status).send(error.toJSON());
}

/** With these an answer comes late or never. */
const HOLDING: ReadonlySet<Fault['kind']> = new Set(['latency', 'silence']);

/** Applies faults to requests: before they are carried out, or afterwards in place of the response. */
function injectFaults(
  app: FastifyInstance,
  { decideFault, decideFaultByContent, answering, clock }: RestContext,
): void {
  const pending = new WeakMap<FastifyRequest, Fault>();
  const requestOf = ({ method, url }: FastifyRequest) => ({
    method,
    path: (url.split('?')[0] ?? '').slice(app.prefix.length),
  });

  async function apply(fault: Fault | undefined, request: FastifyRequest, reply: FastifyReply) {
    if (!fault) return;
    if (HOLDING.has(fault.kind)) answering.end(request);
    if (fault.kind === 'latency') return clock.sleep(fault.ms);
    if (fault.kind === 'refused') throw new DiscordError(fault.error);
    if (fault.kind === 'rate-limit') return refuse(reply, fault.retryAfterMs, fault.scope);
    if (fault.accepted) {
      pending.set(request, fault);
      return;
    }
    if (fault.kind === 'error')
      return reply.code(fault.status).send({ message: `${fault.status}: Local fault`, code: 0 });
    reply.hijack();
    if (fault.kind === 'drop') request.raw.socket.destroy();
  }

  app.addHook('onRequest', async (request, reply) => apply(decideFault(requestOf(request)), request, reply));
  app.addHook('preHandler', async (request, reply) => {
    const fault = decideFaultByContent({ ...requestOf(request), content: bodyOf(request).json });
    return apply(fault, request, reply);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const fault = pending.get(request);
    if (!fault) return payload;
    if (fault.kind === 'error') {
      reply.code(fault.status).type('application/json');
      return JSON.stringify({ message: `${fault.status}: Local fault`, code: 0 });
    }
    if (fault.kind === 'silence') return new Promise<never>(() => undefined);
    request.raw.socket.destroy();
    return payload;
  });
}
