import type { APIAttachment } from 'discord-api-types/v10';
import { isRecord } from './validate/form.ts';

/** A file as it came with a request. */
export interface UploadedFile {
  /** The n of its part `files[n]`, by which `attachments` in the JSON refers to it. */
  index: number;
  name: string;
  contentType: string;
  bytes: Buffer;
}

/** A file as it is kept. */
export interface StoredFile {
  name: string;
  contentType: string;
  base64: string;
}

export interface AttachmentStore {
  save(attachmentId: string, file: StoredFile): void;
  find(attachmentId: string): Promise<StoredFile | undefined>;
}

/** What `attachments` in a request says of a file in the same request. */
export interface AttachmentNote {
  id?: string | number;
  description?: string | null | undefined;
}

/** The attachment object of a new file, which is fetched from `url`. */
export function describeAttachment(
  file: UploadedFile,
  id: string,
  url: string,
  notes: readonly AttachmentNote[] | null | undefined,
): APIAttachment {
  const description = notes?.find((note) => String(note.id) === String(file.index))?.description;
  return {
    id,
    filename: file.name,
    size: file.bytes.byteLength,
    url,
    proxy_url: url,
    content_type: file.contentType,
    ...(description && { description }),
  };
}

/**
 * `value` with each `attachment://name` in a `url` or `icon_url` replaced by where the file is.
 */
export function resolveMedia<T>(value: T, attachments: readonly APIAttachment[]): T {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (!isRecord(node)) return node;
    const copy: Record<string, unknown> = {};
    for (const [key, child] of Object.entries(node))
      copy[key] = isAddress(key, child) ? located(child) : resolve(child);
    return copy;
  };
  const located = (url: string) => {
    const name = url.startsWith('attachment://') ? url.slice('attachment://'.length) : undefined;
    return attachments.find((attachment) => attachment.filename === name)?.url ?? url;
  };
  return resolve(value) as T;
}

function isAddress(key: string, value: unknown): value is string {
  return (key === 'url' || key === 'icon_url') && typeof value === 'string';
}
