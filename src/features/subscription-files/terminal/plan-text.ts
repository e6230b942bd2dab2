import type { Setting } from '../../../deals/settings.ts';
import type { Subscription } from '../../../deals/subscription.ts';
import { sourceTitle } from '../../../discord/i18n/describe-source.ts';
import type { Translator } from '../../../discord/i18n/translator.ts';
import { amount } from '../../../shared/amount.ts';
import { entryOf } from '../entry.ts';
import type { ChannelForecast } from '../forecast.ts';
import { channelsOf, isEmpty, type Plan, type PlannedChange } from '../plan.ts';
import type { FileProblem } from '../schema.ts';

/** A plan for the command line: a line for each subscription that changes, and below it each setting. */
export function planText(plan: Plan, forecasts: readonly ChannelForecast[], translator: Translator): string {
  const { added, changed, removed, unchanged } = plan;
  const left = channelsOf(plan).size - forecasts.length;
  const title = (one: Subscription) =>
    `${sourceTitle(one.source, translator)} in channel ${one.channelId} of server ${one.guildId}`;
  const settings = (one: Subscription) =>
    Object.entries(entryOf(one, plan.settings))
      .filter(([name]) => !['channel', 'source', 'feed'].includes(name))
      .map(([name, value]) => `      ${name}: ${JSON.stringify(value)}`);
  return [
    ...added.flatMap((one) => [`  + add     ${title(one)}`, ...settings(one)]),
    ...changed.flatMap((change) => [
      `  ~ change  ${title(change.before)} (${change.before.id})`,
      ...changes(change, plan.settings),
    ]),
    ...removed.map((one) => `  - remove  ${title(one)} (${one.id})`),
    isEmpty(plan)
      ? `Nothing to do: ${unchanged.length} unchanged.`
      : `${added.length} to add, ${changed.length} to change, ${removed.length} to remove, ${unchanged.length} unchanged.`,
    ...(forecasts.length > 0 ? ['The last seven days would have posted:', ...forecasts.map(forecastLine)] : []),
    ...(left > 0 ? [`  in ${amount(left, 'more channel')}: not counted`] : []),
  ].join('\n');
}

/** A plan for programs: one JSON object, in the words of files. */
export function planJson(plan: Plan, forecasts: readonly ChannelForecast[]): string {
  const place = ({ id, guildId }: Subscription) => ({ server: guildId, id });
  const entry = (one: Subscription) => entryOf(one, plan.settings);
  return JSON.stringify(
    {
      // Their ids are new at each plan.
      added: plan.added.map((one) => ({ server: one.guildId, ...entry(one) })),
      changed: plan.changed.map(({ before, after, fields }) => {
        const [one, other] = [entry(before), entry(after)];
        const values = fields.map((name) => [name, { before: one[name] ?? null, after: other[name] ?? null }]);
        return { ...place(before), channel: before.channelId, settings: Object.fromEntries(values) as unknown };
      }),
      removed: plan.removed.map((one) => ({ ...place(one), ...entry(one) })),
      unchanged: plan.unchanged.length,
      // The forecast covers the first channels alone where there are very many.
      lastSevenDays: forecasts.map(({ channelId, ...posts }) => ({ channel: channelId, ...posts })),
    },
    null,
    2,
  );
}

function changes({ before, after, fields }: PlannedChange, settings: readonly Setting[]): string[] {
  const [one, other] = [entryOf(before, settings), entryOf(after, settings)];
  const shown = (value: unknown) => (value === undefined ? 'not set' : JSON.stringify(value));
  return fields.map((name) => `      ${name}: ${shown(one[name])} → ${shown(other[name])}`);
}

function forecastLine({ channelId, before, after, isPartial }: ChannelForecast): string {
  const difference = after - before;
  const signed = difference > 0 ? `+${difference}` : String(difference);
  const note = isPartial ? ', as far as is known' : '';
  return `  channel ${channelId}: ${before} before, ${after} after (${signed})${note}`;
}

/** The mistakes of a file, one a line. */
export function problemsText(problems: readonly FileProblem[], translator: Translator): string[] {
  return problems.map(({ path, what }) => [path, translator.translate(what)].filter(Boolean).join(': '));
}
