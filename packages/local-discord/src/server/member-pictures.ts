import { createHash } from 'node:crypto';
import type { StoredFile } from './attachments.ts';
import type { Field } from './validate/form.ts';

/** https://discord.com/developers/docs/reference#image-data */
const IMAGE_DATA = /^data:(image\/(?:png|jpe?g|gif|webp));base64,([\w+/]+={0,2})$/;
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
  const [, contentType, base64] = IMAGE_DATA.exec(text) ?? [];
  if (contentType === undefined || base64 === undefined) field.fail('IMAGE_INVALID', 'Invalid image data');
  else if ((base64.length * 3) / 4 > MOST_BYTES) {
    field.fail('BINARY_TYPE_MAX_SIZE', 'File cannot be larger than 10240.0 kb.');
  } else {
    const hash = createHash('sha256').update(base64).digest('hex').slice(0, 32);
    return { hash, file: { name: hash, contentType, base64 } };
  }
  return undefined;
}
