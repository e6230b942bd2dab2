import { hash } from 'node:crypto';
import type { Announcement } from '../../deals/announcement.ts';

/**
 * The id of an announcement in a channel: the same whenever and however often it is computed, however many of the
 * channel's subscriptions ask for it. 22 characters, of which Discord takes at most 25 as a nonce.
 */
export function deliveryId(
  channelId: string,
  { kind, subject, occurrence }: Pick<Announcement, 'kind' | 'subject' | 'occurrence'>,
): string {
  // An offer is new in a channel once, whether its product was there before or not.
  const event = kind === 'relisted' ? 'new-offer' : kind;
  const identity = [channelId, event, subject, ...(occurrence === '' ? [] : [occurrence])];
  return hash('sha256', JSON.stringify(identity), 'base64url').slice(0, 22);
}
