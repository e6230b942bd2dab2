import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { APPLICATION, BOT_USER, IDS } from '../seed.ts';
import type { RestContext } from './context.ts';

/** Who is who: https://discord.com/developers/docs/resources/user, …/application, …/topics/gateway#get-gateway-bot */
export function userRoutes(app: FastifyInstance, { world, gatewayUrl }: RestContext): void {
  app.get('/gateway', async () => ({ url: gatewayUrl() }));

  app.get('/gateway/bot', async () => ({
    url: gatewayUrl(),
    shards: 1,
    session_start_limit: { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: 1 },
  }));

  app.get('/applications/@me', async () => APPLICATION);
  app.get('/oauth2/applications/@me', async () => APPLICATION);

  app.get<{ Params: { userId: string } }>('/users/:userId', async (request) => {
    const id = request.params.userId === '@me' ? IDS.application : request.params.userId;
    if (id === IDS.application) return { ...BOT_USER, verified: true, mfa_enabled: false, email: null };
    const user = world.members.get(id)?.user;
    if (!user) throw new DiscordError('unknownUser');
    return user;
  });

  app.get('/users/@me/guilds', async () => {
    const { id, name, icon, banner, features } = world.guild;
    return [{ id, name, icon, banner, features, owner: false, permissions: '0' }];
  });

  /** There are no direct messages here; both people have theirs closed. */
  app.post('/users/@me/channels', async () => {
    throw new DiscordError('cannotMessageUser');
  });
}
