import type { IncomingHttpHeaders } from 'node:http';
import type { APIAttachment } from 'discord-api-types/v10';

const ATTACHMENT = 'attachment://';

/** A file of a multipart request. */
export interface UploadedFile {
  /** The number n of its part `files[n]`, by which `attachments` in the JSON refers to it. */
  index: number;
  name: string;
  contentType: string;
  bytes: Buffer;
}

/** A file as it is stored. */
export interface StoredFile {
  name: string;
  contentType: string;
  base64: string;
}

export interface AttachmentStore {
  save(attachmentId: string, file: StoredFile): void;
  find(attachmentId: string): Promise<StoredFile | undefined>;
}

/** The metadata that `attachments` in a request gives for a file in the same request. */
export interface AttachmentNote {
  id?: string | number;
  description?: string | null | undefined;
}

/** Makes the attachment object of a new file. Clients fetch the file from `url`. */
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

/** Resolves `attachment://name` to the URL of that file; returns any other URL as it is. */
export function locatedAt(address: string, attachments: readonly APIAttachment[]): string {
  if (!address.startsWith(ATTACHMENT)) return address;
  const name = address.slice(ATTACHMENT.length);
  return attachments.find(({ filename }) => filename === name)?.url ?? address;
}

/**
 * The text of an answer, with the files that it names at the host that a request came to: a server that listens on all
 * addresses doesn't know by which of them others reach it.
 */
export type ReachedBy = (headers: Pick<IncomingHttpHeaders, 'host'>, text: string) => string;

/** @param url of this server, as attachments are stored with it */
export function reachedFrom(url: () => string): ReachedBy {
  return ({ host = '' }, text) => text.replaceAll(`${url()}/attachments/`, `http://${host}/attachments/`);
}
