import type { Courier } from '../../discord/courier.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';

/** A channel that is subscribed. */
interface Place {
  guildId: string;
  channelId: string;
}

/** Keeps with the subscriptions of a channel why nothing can be posted there, and tells those who made them. */
export interface ChannelProblems {
  /**
   * Tells those who subscribed, once: that a subscription has a problem is kept before anybody is told of it.
   * @param problem the key of a sentence without its `problem.`
   * @param isGone the channel will not come back: its subscriptions rest from now on
   */
  report(place: Place, problem: string, isGone: boolean): Promise<void>;
  /** It works again. */
  resolve(place: Place): Promise<void>;
  /** The bot is in the server again, or sees a channel again: subscriptions that rested for that reason alone go on. */
  resume(guildId: string, isVisible: (channelId: string) => boolean): Promise<void>;
}

/** Why subscriptions rest without a person's doing. */
const GONE = { server: 'server-gone', channel: 'channel-gone' } as const;

export function createChannelProblems(
  subscriptions: SubscriptionStore,
  courier: Courier,
  wordsOf: (guildId: string) => Translator,
): ChannelProblems {
  const inChannel = ({ guildId, channelId }: Place) =>
    subscriptions.ofGuild(guildId).filter((subscription) => subscription.channelId === channelId);

  return {
    async report(place, problem, isGone) {
      const concerned = inChannel(place);
      for (const { id, problem: known, pausedBy } of concerned) {
        if (known === problem && (!isGone || pausedBy !== null)) continue;
        await subscriptions.update(id, (current) => ({
          ...current,
          problem,
          // A subscription that a person paused does not resume by itself.
          pausedBy: current.pausedBy ?? (isGone ? 'gone' : null),
        }));
      }
      // Discord delivers nothing to people who share no server with the bot.
      if (problem === GONE.server || concerned.some((subscription) => subscription.problem !== null)) return;
      const translator = wordsOf(place.guildId);
      const why = {
        channel: `<#${place.channelId}>`,
        problem: translator.translate({ key: `problem.${problem}`, values: {} }),
      };
      const sentence = translator.t(isGone ? 'problem.toldGone' : 'problem.told', why);
      for (const personId of new Set(concerned.map(({ createdBy }) => createdBy))) {
        await courier.sendDirectMessage(personId, sentence);
      }
    },
    async resolve(place) {
      for (const { id, problem } of inChannel(place)) {
        if (problem !== null) await subscriptions.update(id, (current) => ({ ...current, problem: null }));
      }
    },
    async resume(guildId, isVisible) {
      for (const { id, channelId, problem } of subscriptions.ofGuild(guildId)) {
        if (problem !== GONE.server && !(problem === GONE.channel && isVisible(channelId))) continue;
        await subscriptions.update(id, (current) => ({
          ...current,
          problem: null,
          pausedBy: current.pausedBy === 'gone' ? null : current.pausedBy,
        }));
      }
    },
  };
}
