import type { Core, Feature, Need } from '../../app/feature.ts';
import { timestamp } from '../../discord/format.ts';
import { ageMs } from '../../shared/clock.ts';
import { DAY_MS } from '../../shared/time.ts';
import { owner as command } from './command.ts';
import { WORDS } from './words/index.ts';

/** How long posting may be paused until that is worth a message. */
const PAUSED_FOR_MS = DAY_MS;

/** The command of the application's owner: the whole bot at a glance, a pause of all posting, a backup. */
export const owner: Feature = {
  name: 'owner',
  words: WORDS,
  commands: [command],
  start: (core) => ({ needs: [longPause(core)] }),
};

/** Whoever paused posting may have forgotten it. */
function longPause({ store: { postingPause }, clock }: Core): Need {
  return {
    name: 'pause',
    title: (translator) => translator.t('alert.pause'),
    means(translator) {
      const sinceMs = postingPause.sinceMs();
      if (sinceMs === null || ageMs(sinceMs, clock.now()) < PAUSED_FOR_MS) return null;
      return translator.t('alert.pause.means', { at: timestamp(sinceMs, 'f') });
    },
  };
}
