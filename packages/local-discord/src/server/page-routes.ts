import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import type { ReachedBy } from './attachments.ts';
import type { DemoState } from './demo-api.ts';
import { type Answer, InteractionFailed } from './interactions.ts';
import type { Done, GivenFile, PageProblem, PageUpdate, PersonAction, Started } from './page-api.ts';
import { isShown, pageRequest, pageState } from './page-state.ts';
import type { Begun, People } from './people.ts';
import type { RequestLog } from './rest/request-log.ts';
import { Field } from './validate/form.ts';
import type { World } from './world.ts';

/** Most bytes that may wait for a page that reads nothing; beyond them its stream is cut, and the page reconnects. */
const MOST_BUFFERED_BYTES = 4 << 20;

/** Most bytes of a command with its files: Discord takes a file of 10 MiB, which is a third larger in the request. */
const MOST_COMMAND_BYTES = 32 << 20;

interface Dependencies {
  log: Logger;
  world: World;
  people: People;
  /** Does what a person does without the bot. */
  act: (action: PersonAction) => void;
  isBotConnected: () => boolean;
  demo: () => DemoState | null;
  requests: RequestLog;
  /** Makes the files that a text names reachable at the host that was asked. */
  reachedBy: ReachedBy;
  /** Calls the listener with each update. Returns a function that removes it. */
  onUpdate: (listener: (update: PageUpdate) => void) => () => void;
}

/** The HTTP interface to the page; page-api.ts describes it. */
export function pageRoutes(dependencies: Dependencies): FastifyPluginAsync {
  const { people, log, act } = dependencies;
  return async (app) => {
    app.setErrorHandler((error, request, reply) => {
      const status =
        error instanceof InteractionFailed
          ? 422
          : error instanceof Error && 'statusCode' in error
            ? Number(error.statusCode)
            : 500;
      if (status >= 500)
        log.error({ err: error, method: request.method, url: request.routeOptions.url }, 'The page got no answer');
      const message =
        error instanceof Error && status < 500
          ? error.message
          : 'Something went wrong in local Discord; its log has more.';
      return reply.code(status).send({ message } satisfies PageProblem);
    });

    app.get('/page/state', async ({ headers }, reply) => {
      const { world, requests, isBotConnected, demo } = dependencies;
      const state = pageState(world, { isBotConnected: isBotConnected(), demo: demo(), requests });
      return reply.type('application/json; charset=utf-8').send(dependencies.reachedBy(headers, JSON.stringify(state)));
    });
    streamUpdates(app, dependencies);

    const started = ({ id }: Begun): Started => ({ interactionId: id });
    app.post('/page/commands', { bodyLimit: MOST_COMMAND_BYTES }, async ({ body }) =>
      started(people.runCommand({ ...readRun(body), files: readFiles(body) })),
    );
    app.post('/page/message-commands', async ({ body }) =>
      started(
        people.runMessageCommand({ ...readPlace(body), messageId: text(body, 'messageId'), name: text(body, 'name') }),
      ),
    );
    app.post('/page/user-commands', async ({ body }) =>
      started(people.runUserCommand({ ...readPlace(body), userId: text(body, 'userId'), name: text(body, 'name') })),
    );
    app.post('/page/autocomplete', async ({ body }) => {
      const focused = text(body, 'focused');
      const answer: Answer = await people.autocomplete({ ...readRun(body), focused }).answer;
      return { choices: answer.choices };
    });
    app.post('/page/components', async ({ body }) => {
      const values = new Field(body)
        .at('values')
        .list({ max: 25 })
        .map(({ value }) => String(value));
      return started(
        people.useComponent({
          ...readPlace(body),
          messageId: text(body, 'messageId'),
          customId: text(body, 'customId'),
          values,
        }),
      );
    });
    app.post('/page/modals', async ({ body }) => {
      const given = new Field(body).at('values').value ?? {};
      const values = Object.fromEntries(
        Object.entries(given).map(([key, value]) => [key, Array.isArray(value) ? value.map(String) : String(value)]),
      );
      return started(people.submitModal({ ...readPlace(body), customId: text(body, 'customId'), values }));
    });
    app.post('/page/actions', async ({ body }): Promise<Done> => {
      act(readAction(body));
      return {};
    });
  };
}

function readAction(body: unknown): PersonAction {
  const personId = text(body, 'personId');
  const what = text(body, 'do');
  switch (what) {
    case 'pin':
    case 'unpin':
    case 'delete-message':
      return { personId, do: what, channelId: text(body, 'channelId'), messageId: text(body, 'messageId') };
    case 'post':
      return { personId, do: what, channelId: text(body, 'channelId'), content: text(body, 'content') };
    case 'react':
    case 'take-back-reaction':
      return {
        personId,
        do: what,
        channelId: text(body, 'channelId'),
        messageId: text(body, 'messageId'),
        emoji: text(body, 'emoji'),
      };
    case 'vote':
      return {
        personId,
        do: what,
        channelId: text(body, 'channelId'),
        messageId: text(body, 'messageId'),
        answerIds: new Field(body)
          .at('answerIds')
          .items()
          .map(({ value }) => Number(value)),
      };
    case 'interest':
      return {
        personId,
        do: what,
        eventId: text(body, 'eventId'),
        isInterested: new Field(body).at('isInterested').value === true,
      };
    case 'end-event':
    case 'delete-event':
      return { personId, do: what, eventId: text(body, 'eventId') };
    case 'follow':
      return { personId, do: what, channelId: text(body, 'channelId'), targetId: text(body, 'targetId') };
    default:
      throw new InteractionFailed(`"${what}" is nothing that a person can do; page-api.ts names what is.`);
  }
}

function text(body: unknown, key: string): string {
  const value = new Field(body).at(key).value;
  if (typeof value === 'string') return value;
  throw new InteractionFailed(`The request has no text in "${key}"; page-api.ts names what it needs.`);
}

function readPlace(body: unknown) {
  return { personId: text(body, 'personId'), channelId: text(body, 'channelId') };
}

function readRun(body: unknown) {
  return { ...readPlace(body), text: text(body, 'text') };
}

function readFiles(body: unknown): GivenFile[] {
  const files = new Field(body).at('files').list({ max: 10 });
  return files.map(({ value }) => ({
    name: text(value, 'name').replace(/[^\w.-]/g, '_'),
    contentType: text(value, 'contentType'),
    base64: text(value, 'base64'),
  }));
}

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
function streamUpdates(app: FastifyInstance, { world, demo, requests, onUpdate, reachedBy }: Dependencies): void {
  app.get('/page/updates', ({ headers }, reply) => {
    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // A comment line tells the page at once that the stream is open.
    stream.write(': open\n\n');
    const send = (update: PageUpdate) => {
      if (!isShown(world, update)) return;
      if (stream.writableLength > MOST_BUFFERED_BYTES) stream.destroy();
      else stream.write(reachedBy(headers, `data: ${JSON.stringify(update)}\n\n`));
    };
    const ends = [
      onUpdate(send),
      requests.onRequest((request) => {
        if (demo() === null) send({ type: 'request', request: pageRequest(request) });
      }),
    ];
    stream.on('error', () => stream.destroy());
    stream.on('close', () => {
      for (const end of ends) end();
    });
  });
}
