import { DefaultRestOptions, DefaultUserAgent } from 'discord.js';
import { type Ask, askServer } from '../shared/reachability.ts';

/**
 * Asks Discord's REST API and its gateway for a sign of life. It needs no token, so it costs none of the bot's requests.
 * @param api base address of the REST API; null for Discord's own
 * @see https://discord.com/developers/docs/events/gateway#get-gateway
 */
export function askDiscord(api: string | null): Ask {
  const { api: usual, version } = DefaultRestOptions;
  const headers = { 'user-agent': DefaultUserAgent };
  return async (signal) => {
    const body = await askServer(`${api ?? usual}/v${version}/gateway`, { headers, signal });
    const { url } = JSON.parse(body) as { url?: string };
    // A request that asks for no WebSocket is refused, which says as much.
    if (url !== undefined) await askServer(url.replace(/^ws/, 'http'), { headers, signal });
  };
}
