import type { DemoAction, DemoState } from '../../server/demo-api.ts';
import { timeOfDay } from './time.ts';

/** The parts of the panel that have levers. */
export type Part = 'offer' | 'faults' | 'time' | 'quota' | 'permissions' | 'people';

/** A lever: its name, and what it does in one line. */
export interface Lever {
  label: string;
  line: string;
  /** null where it can't be pulled now. */
  action: DemoAction | null;
  /** Whether it is the one of several that holds, or lasts now; left out where it just does something. */
  isOn?: boolean;
}

/** The levers that change the newest offer. */
export function offerLevers({ offer }: DemoState): Lever[] {
  const change = (how: Extract<DemoAction, { do: 'offer' }>['change']): DemoAction | null =>
    offer && { do: 'offer', messageId: offer.messageId, change: how };
  const isLive = offer?.state === 'live';
  return [
    { label: 'Sell out', line: 'Somebody buys the last one.', action: isLive ? change('sell-out') : null },
    { label: 'Drop the price', line: 'It costs 20% less.', action: isLive ? change('drop-price') : null },
    {
      label: 'End',
      line: 'The store takes it down. The bot checks again a minute later.',
      action: isLive ? change('end') : null,
    },
    {
      label: 'Bring back',
      line: 'It’s on sale again. News if the bot saw it gone twice.',
      action: offer && !isLive ? change('bring-back') : null,
    },
  ];
}

/** The levers that break something. */
export function faultLevers({ bot, faults }: DemoState): Lever[] {
  return [
    {
      label: 'Kill the bot',
      line: 'SIGKILL in the middle of a post. It starts again after 3 s.',
      action: bot.state === 'running' ? { do: 'kill' } : null,
    },
    {
      label: 'Cut Discord off mid-post',
      line: 'The post arrives, its answer doesn’t. For 10 s.',
      action: { do: 'cut-discord' },
      isOn: faults.discord !== null,
    },
    {
      label: 'Cut the catalog off',
      line: 'The store answers nothing for 10 s.',
      action: { do: 'cut-catalog' },
      isOn: faults.catalog !== null,
    },
    {
      label: 'Fail every third request',
      line: 'The store and Discord fail for 20 s.',
      action: { do: 'fail-requests' },
      isOn: faults.requests !== null,
    },
  ];
}

/** The lever that ends what is broken: none while nothing is. */
export function recoveryLevers({ bot, faults }: DemoState): Lever[] {
  const isBroken = bot.state === 'killed' || Object.values(faults).some((untilMs) => untilMs !== null);
  if (!isBroken) return [];
  return [{ label: 'Recover now', line: 'Ends at once what is broken.', action: { do: 'recover' } }];
}

/** The levers that set the clock. */
export function timeLevers({ time: { speed } }: DemoState): Lever[] {
  return [
    { label: 'Pause', line: 'Time stands still.', action: { do: 'time', to: 'pause' }, isOn: speed === 0 },
    { label: 'Normal', line: 'As fast as yours.', action: { do: 'time', to: 'normal' }, isOn: speed === 1 },
    { label: '× 60', line: 'A minute each second.', action: { do: 'time', to: 'fast' }, isOn: speed > 1 },
    {
      label: 'To 22:00',
      line: 'Quiet hours begin: #events holds all but the boards of Deal-offs.',
      action: { do: 'time', to: 'evening' },
    },
    {
      label: 'To the morning',
      line: 'They end at 7:00: what was held comes.',
      action: { do: 'time', to: 'morning' },
    },
    {
      label: 'To midnight',
      line: 'A new day in UTC: the quota returns.',
      action: { do: 'time', to: 'midnight' },
    },
  ];
}

/** The levers that set the catalog's quota. */
export function quotaLevers({ plan }: DemoState): Lever[] {
  const usedUpUntilMs = plan?.usedUpUntilMs ?? null;
  return [
    {
      label: '1,000 a day',
      line: 'As it really is. A new day begins.',
      action: { do: 'quota', as: 'real' },
      isOn: plan?.isReal === true,
    },
    {
      label: 'No limit',
      line: usedUpUntilMs === null ? 'As often as the bot likes.' : 'The bot may ask again at once.',
      action: { do: 'quota', as: 'unlimited' },
      isOn: plan?.isReal === false && usedUpUntilMs === null,
    },
    {
      label: 'Use it up',
      line: usedUpUntilMs === null ? 'No requests until midnight.' : `Used up until ${timeOfDay(usedUpUntilMs)}.`,
      action: { do: 'quota', as: 'used-up' },
      isOn: usedUpUntilMs !== null,
    },
  ];
}

/** The levers that change what the bot may do: each takes something away, or gives it back. */
export function permissionLevers({ permissions }: DemoState): Lever[] {
  const change = (what: keyof DemoState['permissions']): DemoAction => ({
    do: 'permissions',
    change: what,
    is: !permissions[what],
  });
  const { canSend, needsTag, isLocked, isDeleted, othersPublish } = permissions;
  return [
    {
      label: canSend ? 'Take Send Messages away' : 'Give Send Messages back',
      line: canSend ? 'Nothing can be posted in #deals.' : 'What waited for #deals comes.',
      action: change('canSend'),
    },
    {
      label: needsTag ? 'Demand no tag' : 'Demand a tag',
      line: needsTag ? '#forum takes posts as they are.' : '#forum refuses posts without one.',
      action: change('needsTag'),
    },
    {
      label: isLocked ? 'Unlock it' : 'Lock the thread',
      line: isLocked ? 'What waited for it comes.' : 'Nobody can post in it.',
      action: change('isLocked'),
    },
    {
      label: isDeleted ? 'Give it back' : 'Delete the channel',
      line: isDeleted ? '#events is there again.' : '#events is gone.',
      action: change('isDeleted'),
    },
    {
      label: othersPublish ? 'Let nobody else publish' : 'Let somebody else publish',
      line: othersPublish
        ? 'The bot may publish ten posts an hour in #announcements again.'
        : 'Somebody else uses up the ten publications an hour in #announcements.',
      action: change('othersPublish'),
    },
  ];
}
