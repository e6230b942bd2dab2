import type { Feature } from '../../../src/app/feature.ts';

/** A feature by which a test pauses all posting of the bot that has started last. */
export function aPausingFeature(): { pausing: Feature; pause: () => Promise<void> } {
  let pause = (): Promise<void> => Promise.reject(new Error('No bot has started.'));
  const pausing: Feature = {
    name: 'pausing',
    start({ store, clock }) {
      pause = () => store.postingPause.begin(clock.now()).then(() => undefined);
      return {};
    },
  };
  return { pausing, pause: () => pause() };
}
