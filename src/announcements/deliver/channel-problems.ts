import { personAt, refusedAgain } from '../../deals/watch.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';

/** A channel with subscriptions. */
interface Place {
  guildId: string;
  channelId: string;
}

/**
 * Records with the subscriptions of a channel why nothing can be posted there, and notifies the people who made them.
 * For a person, records since when they take no direct messages, and when to try again; they are told at their next
 * command.
 */
export interface ChannelProblems {
  /**
   * Records a problem, and then notifies the subscribers once.
   * @param problem the key of a sentence without its `problem.` prefix
   * @param isGone the channel will not come back: its subscriptions are paused
   */
  report(place: Place, problem: string, isGone: boolean): Promise<void>;
  /** Clears the problem, in the commit that records a post. */
  resolve(changes: Changes, place: Place): void;
  /** Resumes subscriptions that were paused because the bot had left the server or could not see the channel. */
  resume(guildId: string, isVisible: (channelId: string) => boolean): Promise<void>;
}

/** The problems for which the bot itself pauses subscriptions. */
const GONE = { server: 'server-gone', channel: 'channel-gone' } as const;

export function createChannelProblems(
  { commit, subscriptions, people }: Pick<Store, 'commit' | 'subscriptions' | 'people'>,
  courier: Courier,
  translatorOf: (guildId: string) => Translator,
  clock: Pick<Clock, 'now'>,
): ChannelProblems {
  const inChannel = ({ guildId, channelId }: Place) =>
    subscriptions.ofGuild(guildId).filter((subscription) => subscription.channelId === channelId);

  return {
    async report(place, problem, isGone) {
      const personId = personAt(place.guildId);
      if (personId !== null) {
        const nowMs = clock.now();
        return people.update(personId, (person) => ({ ...person, closed: refusedAgain(person.closed, nowMs) }));
      }
      const concerned = inChannel(place);
      await commit((changes) => {
        for (const { id, problem: known, pausedBy } of inChannel(place)) {
          if (known === problem && (!isGone || pausedBy !== null)) continue;
          subscriptions.change(changes, id, (current) => ({
            ...current,
            problem,
            // A subscription that a person paused does not resume by itself.
            pausedBy: current.pausedBy ?? (isGone ? 'gone' : null),
          }));
        }
      });
      // Discord delivers no direct messages to people who share no server with the bot.
      if (problem === GONE.server || concerned.some((subscription) => subscription.problem !== null)) return;
      const translator = translatorOf(place.guildId);
      const why = {
        channel: `<#${place.channelId}>`,
        problem: translator.translate({ key: `problem.${problem}`, values: {} }),
      };
      const sentence = translator.t(isGone ? 'problem.toldGone' : 'problem.told', why);
      for (const personId of new Set(concerned.map(({ createdBy }) => createdBy))) {
        // Added by the command line, for nobody on Discord.
        if (personId === '') continue;
        await courier.sendDirectMessage(personId, sentence);
      }
    },
    resolve(changes, place) {
      const personId = personAt(place.guildId);
      if (personId !== null) {
        if (!people.get(personId)?.closed) return;
        people.change(changes, personId, (person) => ({ ...person, closed: null, shownWaiting: null }));
        return;
      }
      for (const { id, problem } of inChannel(place)) {
        if (problem !== null) subscriptions.change(changes, id, (current) => ({ ...current, problem: null }));
      }
    },
    resume: (guildId, isVisible) =>
      commit((changes) => {
        for (const { id, channelId, problem } of subscriptions.ofGuild(guildId)) {
          if (problem !== GONE.server && !(problem === GONE.channel && isVisible(channelId))) continue;
          subscriptions.change(changes, id, (current) => ({
            ...current,
            problem: null,
            pausedBy: current.pausedBy === 'gone' ? null : current.pausedBy,
          }));
        }
      }),
  };
}
