import { ACCENT } from '../../discord/cards/accent.ts';
import { type Card, type CardContext, card, smallLine } from '../../discord/cards/parts.ts';
import { timestamp } from '../../discord/format.ts';

/** The whole bot, for its owner. Moments are epoch milliseconds. */
export interface OwnerView {
  pausedSinceMs: number | null;
  servers: number;
  subscriptions: Readonly<Record<'active' | 'paused' | 'problem', number>>;
  pending: number;
  postedToday: number;
  /** Features' lines. */
  more: readonly string[];
  /** The newest backup in the folder of backups; null where there is none. */
  backedUpAtMs: number | null;
  memoryMb: number;
  version: string;
  startedAtMs: number;
  epoch: number;
}

export function ownerCard(view: OwnerView, { translator }: CardContext): Card {
  const { pausedSinceMs, servers, subscriptions, pending, postedToday, more, backedUpAtMs } = view;
  return card(pausedSinceMs === null ? ACCENT.offer : ACCENT.warning, [
    [
      `## ${translator.t('owner.title')}`,
      pausedSinceMs === null
        ? `🟢 ${translator.t('owner.posting')}`
        : `⏸ ${translator.t('status.paused', { at: timestamp(pausedSinceMs, 'R') })}`,
      translator.t('owner.servers', { count: servers }),
      translator.t('owner.subscriptions', subscriptions),
      `${translator.t('status.postedToday', { posted: postedToday })} · ${translator.t('status.waiting', { count: pending })}`,
      ...more,
      backedUpAtMs === null
        ? translator.t('owner.noBackup')
        : translator.t('owner.lastBackup', { at: timestamp(backedUpAtMs, 'R') }),
    ],
    smallLine([
      `Dealbell ${view.version}`,
      translator.t('owner.memory', { megabytes: view.memoryMb }),
      translator.t('status.upSince', { at: timestamp(view.startedAtMs, 'R') }),
      translator.t('status.epoch', { epoch: String(view.epoch) }),
    ]),
  ]);
}
