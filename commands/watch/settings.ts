import type { ChatInputCommandInteraction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { TIMING_MODES } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { CommandServices } from '../shared.ts';
import { SETTING_OPTIONS, type SettingName } from '../subscription/settings.ts';
import { timingFrom } from '../subscription/times.ts';
import { listPage } from './list.ts';
import { personOf, watchesOf } from './save.ts';

/** The settings of a subscription that a person has for all of their watches. */
const NAMES: readonly SettingName[] = ['mode', 'at', 'quiet-hours', 'time-zone', 'most-per-hour'];

export const settings = {
  data: {
    type: ApplicationCommandOptionType.Subcommand as const,
    name: 'settings',
    ...described('command.watch.settings'),
    options: SETTING_OPTIONS.filter(({ name }) => NAMES.includes(name)),
  },
  async execute(
    interaction: ChatInputCommandInteraction,
    shared: CommandServices,
    translator: Translator,
  ): Promise<Card> {
    const { options } = interaction;
    const person = await personOf(interaction, shared);
    const at = options.getString('at');
    const mode =
      TIMING_MODES.find((candidate) => candidate === options.getString('mode')) ?? (at === null ? null : 'daily');
    if (at !== null && mode !== 'daily') throw new UserError(message('times.onlyDaily'));
    const timing = timingFrom(person.timing, {
      mode,
      at,
      timeZone: options.getString('time-zone'),
      quietHours: options.getString('quiet-hours'),
    });
    const mostPerHour = options.getInteger('most-per-hour') ?? person.mostPerHour;
    await shared.people.update(person.id, (before) => ({ ...before, timing, mostPerHour }));
    for (const { id } of watchesOf(interaction, shared)) {
      await shared.subscriptions.update(id, (before) => ({ ...before, timing, mostPerHour }));
    }
    // A shorter wait may have what waits due now.
    shared.deliverer.kick();
    return listPage(1, interaction, shared, translator);
  },
};
