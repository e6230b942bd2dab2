import type { APIDMChannel, APIGuild } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { gatewayUrl } from '../gateway.ts';
import { flagsOf } from '../privileged-intents.ts';
import { applicationOf, IDS } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { openDirectChannel } from '../world.ts';
import { bodyOf } from './body.ts';
import type { RestContext } from './context.ts';

/** The gateway's URL, which needs no token: https://discord.com/developers/docs/events/gateway#get-gateway */
export function gatewayRoute(app: FastifyInstance): void {
  app.get('/gateway', async (request) => ({ url: gatewayUrl(request) }));
}

/**
 * Users, the application and the gateway's URL: https://discord.com/developers/docs/resources/user, …/application,
 * …/topics/gateway#get-gateway-bot
 */
export function userRoutes(app: FastifyInstance, { world, snowflakes, shards, privilegedIntents }: RestContext): void {
  app.get('/gateway/bot', async (request) => ({
    url: gatewayUrl(request),
    shards,
    session_start_limit: { total: 1000, remaining: 1000, reset_after: 86_400_000, max_concurrency: shards },
  }));

  const application = { ...applicationOf(world.bot), flags: flagsOf(privilegedIntents) };
  app.get('/applications/@me', async () => application);
  app.get('/oauth2/applications/@me', async () => application);

  app.get<{ Params: { userId: string } }>('/users/:userId', async (request) => {
    const id = request.params.userId === '@me' ? IDS.application : request.params.userId;
    if (id === IDS.application) return { ...world.bot, verified: true, mfa_enabled: false, email: null };
    const user = world.members.get(id)?.user;
    if (!user) throw new DiscordError('unknownUser');
    return user;
  });

  app.get('/users/@me/guilds', async () => {
    const shown = ({ id, name, icon, banner, features }: APIGuild) => ({ id, name, icon, banner, features });
    return world.guilds().map(({ guild }) => ({ ...shown(guild), owner: false, permissions: '0' }));
  });

  /**
   * https://discord.com/developers/docs/resources/user#create-dm; only sending a message shows whether the person
   * accepts it.
   */
  app.post('/users/@me/channels', async (request): Promise<APIDMChannel> => {
    const form = new Field(bodyOf(request).json);
    const recipient = form.at('recipient_id').string({ min: 1, max: 20, required: true });
    form.done();
    const person = world.members.get(recipient ?? '')?.user;
    if (!person || person.bot) throw new DiscordError('invalidRecipients');
    return openDirectChannel(world, snowflakes, person);
  });
}
