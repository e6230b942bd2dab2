import type { Attachment } from 'discord.js';

/** Well within the time in which Discord takes an answer to an interaction. */
const LONGEST_MS = 20_000;

/** The hosts from which Discord serves what people attach. @see https://discord.com/developers/docs/reference#cdn-formatting */
const CDN_HOSTS: readonly string[] = ['cdn.discordapp.com', 'media.discordapp.net'];
const DISCORD = 'discord.com';

/**
 * Reads a file that a person has attached. Asks only Discord's own hosts, follows no redirect, and reads no more than
 * the limit, whatever the person's client says of the file.
 * @param api the address of Discord's API: another Discord than the public one serves its files itself
 * @returns null where it is larger than the limit
 * @throws where it can't be read
 */
export async function readAttachment(
  { url, size }: Pick<Attachment, 'url' | 'size'>,
  { api, mostBytes }: { api: string; mostBytes: number },
): Promise<Buffer | null> {
  if (size > mostBytes) return null;
  if (!isServedBy(url, api)) throw new Error('The attachment is not served by Discord.');
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(LONGEST_MS) });
  if (!response.ok || !response.body) throw new Error(`The attachment was answered with ${response.status}.`);
  const pieces: Uint8Array[] = [];
  let read = 0;
  // Leaving the loop ends the request.
  for await (const piece of response.body) {
    read += piece.byteLength;
    if (read > mostBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function isServedBy(address: string, api: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(api)) return false;
  const [{ protocol, hostname, origin }, ours] = [new URL(address), new URL(api)];
  if (ours.hostname === DISCORD) return protocol === 'https:' && CDN_HOSTS.includes(hostname);
  return origin === ours.origin || (protocol === 'https:' && CDN_HOSTS.includes(hostname));
}
