import { type Client, RESTEvents, Status } from 'discord.js';

export interface RestObserver {
  /** Called for each response of Discord, to retries too. */
  onResponse: (status: number) => void;
  /** Called for each 429 response, by scope: `user` (this bot on this route), `shared` or `global`. */
  onRateLimit: (scope: string) => void;
}

const SCOPES = ['user', 'shared', 'global'];

/** Reports Discord's responses to the client's requests. */
export function observeRest(client: Client, { onResponse, onRateLimit }: RestObserver): void {
  client.rest.on(RESTEvents.Response, (_, { status, headers }) => {
    onResponse(status);
    if (status !== 429) return;
    const scope = headers.get('x-ratelimit-scope') ?? '';
    onRateLimit(SCOPES.includes(scope) ? scope : 'user');
  });
}

/** Whether each gateway connection is up, by shard number. */
export function shardsUp(client: Client): { shard: number; isUp: boolean }[] {
  return [...client.ws.shards.values()].map(({ id, status }) => ({ shard: id, isUp: status === Status.Ready }));
}
