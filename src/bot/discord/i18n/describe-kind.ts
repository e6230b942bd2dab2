import type { AnnouncementKind } from '../../deals/announcement.ts';
import type { Words } from './translator.ts';

/** What an announcement tells, in a word or two: "Price drop", "Poll". */
export function describeKind(kind: AnnouncementKind, words: Words): string {
  switch (kind) {
    case 'new-dealcast':
      return words.t('dealcast.kind');
    case 'new-poll':
      return words.t('poll.kind');
    case 'new-monkeychat':
      return words.t('monkeychat.kind');
    default:
      return words.t(`announced.${kind}`);
  }
}
