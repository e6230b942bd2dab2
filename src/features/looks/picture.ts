import type { Attachment } from 'discord.js';
import { readAttachment } from '../../discord/attachments.ts';
import { message } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { type LocalizedText, UserError } from '../../shared/errors.ts';

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
  const values = { name: escapeLine(attachment.name) };
  const bytes = await readAttachment(attachment, { api, mostBytes: MOST_BYTES }).catch((cause: unknown) => {
    throw new UserError(message('look.bot.unreadable', values), { cause });
  });
  if (bytes === null) throw new UserError(tooLarge(values.name));
  const beginning = bytes.subarray(0, 12).toString('latin1');
  const kind = SIGNATURES.find(
    ({ begins, tag = '' }) => beginning.startsWith(begins) && beginning.startsWith(tag, begins.length + 4),
  );
  if (!kind) throw new UserError(message('look.bot.noPicture', values));
  return `data:${kind.type};base64,${bytes.toString('base64')}`;
}

function tooLarge(name: string): LocalizedText {
  return message('look.bot.tooLarge', { name, most: MOST_MEGABYTES });
}
