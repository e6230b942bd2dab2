import { version as discordJs } from 'discord.js';
import type { PollStatus } from '../src/announcements/poll/poller.ts';
import { remainingFor } from '../src/catalog/throttle/rate-budget.ts';
import { interfaceOf, resourceOf, type Subscription } from '../src/deals/subscription.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import {
  botStatusCard,
  type InterfaceStatus,
  type PlaceStatus,
  statusCard,
  type UsedUp,
  type Wellness,
} from '../src/discord/cards/status-card.ts';
import { timestamp } from '../src/discord/format.ts';
import { described } from '../src/discord/i18n/command-words.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { clamp } from '../src/discord/limits.ts';
import { escapeLine } from '../src/discord/markdown.ts';
import { eachOnce } from '../src/discord/permissions.ts';
import type { LocalizedText } from '../src/shared/errors.ts';
import { ANYWHERE, type Command, type CommandServices, type ManagerRequest, type Request } from './shared.ts';
import { flagTroubles } from './subscription/flags.ts';

/** Shows whether the bot works; makes no request to the catalog. Who reads it is checked at every click. */
export const status: Command = {
  data: { name: 'status', ...described('command.status'), ...ANYWHERE },
  answer: 'private',
  execute: statusOf,
  actions: {
    status: {
      answer: 'update',
      run: async ({ of }, request) => (of === 'server' ? statusOf(request) : botStatusOf(request.asManager())),
    },
  },
};

async function statusOf(request: Request): Promise<Card> {
  const { services, server, isManager, cardContext } = request;
  const polls = pollsOf(services);
  const places = server === null ? null : await placesOf(server, polls, request);
  const { isWell, ...wellness } = wellnessOf(polls, services);
  return statusCard(
    {
      ...wellness,
      isWell:
        isWell && (places ?? []).every(({ subscription, isHeldUp }) => subscription.problem === null && !isHeldUp),
      places,
      isManager,
      more:
        server === null || !isManager
          ? []
          : services.statusLines.flatMap((one) => one.ofServer?.(server, request.translator) ?? []),
    },
    cardContext,
  );
}

/** The interfaces whose requests of the day are used up: what is left of them is kept for people. */
function usedUpOf(catalog: CommandServices['catalog']): UsedUp[] {
  const quota = catalog.quota();
  return (['portal', 'v2'] as const).flatMap((name) => {
    const { spent, limit, resetsAtMs } = quota[name];
    return remainingFor('announcement', spent, limit) < 1 ? [{ name, resetsAtMs }] : [];
  });
}

/** The state of polling. It says once that no requests are left, not as a failure of each resource. */
function pollsOf({ poller, catalog }: CommandServices): PollStatus {
  const usedUp = usedUpOf(catalog).map(({ name }) => name);
  const status = poller.status();
  const resources = status.resources.map((one) =>
    usedUp.includes(interfaceOf(one.resource)) ? { ...one, failure: null } : one,
  );
  return { ...status, resources };
}

function wellnessOf(polls: PollStatus, { catalog, deliverer, stateProblem }: CommandServices): Wellness {
  const trouble = stateProblem();
  const usedUp = usedUpOf(catalog);
  const isReachable = interfacesOf(catalog, polls).every(({ health }) => health.circuitOpenUntilMs === null);
  const isSeeing = polls.resources.every(({ isFollowed, failure }) => !isFollowed || failure === null);
  const isWell = isReachable && isSeeing && usedUp.length === 0 && trouble === null;
  return { isWell, usedUp, stateProblem: trouble, pausedSinceMs: deliverer.status().pausedSinceMs };
}

/** `isHeldUp`: Discord keeps answering something of it with an error. */
type Place = PlaceStatus & { isHeldUp: boolean };

/** The server's subscriptions in channels that the person sees, those with problems first. */
async function placesOf(server: string, { resources }: PollStatus, request: Request): Promise<Place[]> {
  const { subscriptions, deliveries, deliverer } = request.services;
  const shown = subscriptions
    .ofGuild(server)
    .filter(({ channelId }) => request.canSee(channelId))
    .toSorted((a, b) => Number(b.problem !== null) - Number(a.problem !== null) || a.createdAtMs - b.createdAtMs)
    .map(async (subscription) => {
      const heldUp = heldUpOf(subscription, request.services);
      const waiting = waitingFor(subscription, deliveries);
      const due = waiting.filter(({ dueAtMs }) => dueAtMs <= request.cardContext.nowMs).length;
      const limit = deliverer.limitOf(subscription.channelId);
      return {
        isHeldUp: heldUp.length > 0,
        subscription,
        resource: resources.find(({ resource }) => resource === resourceOf(subscription.source)) ?? null,
        pending: waiting.length,
        limit: limit && due > 0 ? { ...limit, waiting: due } : null,
        publishing: subscription.isPublished ? deliverer.publishingOf(subscription.channelId) : null,
        troubles: eachOnce([...heldUp, ...(await troublesOf(subscription, request))]),
      };
    });
  return Promise.all(shown);
}

const MOST_TITLE = 100;
const MOST_HELD_UP = 3;

/** The requests for the subscription that Discord keeps answering with an error. */
function heldUpOf(subscription: Subscription, services: CommandServices): LocalizedText[] {
  const { deliverer, flags } = services;
  const messages = deliverer.setAside().filter(({ subscriptionIds }) => subscriptionIds.includes(subscription.id));
  return [
    ...messages.slice(0, MOST_HELD_UP).map(({ what, title, againAtMs }) =>
      message(`status.setAside.${what}`, {
        title: escapeLine(clamp(title, MOST_TITLE)),
        at: timestamp(againAtMs, 'R'),
      }),
    ),
    ...flags.flatMap((flag) => flag.heldUp?.(subscription, services) ?? []),
  ];
}

/** Why flags and other things of features in the subscription don't work. */
async function troublesOf(subscription: Subscription, request: Request): Promise<LocalizedText[]> {
  const troubles = await request.services.troublesOf(subscription, request);
  return eachOnce([...troubles, ...flagTroubles(subscription, request.services)]);
}

/** Finds what waits in the channel for this subscription: another one of the channel may have more. */
function waitingFor({ id, channelId }: Subscription, deliveries: CommandServices['deliveries']) {
  return [...deliveries.pending(channelId), ...deliveries.pendingMembers(channelId)].filter(({ matches }) =>
    matches.some(({ subscriptionId }) => subscriptionId === id),
  );
}

function botStatusOf({ services, cardContext }: ManagerRequest): Card {
  const { catalog, poller, deliverer, about } = services;
  const polls = pollsOf(services);
  const { ended, ...figures } = deliverer.status();
  const wellness = wellnessOf(polls, services);
  const setAside = deliverer.setAside().length;
  return botStatusCard(
    {
      ...wellness,
      isWell: wellness.isWell && setAside === 0,
      interfaces: interfacesOf(catalog, polls),
      resources: polls.resources,
      doubts: poller.doubts(),
      deliveries: { ...figures, setAside, ended: ended.sinceStart, postedToday: ended.postedToday },
      versions: { dealbell: about.version, node: process.versions.node, discordJs },
      startedAtMs: about.startedAtMs,
      epoch: about.epoch,
    },
    cardContext,
  );
}

function interfacesOf(catalog: CommandServices['catalog'], { interfaces }: PollStatus): InterfaceStatus[] {
  const health = catalog.health();
  const quota = catalog.quota();
  return (['portal', 'v2'] as const).map((name) => ({
    name,
    health: health[name],
    quota: quota[name],
    ...interfaces[name],
  }));
}
