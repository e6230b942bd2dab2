import type { FastifyPluginAsync } from 'fastify';
import type { PageProblem } from '../../local-discord/src/index.ts';
import { ActionRefused, actionSchema } from './actions.ts';
import type { Levers } from './levers.ts';

/** The levers, for the page of this machine's local Discord. @param levers null while the demo is starting */
export function leverRoutes(levers: () => Pick<Levers, 'perform'> | null): FastifyPluginAsync {
  return async (app) => {
    app.post('/demo/actions', async ({ body }, reply) => {
      const problem = (message: string) => reply.code(422).send({ message } satisfies PageProblem);
      const { data } = actionSchema.safeParse(body);
      if (!data) return problem('The demo has no such lever; demo-api.ts names them.');
      const ready = levers();
      if (!ready) return problem('The demo is starting. Try again in a moment.');
      try {
        return ready.perform(data);
      } catch (error) {
        if (error instanceof ActionRefused) return problem(error.message);
        throw error;
      }
    });
  };
}

/** The pictures of the store, on the page's own port: whoever sees the page can load them. */
export function pictureRoutes(picture: (name: string) => string | undefined): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { name: string } }>('/photos/:name.svg', async ({ params }, reply) => {
      const found = picture(params.name);
      if (found === undefined)
        return reply.code(404).type('text/plain; charset=utf-8').send('There is no such picture.\n');
      return reply
        .headers({
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
          'cache-control': 'public, max-age=86400',
        })
        .type('image/svg+xml')
        .send(found);
    });
  };
}
