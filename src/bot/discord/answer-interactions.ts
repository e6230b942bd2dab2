import type { Client, Interaction } from 'discord.js';
import type { Clock } from '../../shared/clock.ts';
import { decodeAction } from './custom-id.ts';

/** One interaction that has been answered, or refused. */
export interface Answered {
  command: string;
  channelId: string | null;
  tookMs: number;
}

/** Has every interaction handled, and tells of each how long that took. `handle` never rejects. */
export function answerInteractions(
  client: Client,
  handle: (interaction: Interaction) => Promise<void>,
  options: { commands: ReadonlySet<string>; clock: Clock; onAnswered: (answered: Answered) => void },
): void {
  const { commands, clock, onAnswered } = options;
  async function answer(interaction: Interaction): Promise<void> {
    const startedMs = clock.monotonicMs();
    await handle(interaction);
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    onAnswered({ command: interactionName(interaction, commands), channelId: interaction.channelId, tookMs });
  }
  client.on('interactionCreate', (interaction) => void answer(interaction));
}

/**
 * What a person used, in a word or two of few: `feed`, `subscription add feed`, a button's or form's action, `autocomplete`.
 * `unknown` where no such thing is the bot's: names that others make up become no label.
 */
function interactionName(interaction: Interaction, commands: ReadonlySet<string>): string {
  if (interaction.isAutocomplete()) return 'autocomplete';
  if (interaction.isCommand()) {
    if (!commands.has(interaction.commandName)) return 'unknown';
    if (!interaction.isChatInputCommand()) return interaction.commandName;
    const { commandName, options } = interaction;
    return [commandName, options.getSubcommandGroup(false), options.getSubcommand(false)].filter(Boolean).join(' ');
  }
  if (!('customId' in interaction)) return 'unknown';
  const [chosen = ''] = interaction.isAnySelectMenu() ? interaction.values : [];
  return (decodeAction(interaction.customId) ?? decodeAction(chosen))?.do ?? 'unknown';
}
