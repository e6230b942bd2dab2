import type { Feature } from '../../app/feature.ts';
import { actionButton } from '../../discord/cards/parts.ts';
import { message } from '../../discord/i18n/translator.ts';
import type { Store } from '../../store/store.ts';
import { act } from './actions.ts';
import { alertButton, watchesButton, watchFeedForm } from './cards.ts';
import { closedMessages } from './closed.ts';
import { alert, formerWatch, watchThis } from './command.ts';
import { describeWatch } from './describe.ts';
import { GAUGES, watchFacts } from './metrics.ts';
import { myData } from './my-data.ts';
import { changeWatch, requireWatch } from './own.ts';
import { forgetPerson, type PersonalData, personalDataOf } from './personal-data.ts';
import { watchReached } from './watch-reached.ts';
import { WatchedProducts } from './watched-products.ts';
import { WORDS } from './words/index.ts';

/** Private messages to people about the deals that they watch for. */
export const watches: Feature = {
  name: 'watches',
  words: WORDS,
  commands: [alert, watchThis, myData, formerWatch],
  commandsBefore: 'subscription',
  records: { kinds: [], open: async () => ({}), isPersonal: ({ watch }) => watch !== undefined },
  kinds: [watchReached],
  offerButtons: {
    // What has ended comes back under another id, if at all.
    ofOffer: ({ offerId, shownAs }, translator) =>
      shownAs === 'ended'
        ? null
        : actionButton(`🔔 ${translator.t('button.watchOffer')}`, act({ do: 'watch', offerId })),
    ofEvent: ({ id: eventId, offers }, translator) =>
      offers.length === 0
        ? null
        : actionButton(`🔔 ${translator.t('button.watchOffer')}`, act({ do: 'watch-event', eventId })),
  },
  personal: {
    nameOf: describeWatch,
    reason: (what, translator) => `🔔 ${translator.t('announcement.watched', { what })}`,
    require: requireWatch,
    change: changeWatch,
    notByFilter: message('less.ofProduct'),
    form: watchFeedForm,
    alertButton,
    button: watchesButton,
  },
  gauges: GAUGES,
  start({ store, offers, clock, signal }) {
    const { subscriptions, people } = store;
    return {
      services: {
        people,
        personalData: {
          of: (personId) => personalDataOf(personId, store),
          async forget(personId) {
            await forgetPerson(personId, store);
            await store.scrub();
          },
        },
      },
      post: { owedByOffers: new WatchedProducts({ store, book: offers, clock, signal }) },
      figures: () => ({ watches: watchFacts(subscriptions.all(), people) }),
      alsoTell: (personId, translator) => closedMessages(personId, store, translator),
    };
  },
};

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    people: Store['people'];
    personalData: {
      of(personId: string): Promise<PersonalData>;
      /** Nothing of the person may be under way. */
      forget(personId: string): Promise<void>;
    };
  }
}
