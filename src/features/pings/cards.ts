import { describeKind } from '../../announcements/kinds/index.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { form } from '../../discord/cards/form.ts';
import type { Input } from '../../discord/cards/form-inputs.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  factsOf,
  settingsButton,
  smallLine,
  withButton,
} from '../../discord/cards/parts.ts';
import { kindNames } from '../../discord/cards/subscription-lines.ts';
import type { Modal } from '../../discord/command.ts';
import { sourceTitle } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine, inlineCode } from '../../discord/markdown.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { act } from './actions.ts';
import { MOST_PINGS, type Ping } from './ping.ts';

/** The pings of a subscription, and how they would have done. */
export interface PingsView {
  subscription: Subscription;
  /** How often the last seven days would have rung each role, by its id; null where nothing is known of them. */
  rings: ReadonlyMap<string, number> | null;
  /** What keeps roles from being rung, by their ids. */
  troubles: ReadonlyMap<string, LocalizedText>;
}

/**
 * The pings of a subscription, each with a button that changes it.
 * @param lead the confirmation of the last change; '' for none
 */
export function pingsCard(
  { subscription, rings, troubles }: PingsView,
  lead: string,
  { translator }: CardContext,
): Card {
  const { id: subscriptionId, source, channelId, pings = [] } = subscription;
  const edit = (roleId: string | null) => act({ do: 'ping', subscriptionId, roleId });
  return card(ACCENT.notice, [
    lead,
    [
      `## ${translator.t('ping.title')}`,
      `${escapeLine(sourceTitle(source, translator))} → <#${channelId}>`,
      pings.length === 0 ? translator.t('ping.none') : null,
    ],
    ...pings.map((ping) =>
      withButton(
        [
          `<@&${ping.roleId}> · ${pingLine(ping, translator)}`,
          ...warningsOf(ping, subscription, troubles.get(ping.roleId), translator),
          smallLine([ringsText(rings?.get(ping.roleId), translator)]),
        ],
        actionButton(translator.t('button.changePing'), edit(ping.roleId)),
      ),
    ),
    buttons([
      pings.length < MOST_PINGS ? actionButton(translator.t('button.addPing'), edit(null)) : null,
      settingsButton(subscriptionId, translator),
    ]),
  ]);
}

const MOST_FILTER = 120;

/** What a ping is for, in one line. */
export function pingLine({ filter, kinds }: Ping, translator: Translator): string {
  return factsOf([
    filter === '' ? kinds.length === 0 && translator.t('ping.all') : inlineCode(clamp(filter, MOST_FILTER)),
    kinds.length > 0 && kindNames(kinds, translator),
  ]);
}

function warningsOf(
  { kinds }: Ping,
  subscription: Subscription,
  trouble: LocalizedText | undefined,
  translator: Translator,
): string[] {
  const isForNone = kinds.length > 0 && !kinds.some((kind) => subscription.kinds.includes(kind));
  return [
    ...(trouble ? [`⚠ ${translator.translate(trouble)}`] : []),
    ...(isForNone ? [`⚠ ${translator.t('ping.kindsOff')}`] : []),
  ];
}

/** How often a role would have been rung. @param count undefined where that isn't known */
export function ringsText(count: number | undefined, translator: Translator): string {
  return count === undefined ? translator.t('ping.untried') : translator.t('ping.tried', { count });
}

/** The inputs of a ping's form. @param roleId the ping that it changes; null for a new one */
export function pingInputs(
  { kinds }: Subscription,
  roleId: string | null,
  shown: Ping,
  { example, translator }: { example: string; translator: Translator },
): Input[] {
  const offered = [...new Set([...kinds, ...shown.kinds])];
  const inputs: Input[] = [
    {
      takes: 'role',
      name: 'role',
      label: translator.t('form.pingRole'),
      ...(roleId !== null && { description: translator.t('form.pingRemove') }),
      chosen: shown.roleId,
    },
    {
      takes: 'text',
      name: 'filter',
      label: translator.t('form.pingFilter'),
      example,
      value: shown.filter,
      most: 2000,
      isLong: true,
    },
  ];
  if (offered.length > 1) {
    const options = offered.map((kind) => ({
      label: describeKind(kind, translator),
      value: kind,
      isChosen: shown.kinds.includes(kind),
    }));
    inputs.push({
      takes: 'choice',
      name: 'kinds',
      label: translator.t('form.pingKinds'),
      options,
      most: options.length,
    });
  }
  return inputs;
}

/** The form of a ping. Without a role, it removes the ping. @param present its inputs with the stored values */
export function pingForm(
  subscriptionId: string,
  roleId: string | null,
  { inputs, present }: { inputs: readonly Input[]; present: readonly Input[] },
  translator: Translator,
): Modal {
  const title = translator.t(roleId === null ? 'form.pingTitle' : 'form.pingChangeTitle');
  return form(act({ do: 'ping', subscriptionId, roleId }), title, inputs, present);
}
