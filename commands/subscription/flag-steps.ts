import { hasSetting } from '../../src/announcements/kinds/of-source.ts';
import { withValues } from '../../src/deals/settings.ts';
import type { ActionOf } from '../../src/discord/action-table.ts';
import type { Handlers } from '../../src/discord/command.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireSubscription } from '../options.ts';
import type { CommandServices, FeatureFlag } from '../shared.ts';
import { flagTable } from './flags.ts';
import { panel } from './panel.ts';
import { change } from './save.ts';

/** The handler of the panel's buttons that turn features' flags on and off. */
export function flagHandlers(
  flags: readonly FeatureFlag[],
): Handlers<CommandServices, ActionOf<ReturnType<typeof flagTable>>> {
  return {
    table: flagTable(flags),
    actions: {
      subscription: {
        answer: 'update',
        async run({ step, subscriptionId }, asked) {
          const request = asked.asManager();
          const found = requireSubscription(subscriptionId, request);
          const flag = flags.find(({ on, off }) => on.step === step || off.step === step);
          if (!flag) throw new UserError(message('failure.unknownButton'));
          const { field, on } = flag;
          const isOn = step === on.step && hasSetting(found.source.kind, flag);
          return panel(await change(found, (before) => withValues(before, { [field]: isOn }), request), request);
        },
      },
    },
  };
}
