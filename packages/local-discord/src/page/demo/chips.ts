import { html, nothing, type TemplateResult } from 'lit';
import { CHANNEL } from '../../server/numbers.ts';
import { CommandComposer } from '../composer.ts';
import { type Context, channelById, personOf } from '../context.ts';
import { FOLLOW_VACUUMS } from './commands.ts';

interface Chip {
  label: string;
  command: string;
  /** Whether the command is for those who manage the server, in it. */
  isForManagers?: boolean;
  /** Whether something is to be added to the command before it runs. */
  isBeginning?: boolean;
}

/** The questions that a newcomer can ask with one click. */
const CHIPS: readonly Chip[] = [
  { label: 'Browse Electronics', command: '/feed feed:Electronics' },
  {
    label: 'Follow vacuums under $60',
    command: FOLLOW_VACUUMS,
    isForManagers: true,
  },
  { label: 'Why wasn’t this posted?', command: '/why offer:', isForManagers: true, isBeginning: true },
  { label: 'Last 7 days', command: '/subscription preview id:electronics', isForManagers: true },
  { label: 'Status', command: '/status' },
];

/** The starter chips above the composer of a demo. @param tour starts the tour; null where it can't be taken */
export function starterChips(context: Context, run: CommandComposer['run'], tour: (() => void) | null): TemplateResult {
  const channel = channelById(context, context.view.channelId);
  const manages = (personOf(context)?.canManage ?? false) && channel?.type !== CHANNEL.direct;
  return html`<div class="demo-chips" role="group" aria-label="Things to try">
    ${tour ? html`<button class="demo-chip" @click=${tour}>Take the tour</button>` : nothing}
    ${CHIPS.filter(({ isForManagers = false }) => manages || !isForManagers).map(
      (chip) => html`<button class="demo-chip" @click=${() => use(chip, run)}>${chip.label}</button>`,
    )}
  </div>`;
}

function use({ command, isBeginning = false }: Chip, run: CommandComposer['run']): void {
  if (isBeginning) write(command);
  // The composer says what is wrong with a command that it can't run.
  else run(command, []).catch(() => write(command));
}

function write(text: string): void {
  const composer = document.querySelector('command-composer');
  if (composer instanceof CommandComposer) composer.begin(text);
}
