import type { FastifyPluginAsync } from 'fastify';
import type { DemoAction, DemoResult, PageProblem } from '../../packages/local-discord/src/index.ts';
import { ActionRefused, actionSchema } from './actions.ts';

/** The levers, for the page of this machine's local Discord. */
export function leverRoutes(perform: (action: DemoAction) => DemoResult): FastifyPluginAsync {
  return async (app) => {
    app.post('/demo/actions', async ({ body }, reply) => {
      const problem = (message: string) => reply.code(422).send({ message } satisfies PageProblem);
      const { data } = actionSchema.safeParse(body);
      if (!data) return problem('The demo has no such lever; demo-api.ts names them.');
      try {
        return perform(data);
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
