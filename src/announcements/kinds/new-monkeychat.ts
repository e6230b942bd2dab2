import { hearEntity } from '../../deals/entity-belief.ts';
import {
  isLikeMonkeychat,
  isOtherMonkeychat,
  MONKEYCHAT_RULES,
  type Monkeychat,
  monkeychatSubject,
} from '../../deals/monkeychat.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import type { EntityKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-monkeychat': { item: Monkeychat };
  }
}

/** A comic chat that is new. It has no end. */
export const newMonkeychat: EntityKind<'new-monkeychat'> = {
  tells: 'entity',
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
  isLike: isLikeMonkeychat,
  isOther: isOtherMonkeychat,
  shown: ({ item }) => ({ as: 'monkeychat', item }),
};
