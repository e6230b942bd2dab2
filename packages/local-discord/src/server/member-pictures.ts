import { createHash } from 'node:crypto';
import type { StoredFile } from './attachments.ts';
import type { Field } from './validate/form.ts';

/** https://discord.com/developers/docs/reference#image-data */
const HEAD = /^data:(image\/(?:png|jpe?g|gif|webp));base64,/;
/** Looked for instead of matched against: a repetition of millions of characters may overflow the stack of a regular expression. */
const NOT_BASE64 = /[^\w+/]/;
const MOST_BYTES = 10 * 1024 * 1024;

/** A picture of a member, under the hash by which Discord names it. */
export interface MemberPicture {
  hash: string;
  file: StoredFile;
}

/** Reads image data. undefined where the field is absent or wrong, null where it is null: the picture is removed. */
export function readImageData(field: Field): MemberPicture | null | undefined {
  if (field.value === null) return null;
  const text = field.string({ max: Number.POSITIVE_INFINITY });
  if (text === undefined) return undefined;
  const [head = '', contentType] = HEAD.exec(text) ?? [];
  const base64 = text.slice(head.length);
  if (contentType === undefined) field.fail('IMAGE_INVALID', 'Invalid image data');
  else if ((base64.length * 3) / 4 > MOST_BYTES) {
    field.fail('BINARY_TYPE_MAX_SIZE', 'File cannot be larger than 10240.0 kb.');
  } else if (!isBase64(base64)) field.fail('IMAGE_INVALID', 'Invalid image data');
  else {
    const hash = createHash('sha256').update(base64).digest('hex').slice(0, 32);
    return { hash, file: { name: hash, contentType, base64 } };
  }
  return undefined;
}

function isBase64(text: string): boolean {
  const padding = /={0,2}$/.exec(text.slice(-2))?.[0] ?? '';
  const digits = text.slice(0, text.length - padding.length);
  return digits !== '' && !NOT_BASE64.test(digits);
}
