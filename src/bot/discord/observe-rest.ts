import { type Client, RESTEvents, Status } from 'discord.js';

export interface RestObserver {
  /** Each answer of Discord's, those to repeated requests too. */
  onResponse: (status: number) => void;
  /** Each 429, by what it limits: `user` (this bot on this route), `shared` or `global`. */
  onRateLimit: (scope: string) => void;
}

const SCOPES = ['user', 'shared', 'global'];

/** Tells of what Discord answers to the client's requests. */
export function observeRest(client: Client, { onResponse, onRateLimit }: RestObserver): void {
  client.rest.on(RESTEvents.Response, (_, { status, headers }) => {
    onResponse(status);
    if (status !== 429) return;
    const scope = headers.get('x-ratelimit-scope') ?? '';
    onRateLimit(SCOPES.includes(scope) ? scope : 'user');
  });
}

/** Whether each gateway connection stands, by the number of its shard. */
export function shardsUp(client: Client): { shard: number; isUp: boolean }[] {
  return [...client.ws.shards.values()].map(({ id, status }) => ({ shard: id, isUp: status === Status.Ready }));
}
