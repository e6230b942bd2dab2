import type { DemoAction, DemoPlace, DemoResult, DemoState, LocalDiscord } from '../../local-discord/src/index.ts';
import { alterOffer, type Permissions } from './actions.ts';
import type { AlterableStore } from './alterable-store.ts';
import type { BotProcess } from './bot-process.ts';
import type { DemoClock } from './demo-clock.ts';
import type { Faults } from './faults.ts';
import type { Calm, Measurement } from './measurement.ts';
import { afterLever, type TimeLever } from './moments.ts';
import type { NewestOffer } from './newest-offer.ts';
import type { BotPlan } from './protocol.ts';
import type { Quota } from './quota.ts';
import type { Story } from './story.ts';

/** How often the page gets a new state, and the counters let time pass: milliseconds of real time. */
const EVERY_MS = 1_000;

export interface LeverParts {
  discord: LocalDiscord;
  clock: DemoClock;
  quota: Quota;
  store: AlterableStore;
  newest: NewestOffer;
  measurement: Measurement;
  bot: BotProcess;
  faults: Faults;
  story: Story;
  permissions: Permissions;
  places: Readonly<Record<DemoPlace, string>>;
  plan: () => BotPlan | null;
  /** Keeps how far the demo's time is ahead of the machine's. */
  keep: (aheadMs: number) => void;
}

type Locales = { server: string; people: Record<string, string> };

const NOTHING_SHOWN: DemoResult = { shown: null };

/** The actions of the demo's page on the programs, and the state that it shows. */
export function createLevers(parts: LeverParts) {
  const { discord, clock, quota, measurement, faults, story } = parts;
  const locales: Locales = { server: 'en-US', people: {} };
  let timer: NodeJS.Timeout | undefined;

  const keep = () => parts.keep(clock.now() - Date.now());
  function show(): void {
    // Before its start there is nobody to show it to.
    story.look();
    if (timer) discord.showDemo(stateOf(parts, locales));
  }

  return {
    perform(action: DemoAction): DemoResult {
      const result = perform(action, parts, locales);
      story.begin(action);
      if (action.do === 'time' || action.do === 'quota') keep();
      show();
      return result;
    },
    show,
    start(): void {
      discord.onUpdate((update) => {
        measurement.update(update);
        faults.update(update);
        story.update(update);
      });
      keep();
      timer = setInterval(() => {
        quota.turn();
        measurement.pass(calmOf(parts));
        if (clock.setting.speed !== 1) keep();
        show();
      }, EVERY_MS);
    },
    stop(): void {
      faults.recover();
      if (timer) keep();
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function stateOf(parts: LeverParts, locales: Locales): DemoState {
  const { clock, bot, newest, faults, story, measurement, quota, permissions } = parts;
  const plan = parts.plan();
  return {
    time: clock.setting,
    bot: { state: bot.state(), restartsAtMs: bot.restartsAtMs(), kills: bot.kills() },
    offer: newest.shown(),
    story: story.told(),
    faults: faults.outages.untilMs(),
    counters: measurement.counts(),
    plan: plan && quota.shown(plan),
    places: parts.places,
    permissions: permissions.state(),
    locales,
  };
}

/** Whether nothing that a person did is in the bot's way, in each place. */
function calmOf({ faults, bot, clock, permissions, plan }: LeverParts): Calm {
  const isWhole = Object.values(faults.outages.untilMs()).every((untilMs) => untilMs === null);
  const isPosting = bot.state() === 'running' && plan()?.isPaused !== true;
  const isCalm = isWhole && isPosting && clock.setting.speed === 1;
  const { canSend, needsTag, isLocked, isDeleted } = permissions.state();
  return {
    deals: isCalm && canSend,
    digest: isCalm,
    events: isDeleted ? 'gone' : isCalm,
    forum: isCalm && !needsTag,
    thread: isCalm && canSend && !isLocked,
  };
}

function setTime({ clock, bot, quota }: LeverParts, lever: TimeLever): void {
  clock.set(afterLever(lever, clock.setting, { realMs: Date.now(), demoMs: clock.now() }));
  bot.setTime(clock.setting);
  quota.turn();
}

function setQuota(parts: LeverParts, as: Extract<DemoAction, { do: 'quota' }>['as']): void {
  // The demo has made more than a thousand requests today, so the limit starts with a new day.
  if (as === 'real') setTime(parts, 'midnight');
  parts.quota.set(as, parts.plan());
  if (as !== 'used-up') parts.bot.restart();
}

function perform(action: DemoAction, parts: LeverParts, locales: Locales): DemoResult {
  const { discord, bot, faults, permissions } = parts;
  switch (action.do) {
    case 'offer':
      return alterOffer(action, parts);
    case 'permissions':
      return permissions.change(action.change, action.is);
    case 'direct-message':
      return { shown: { channelId: discord.directChannel(action.personId).id, messageId: null } };
    case 'kill':
      faults.killInPost();
      return nextPost(parts, 'deals');
    case 'cut-discord':
      faults.cutDiscord();
      return nextPost(parts, 'deals');
    case 'cut-catalog':
      faults.outages.begin('catalog');
      return nextPost(parts, 'deals');
    case 'fail-requests':
      faults.outages.begin('requests');
      return nextPost(parts, 'deals');
    case 'recover':
      faults.recover();
      if (bot.state() === 'killed') bot.restart();
      return NOTHING_SHOWN;
    case 'time':
      setTime(parts, action.to);
      // The end of the quiet hours, which are those of #events.
      return action.to === 'morning' ? nextPost(parts, 'events') : NOTHING_SHOWN;
    case 'quota':
      setQuota(parts, action.as);
      return NOTHING_SHOWN;
    case 'server-locale':
      locales.server = action.locale;
      discord.setGuildLocale(action.locale);
      return nextPost(parts, 'deals');
    case 'person-locale':
      locales.people[action.personId] = action.locale;
      discord.setLocale(action.personId, action.locale);
      return NOTHING_SHOWN;
  }
}

/** The next post in a channel is the one that shows what an action does. */
function nextPost({ places }: LeverParts, place: DemoPlace): DemoResult {
  return { shown: { channelId: places[place], messageId: null } };
}

export type Levers = ReturnType<typeof createLevers>;
