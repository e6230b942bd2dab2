import type { Client, Interaction } from 'discord.js';
import type { Clock } from '../../shared/clock.ts';
import { decodeAction } from './custom-id.ts';

/** One interaction that was answered or refused. */
export interface Answered {
  command: string;
  channelId: string | null;
  tookMs: number;
}

/** Passes every interaction to `handle`, which never rejects, and reports how long each took. */
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
 * A label for the interaction, from a bounded set: `feed`, `subscription add feed`, a button's or form's action,
 * `autocomplete`. `unknown` for anything else, because labels must not contain names that others make up.
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
