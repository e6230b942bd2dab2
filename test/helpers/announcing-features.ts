import { newSubscription } from '../../src/announcements/kinds/of-source.ts';
import type { Core, Feature } from '../../src/app/feature.ts';
import type { AnnouncementKind } from '../../src/deals/announcement.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { createTranslators } from '../../src/discord/i18n/translator.ts';
import { withExactDates } from './translator.ts';

/** The features that make announcements of offers themselves, for a bot that is assembled of its announcing half. */
export const announcingAmong = (features: readonly Feature[]) => features.filter(({ kinds }) => kinds !== undefined);

/** What such features keep in the state. */
export const recordsOf = (features: readonly Feature[]) =>
  announcingAmong(features).flatMap(({ records }) => records ?? []);

/** What they add to such a bot. @param parts all that they need of it */
export function announcingParts(
  features: readonly Feature[],
  parts: Pick<Core, 'offers' | 'clock' | 'signal'> & { store: Partial<Core['store']> },
) {
  const announcing = announcingAmong(features);
  const kinds = announcing.flatMap((feature) => feature.kinds ?? []);
  const running = announcing.flatMap((feature) => feature.start?.(parts as Core) ?? []);
  const translatorFor = createTranslators(
    () => undefined,
    announcing.flatMap(({ words }) => words ?? []),
  );
  return {
    owedByOffers: () => running.flatMap(({ post }) => post?.owedByOffers ?? []),
    ofDeliverer: {
      kinds,
      translatorOf: () => withExactDates(translatorFor('en-US')),
      personal: announcing.find(({ personal }) => personal)?.personal,
    },
  };
}

type GivenOfPersonal = Omit<Parameters<typeof newSubscription>[0], 'catchUp'> &
  Partial<Omit<Subscription, 'watch'>> & { watch: { aim: string; product: object | null; below: number | null } };

/** A subscription of a person's as it is stored, whether or not there is the feature whose it is. */
export function aPersonal({ watch, ...given }: GivenOfPersonal): Subscription {
  const kinds = (watch.product ? ['watch-reached'] : ['new-offer', 'relisted']) as AnnouncementKind[];
  return { ...newSubscription({ ...given, catchUp: 0 }), ...({ watch } as object), kinds };
}
