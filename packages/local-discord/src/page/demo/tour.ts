import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { CHANNEL } from '../../server/numbers.ts';
import { ProblemError, performDemoAction } from '../api.ts';
import type { CommandComposer } from '../composer.ts';
import { type Context, channelById, personOf } from '../context.ts';
import { recall, remember } from '../remembered.ts';
import { starterChips } from './chips.ts';
import { FOLLOW_VACUUMS } from './commands.ts';
import { pulse } from './pulse.ts';
import { nextOf, type Question } from './question.ts';

/** A step of the tour: what it shows, and one thing to do. */
interface Step {
  title: string;
  text: string;
  label: string;
  /** The command to run, or another thing to do; null where it can't be done now. */
  does: string | (() => Promise<void>) | null;
  /** The tour says this once it is done, and the command is answered. */
  done: string;
}

function stepsOf({ server: { demo }, actions }: Context): Step[] {
  const offer = demo?.offer ?? null;
  return [
    {
      title: 'Follow a feed',
      text: 'A channel gets what it follows. The answer shows what will be posted here, and changes it.',
      label: 'Follow vacuums under $60',
      does: FOLLOW_VACUUMS,
      done: 'This channel follows them now.',
    },
    {
      title: 'A deal arrives',
      text: 'The store lists something new every twelve seconds. The bot finds it, and posts it once.',
      label: 'Show the newest deal',
      does: offer && (async () => show(offer, actions)),
      done: offer ? `This is ${offer.title}.` : '',
    },
    {
      title: 'The price drops, and the post follows',
      text: 'The offer becomes 20% cheaper in the store. Its post changes within seconds, and the drop gets a post of its own.',
      label: 'Drop its price',
      does:
        offer?.state === 'live'
          ? async () => {
              // At the click, not after the request: the focus goes to the post, and by then may be elsewhere.
              show(offer, actions);
              await performDemoAction({ do: 'offer', messageId: offer.messageId, change: 'drop-price' });
            }
          : null,
      done: 'The price is lower in the store. Watch the post.',
    },
    {
      title: 'Kill the bot',
      text: 'In the middle of a post, as a crash would. It starts again after 3 s. Nothing is lost, and nothing is posted twice.',
      label: 'Kill it',
      does:
        demo?.bot.state === 'running'
          ? async () => {
              await performDemoAction({ do: 'kill' });
            }
          : null,
      done: 'It will be killed in its next post, and goes on with that.',
    },
    {
      title: 'Why was this posted?',
      text: 'Ask of any offer why it was posted, or why it wasn’t.',
      label: 'Ask why',
      // The link names this offer alone: others may have its title.
      does: offer && `/why offer:${offer.url} subscription:electronics`,
      done: 'The answer tells each step, from the store to the post.',
    },
  ];
}

function show({ channelId, messageId }: { channelId: string; messageId: string }, actions: Context['actions']): void {
  actions.openChannel(channelId, messageId);
  requestAnimationFrame(() => pulse(messageId));
}

/** The step that is shown, whichever channel is open; null outside of the tour, undefined before it began by itself. */
let shownStep: number | null | undefined;

/** The things to try above the composer of a demo: chips, or the tour that one of them starts. */
export class DemoTour extends LitElement {
  static override properties = {
    context: { attribute: false },
    run: { attribute: false },
    step: { state: true },
    note: { state: true },
  };

  declare context: Context;
  declare run: CommandComposer['run'];
  declare step: number | null;
  /** The note tells what the person's last click has done, or why it has done nothing. */
  declare note: string;
  #movesFocus = false;
  /** The bot has not answered this yet; null where it owes no answer. */
  #question: Question | null = null;

