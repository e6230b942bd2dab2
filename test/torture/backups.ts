import { join } from 'node:path';
import { systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import { backUp, restore } from '../../src/store/backup.ts';
import type { Arena } from './arena.ts';
import type { EventName } from './events.ts';

/** Backups that are made while the bot works, and put back some rounds later. */
export interface Backups {
  /** Makes a backup of a bot that has something to post. */
  make(): Promise<void>;
  /** Puts back the backup whose time has come. */
  passRound(): Promise<void>;
  /** Puts back the backup that is left. */
  restoreNow(): Promise<void>;
}

/** Rounds of half an hour to three hours. */
const MOST_ROUNDS = 6;
const NEW_OFFERS = 3;
/** Offers appear at steps of the bot's run up to this one. */
const LAST_STEP = 100;

export function createBackups(arena: Arena, count: (event: EventName) => void): Backups {
  const { shop } = arena;
  const random = arena.randomOf('backups');
  let made = 0;
  let waiting: { file: string; rounds: number } | null = null;

  async function restoreNow(): Promise<void> {
    if (!waiting) return;
    const { file } = waiting;
    waiting = null;
    await restore(arena.stateUrl, file, {
      dealbell: '0.0.0',
      clock: systemClock,
      log: createLog('silent'),
      signal: new AbortController().signal,
      onLost: (error) => {
        throw error;
      },
    });
    count('restored');
  }

  return {
    async make() {
      await restoreNow();
      made += 1;
      const file = join(arena.folder, `backup-${made}.sqlite`);
      const moments = Array.from({ length: NEW_OFFERS }, () => ({
        step: 1 + Math.floor(random() * LAST_STEP),
        happen: () => {
          shop.addOffer();
          return undefined;
        },
      }));
      const bot = arena.startBot({ moments });
      await bot.started;
      await backUp(arena.stateUrl, file);
      await bot.kill();
      waiting = { file, rounds: 1 + Math.floor(random() * MOST_ROUNDS) };
    },
    async passRound() {
      if (!waiting) return;
      waiting.rounds -= 1;
      if (waiting.rounds <= 0) await restoreNow();
    },
    restoreNow,
  };
}
