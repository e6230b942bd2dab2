import type { Attachment } from 'discord.js';
import { type LocalizedText, UserError } from '../shared/errors.ts';
import { message } from './i18n/translator.ts';
import { escapeLine } from './markdown.ts';

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

/** Discord takes avatars and banners of up to 10 MiB; in a request they are a third larger. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_MEGABYTES = 8;
/** The pictures that Discord takes, by how their bytes begin. */
const SIGNATURES: readonly { type: string; begins: string; tag?: string }[] = [
  { type: 'image/png', begins: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', begins: '\xff\xd8\xff' },
  { type: 'image/gif', begins: 'GIF8' },
  // Four bytes in between are the size.
  { type: 'image/webp', begins: 'RIFF', tag: 'WEBP' },
];

/**
 * Reads a picture that a person has attached, as a data URI. Goes by the bytes: names and types are what a person's
 * client says.
 * @param api the address of Discord's API: another Discord than the public one serves its files itself
 * @throws UserError where it is no picture, too large, or can't be read
 */
export async function readPicture(attachment: Pick<Attachment, 'url' | 'size' | 'name'>, api: string): Promise<string> {
  const told = { name: escapeLine(attachment.name) };
  const bytes = await readAttachment(attachment, { api, mostBytes: MOST_BYTES }).catch((cause: unknown) => {
    throw new UserError(message('look.bot.unreadable', told), { cause });
  });
  if (bytes === null) throw new UserError(tooLarge(told.name));
  const beginning = bytes.subarray(0, 12).toString('latin1');
  const kind = SIGNATURES.find(
    ({ begins, tag = '' }) => beginning.startsWith(begins) && beginning.startsWith(tag, begins.length + 4),
  );
  if (!kind) throw new UserError(message('look.bot.noPicture', told));
  return `data:${kind.type};base64,${bytes.toString('base64')}`;
}

function tooLarge(name: string): LocalizedText {
  return message('look.bot.tooLarge', { name, most: MOST_MEGABYTES });
}