  constructor() {
    super();
    this.step = shownStep ?? null;
    this.note = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('context')) return;
    this.#begin();
    this.#pursue();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('step') || !this.#movesFocus) return;
    this.#movesFocus = false;
    if (this.step === null) this.context.actions.focusComposer();
    else this.querySelector<HTMLElement>('.demo-tour')?.focus();
  }

  /** Begins the tour for somebody who opens the page for the first time. */
  #begin(): void {
    if (shownStep !== undefined || !canTour(this.context)) return;
    shownStep = recall('tour') === null ? 0 : null;
    this.step = shownStep;
  }

  #go(step: number | null): void {
    shownStep = step;
    if (step === null) remember('tour', 'seen');
    this.#movesFocus = true;
    this.note = '';
    this.#question = null;
    this.step = step;
  }

  async #do({ does, done }: Step): Promise<void> {
    if (typeof does === 'string') {
      this.#question = { command: does, done, interactionId: null, times: 0 };
      return this.#pursue();
    }
    try {
      await does?.();
      this.note = done;
    } catch (error) {
      this.note = problemOf(error);
    }
  }

  /** Asks the question once the bot runs, and again where the bot did not answer in time, as just after its start. */
  #pursue(): void {
    const question = this.#question;
    if (!question) return;
    switch (nextOf(question, this.context)) {
      case 'await-bot':
        this.note = 'The bot is starting. It gets the question as soon as it runs.';
        return;
      case 'await-answer':
        return;
      case 'ask':
        void this.#ask(question);
        return;
      case 'answered':
        this.#question = null;
        this.note = question.done;
        return;
      case 'give-up':
        this.#question = null;
        this.note = 'The bot did not answer. Try again.';
    }
  }

  async #ask(question: Question): Promise<void> {
    const { interactionId: unanswered } = question;
    this.note = unanswered === null ? '' : 'The bot was too busy to answer. It is asked again.';
    if (unanswered !== null) this.context.actions.dismiss(unanswered);
    // Until the id is known, this is under way.
    const asking = { ...question, interactionId: '', times: question.times + 1 };
    this.#question = asking;
    try {
      const interactionId = await this.run(question.command, []);
      if (this.#question !== asking) return;
      this.#question = { ...asking, interactionId };
      this.#pursue();
    } catch (error) {
      if (this.#question !== asking) return;
      this.#question = null;
      this.note = problemOf(error);
    }
  }

  protected override render(): unknown {
    const steps = stepsOf(this.context);
    const step = this.step === null ? undefined : steps[this.step];
    if (this.step !== null && step) return this.#drawStep(step, this.step, steps.length);
    return starterChips(this.context, this.run, canTour(this.context) ? () => this.#go(0) : null);
  }

  #drawStep(step: Step, index: number, count: number): TemplateResult {
    const isLast = index === count - 1;
    // One button at a time leads on.
    const isDone = step.does === null || this.note === step.done;
    return html`<section
      class="demo-tour"
      tabindex="-1"
      aria-label=${`Tour, step ${index + 1} of ${count}`}
      @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && this.#go(null)}
    >
      <p class="demo-tour-count">Step ${index + 1} of ${count}</p>
      <h2>${step.title}</h2>
      <p>${step.text}</p>
      <p class="demo-tour-note" role="status">${this.note}</p>
      <div class="demo-tour-buttons">
        <button
          class=${`button ${isDone ? 'secondary' : 'primary large'}`}
          ?disabled=${step.does === null}
          @click=${() => this.#do(step)}
        >
          ${step.label}
        </button>
        <button
          class=${`button ${isDone ? 'primary large' : 'secondary'}`}
          @click=${() => this.#go(isLast ? null : index + 1)}
        >
          ${isLast ? 'Finish' : 'Next'}
        </button>
        ${isLast ? nothing : html`<button class="button plain" @click=${() => this.#go(null)}>Skip the tour</button>`}
      </div>
    </section>`;
  }
}

function problemOf(error: unknown): string {
  return error instanceof ProblemError ? error.message : 'That did not work. Try again.';
}

/** Whether the person may do all of it here. */
function canTour(context: Context): boolean {
  const channel = channelById(context, context.view.channelId);
  return (personOf(context)?.canManage ?? false) && channel?.type !== CHANNEL.direct;
}

customElements.define('demo-tour', DemoTour);

/** The things to try; nothing outside of a demo and in forums, where nobody types commands. */
export function thingsToTry(context: Context, run: CommandComposer['run']): unknown {
  return context.server.demo ? html`<demo-tour .context=${context} .run=${run}></demo-tour>` : nothing;
}
