import { hearEntity } from '../../deals/entity-belief.ts';
import { subjectOfMonkeychat } from '../../deals/filter/index.ts';
import {
  isOtherMonkeychat,
  MONKEYCHAT_RULES,
  type Monkeychat,
  type MonkeychatParts,
  mayBeSameMonkeychat,
  monkeychatParts,
  monkeychatSubject,
} from '../../deals/monkeychat.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { clamp } from '../../discord/limits.ts';
import { clampMarkdown, escapeLine, markdownOf } from '../../discord/markdown.ts';
import { HOUR_MS } from '../../shared/time.ts';
import type { ThingKind } from './kind.ts';
import { dayFact, headingOf, NOTHING, siteFact } from './thing-view.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-monkeychat': { item: Monkeychat };
  }
}

const MOST_TITLE = 150;
/** The most characters of dialogue. */
const MOST_SAID = { post: 800, list: 300, card: 2500 } as const;

/** A comic chat that is new. It has no end. */
export const newMonkeychat: ThingKind<'new-monkeychat'> = {
  madeFrom: 'entity',
  source: 'monkeychats',
  entity: 'monkeychat',
  isDefault: true,
  accent: ACCENT.monkeychat,
  badge: 'monkeychat.kind',
  symbol: '🐵',
  announce: (monkeychat) => ({
    kind: 'new-monkeychat',
    subject: monkeychatSubject(monkeychat),
    occurrence: '',
    item: monkeychat,
  }),
  hasStarted: () => true,
  isLive: () => true,
  fingerprint: () => '',
  hear: (heard, said) => hearEntity(heard, said, MONKEYCHAT_RULES),
  mayBeSameAs: mayBeSameMonkeychat,
  isOther: isOtherMonkeychat,
  goodForMs: HOUR_MS,
  shown: ({ item }) => ({ as: 'monkeychat', item, thing: newMonkeychat }),
  filterSubject: subjectOfMonkeychat,
  view(monkeychat, place, translator) {
    const parts = monkeychatParts(monkeychat);
    const { url: address, photo, site, startDateMs } = parts;
    if (place === 'announcements') {
      const name = translator.t('source.monkeychats');
      return { ...NOTHING, title: name, lines: [headingOf(name, MOST_TITLE, null)] };
    }
    const title = clamp(parts.title ?? translator.t('monkeychat.kind'), MOST_TITLE);
    const kind = place === 'post' ? null : translator.t('monkeychat.kind');
    return {
      ...NOTHING,
      title,
      address,
      picture: { url: photo, description: title },
      lines: [headingOf(title, MOST_TITLE, address), clampMarkdown(said(parts), MOST_SAID[place]) || null],
      facts: [kind, siteFact(site), dayFact(startDateMs, translator)],
    };
  },
  opening: 'button.details',
  postButtons: (monkeychat) => ['opening', { label: 'button.discussion', url: monkeychatParts(monkeychat).url }],
  cardButtons: (monkeychat) => [{ label: 'button.discussion', url: monkeychatParts(monkeychat).url }],
};

/** The dialogue line by line; the text where there is none. */
function said({ lines, text, url }: MonkeychatParts): string {
  if (lines.length === 0) return markdownOf(text ?? '', url);
  return lines
    .map(({ character, text }) => {
      const sentence = escapeLine(text);
      return character === null ? sentence : `**${escapeLine(clamp(character, 40))}** ${sentence}`;
    })
    .join('\n');
}
