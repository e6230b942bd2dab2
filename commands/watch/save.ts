import { randomUUID } from 'node:crypto';
import type { Interaction } from 'discord.js';
import { newWatch } from '../../src/bot/announcements/kinds/of-aim.ts';
import { isSameRequest } from '../../src/bot/deals/same-request.ts';
import { type Subscription, USUAL_TIMING } from '../../src/bot/deals/subscription.ts';
import { MOST_WATCHES, placeOfPerson, USUAL_MESSAGES_PER_HOUR, type Watch } from '../../src/bot/deals/watch.ts';
import { message } from '../../src/bot/discord/i18n/translator.ts';
import type { Person } from '../../src/bot/store/people.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { CommandServices } from '../shared.ts';

/** The person's watches, oldest first. */
export function watchesOf({ user }: Interaction, { subscriptions }: Pick<CommandServices, 'subscriptions'>) {
  return subscriptions.ofGuild(placeOfPerson(user.id)).toSorted((a, b) => a.createdAtMs - b.createdAtMs);
}

/**
 * One of the person's watches. Another person's counts as missing, so that its existence stays private.
 * @throws UserError where there is none
 */
export function requireWatch(id: string, { user }: Interaction, { subscriptions }: CommandServices): Subscription {
  const found = subscriptions.get(id);
  if (found?.guildId !== placeOfPerson(user.id)) throw new UserError(message('watch.unknown'));
  return found;
}

/**
 * Adds a watch for the person; one that waits for the same takes its place. Resolves with it once it is stored.
 * @throws UserError where the person has too many, or Discord opens no direct messages with them
 */
export async function addWatch(
  wanted: Pick<Subscription, 'source' | 'filter'> & { watch: Watch },
  interaction: Interaction,
  shared: CommandServices,
): Promise<Subscription> {
  const { subscriptions, clock } = shared;
  const same = () =>
    watchesOf(interaction, shared).find((other) => isSame(other, { ...wanted, channelId: other.channelId }));
  const requireRoom = () => {
    if (!same() && watchesOf(interaction, shared).length >= MOST_WATCHES) {
      throw new UserError(message('watch.tooMany', { most: MOST_WATCHES }));
    }
  };
  requireRoom();
  const { channelId, timing, mostPerHour } = await personOf(interaction, shared);
  const watch = newWatch({
    ...wanted,
    id: same()?.id ?? randomUUID(),
    guildId: placeOfPerson(interaction.user.id),
    channelId,
    timing,
    mostPerHour,
    createdBy: interaction.user.id,
    createdAtMs: clock.now(),
  });
  await subscriptions.save(watch, requireRoom);
  return watch;
}

/** Whether two watches wait for the same, at whatever price. */
function isSame(
  one: Subscription,
  other: Pick<Subscription, 'source' | 'filter' | 'channelId'> & { watch: Watch },
): boolean {
  if (one.watch?.aim !== other.watch.aim || one.watch.product?.key !== other.watch.product?.key) return false;
  return other.watch.product !== null || isSameRequest(one, { ...other, kinds: one.kinds });
}

/**
 * The record of a person who changes their watches, with the channel of their direct messages, which is opened here, and
 * their present language.
 * @throws UserError where Discord opens no channel
 */
export async function personOf(
  { user, locale }: Interaction,
  { people, clock }: Pick<CommandServices, 'people' | 'clock'>,
): Promise<Person> {
  const channelId = people.get(user.id)?.channelId ?? (await directChannelOf(user));
  const person: Person = {
    id: user.id,
    timing: USUAL_TIMING,
    mostPerHour: USUAL_MESSAGES_PER_HOUR,
    closed: null,
    shownWaiting: null,
    ...people.get(user.id),
    channelId,
    locale,
    usedAtMs: clock.now(),
  };
  await people.save(person);
  return person;
}

async function directChannelOf(user: Interaction['user']): Promise<string> {
  try {
    return (await user.createDM()).id;
  } catch (cause) {
    throw new UserError(message('watch.noMessages'), { cause });
  }
}
