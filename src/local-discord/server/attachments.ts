import type { APIAttachment } from 'discord-api-types/v10';

const ATTACHMENT = 'attachment://';

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

/** Where the file is that `attachment://name` stands for; any other address as it is. */
export function locatedAt(address: string, attachments: readonly APIAttachment[]): string {
  if (!address.startsWith(ATTACHMENT)) return address;
  const name = address.slice(ATTACHMENT.length);
  return attachments.find(({ filename }) => filename === name)?.url ?? address;
}
