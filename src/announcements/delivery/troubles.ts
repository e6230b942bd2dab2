import type { Courier } from '../../discord/courier.ts';
import type { Words } from '../../discord/words/words.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';

/** A channel that is subscribed. */
interface Place {
  guildId: string;
  channelId: string;
}

/** Keeps with the subscriptions of a channel why nothing can be posted there, and tells those who made them. */
export interface Troubles {
  /**
   * Whoever subscribed is told once: that a subscription has a problem is kept before anybody is told of it.
   * @param problem the key of a sentence without its `problem.`
   * @param isGone the channel will not come back: its subscriptions rest from now on
   */
  note(place: Place, problem: string, isGone: boolean): Promise<void>;
  /** It works again. */
  clear(place: Place): Promise<void>;
}

export function createTroubles(
  subscriptions: SubscriptionStore,
  courier: Courier,
  wordsOf: (guildId: string) => Words,
): Troubles {
  const inChannel = ({ guildId, channelId }: Place) =>
    subscriptions.ofGuild(guildId).filter((subscription) => subscription.channelId === channelId);

  return {
    async note(place, problem, isGone) {
      const concerned = inChannel(place);
      for (const { id, problem: known, pausedBy } of concerned) {
        if (known === problem && (!isGone || pausedBy === 'gone')) continue;
        await subscriptions.update(id, (current) => ({
          ...current,
          problem,
          pausedBy: isGone ? 'gone' : current.pausedBy,
        }));
      }
      if (concerned.some((subscription) => subscription.problem !== null)) return;
      const words = wordsOf(place.guildId);
      const why = { channel: `<#${place.channelId}>`, problem: words.say({ key: `problem.${problem}`, values: {} }) };
      const sentence = words.t(isGone ? 'problem.toldGone' : 'problem.told', why);
      for (const personId of new Set(concerned.map(({ createdBy }) => createdBy))) {
        await courier.tell(personId, sentence);
      }
    },
    async clear(place) {
      for (const { id, problem } of inChannel(place)) {
        if (problem !== null) await subscriptions.update(id, (current) => ({ ...current, problem: null }));
      }
    },
  };
}
