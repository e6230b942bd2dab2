import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DemoAction, DemoState } from '../../server/demo-api.ts';
import { ProblemError, performDemoAction } from '../api.ts';
import { type Context, displayName, personOf } from '../context.ts';
import { icons } from '../icons.ts';
import { counters } from './counters.ts';
import { FollowedCard } from './followed-card.ts';
import { LANGUAGES } from './languages.ts';
import {
  faultLevers,
  type Lever,
  offerLevers,
  type Part,
  permissionLevers,
  quotaLevers,
  recoveryLevers,
  timeLevers,
} from './levers.ts';
import { pulse } from './pulse.ts';
import { quiet } from './quiet.ts';
import { formatNumber } from './score.ts';
import { storyOf } from './story.ts';
import { clockText, shownTimeMs, spanText } from './time.ts';
import { timeline } from './timeline.ts';

/**
 * The panel *Try it* of a demo: beside the members, and a drawer on a narrow window. Each lever has a line that says what
 * it does.
 */
export class DemoPanel extends LitElement {
  static override properties = {
    context: { attribute: false },
    problem: { state: true },
    changed: { state: true },
  };

  declare context: Context;
  /** Why the last lever did nothing; '' where it did. */
  declare problem: string;
  /** The card that the last lever has changed, and the part that the lever stands in; null before there is one. */
  declare changed: { part: Part; channelId: string; messageId: string } | null;
  #followed: { part: Part; channelId: string; card: FollowedCard } | null = null;

  constructor() {
    super();
    this.problem = '';
    this.changed = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(changes: PropertyValues<this>): void {
    if (!changes.has('context') || !this.#followed) return;
    const { card, part, channelId } = this.#followed;
    const messageId = card.changed(this.context.server.messages);
    if (messageId === null && !card.isOver(Date.now())) return;
    this.#followed = null;
    if (messageId === null) return;
    this.changed = { part, channelId, messageId };
    // A new message is drawn in the next frame.
    requestAnimationFrame(() => pulse(messageId));
  }

  #do(part: Part, action: DemoAction): void {
    // The change may arrive before the answer.
    const { messages } = this.context.server;
    performDemoAction(action).then(
      ({ shown }) => {
        this.problem = '';
        this.changed = null;
        const card = shown && new FollowedCard(shown, messages, Date.now());
        this.#followed = card && { part, channelId: shown.channelId, card };
        if (shown?.messageId) pulse(shown.messageId);
      },
      (error: unknown) => {
        this.problem = error instanceof ProblemError ? error.message : 'That did not work. Try again.';
      },
    );
  }

  protected override render(): unknown {
    const { demo } = this.context.server;
    if (!demo) return nothing;
    return html`<aside class="demo-panel" id="demo-panel" popover="auto" aria-label="Try it">
      <header class="demo-head">
        <h2>Try it</h2>
        <button class="icon-button demo-close" popovertarget="demo-panel" aria-label="Close">${icons.close}</button>
      </header>
      ${counters(demo)} ${quiet(demo)}
      ${this.problem === '' ? nothing : html`<p class="demo-problem" role="alert">${this.problem}</p>`}
      ${this.#offer(demo)} ${this.#faults(demo)} ${this.#time(demo)} ${this.#quota(demo)} ${this.#permissions(demo)}
      ${this.#people(demo)}
    </aside>`;
  }

  #levers(part: Part, all: readonly Lever[]): unknown {
    if (all.length === 0) return nothing;
    return html`<div class="demo-levers">
      ${all.map(({ action, ...shown }) =>
        lever({ ...shown, isDisabled: action === null }, () => action && this.#do(part, action)),
      )}
    </div>`;
  }

  /** The way to the card that a lever of the part has changed. */
  #changedCard(part: Part): unknown {
    if (this.changed?.part !== part) return nothing;
    const { channelId, messageId } = this.changed;
    return html`<p class="demo-note">${this.#link('See the post that it concerned', channelId, messageId)}</p>`;
  }

  #link(text: string, channelId: string, messageId: string | null): TemplateResult {
    const open = () => {
      this.context.actions.openChannel(channelId, messageId);
      closeDrawer();
      if (messageId !== null) requestAnimationFrame(() => pulse(messageId));
    };
    return html`<button class="demo-link" @click=${open}>${text}</button>`;
  }

  #offer(demo: DemoState): TemplateResult {
    const { offer } = demo;
    return section(
      'The newest offer',
      'Change it in the store, and watch its post follow within seconds. Whether it’s gone or back, the bot checks twice.',
      html`<p class="demo-offer">
          ${
            offer
              ? html`${this.#link(offer.title, offer.channelId, offer.messageId)}
                  <span class="demo-state">${offer.state}</span>`
              : 'The first one is on its way.'
          }
        </p>
        ${this.#levers('offer', offerLevers(demo))} ${storyOf(demo, 'offer')} ${this.#changedCard('offer')}`,
    );
  }

  #faults(demo: DemoState): TemplateResult {
    return section(
      'Break something',
      'Nothing gets lost or posted twice. Everything recovers by itself after some seconds.',
      html`${this.#levers('faults', faultLevers(demo))}
        <p class="demo-note" role="status">${faultStatus(demo)}</p>
        ${storyOf(demo, 'faults')} ${this.#levers('faults', recoveryLevers(demo))} ${this.#changedCard('faults')}`,
    );
  }

  #time(demo: DemoState): TemplateResult {
    return section(
      'Time',
      'The store, the bot and Discord share this clock. From 22:00 to 7:00, #events shows the boards of Deal-offs alone.',
      html`<p class="demo-clock">${clockText(shownTimeMs(demo, Date.now()))}</p>
        ${this.#levers('time', timeLevers(demo))} ${this.#changedCard('time')}`,
    );
  }

  #quota(demo: DemoState): TemplateResult {
    const { plan } = demo;
    const nowMs = shownTimeMs(demo, Date.now());
    return section(
      'Quota',
      'A live catalog allows 1,000 requests a day. The bot plans its polls so that they last.',
      html`${this.#levers('quota', quotaLevers(demo))}
        ${
          plan === null
            ? html`<p class="demo-note">The plan comes with the bot.</p>`
            : html`${plan.interfaces.map(
                ({ name, limit, spent }) => html`<p class="demo-note">
                  ${name === 'portal' ? 'Feeds' : 'Events and videos'}:
                  ${formatNumber(spent)}${limit === null ? '' : ` of ${formatNumber(limit)}`} spent today
                  ${limit === null ? nothing : html`<progress max=${limit} value=${Math.min(spent, limit)} aria-label="Spent today"></progress>`}
                </p>`,
              )}
              ${timeline(plan, nowMs)}`
        }`,
    );
  }

  #permissions(demo: DemoState): TemplateResult {
    const { permissions, places } = demo;
    const link = (text: string, id: string | null) => (id === null ? text : this.#link(text, id, null));
    return section(
      'Permissions',
      'The bot notices, says so, and goes on when it may again.',
      html`<p class="demo-note">
          In ${link('#deals', places.deals)}, ${link('#forum', places.forum)}, ${link('the thread', places.thread)} and
          ${permissions.isDeleted ? '#events' : link('#events', places.events)}:
        </p>
        ${this.#levers('permissions', permissionLevers(demo))} ${this.#changedCard('permissions')}`,
    );
  }

  #people({ locales }: DemoState): TemplateResult {
    const person = personOf(this.context);
    const personId = person?.user.id ?? '';
    const name = person ? displayName(person.user) : '';
    const choice = (label: string, chosen: string, action: (locale: string) => DemoAction) =>
      html`<label class="demo-choice">
        ${label}
        <select @change=${(event: Event) => this.#do('people', action((event.target as HTMLSelectElement).value))}>
          ${LANGUAGES.map(([locale, text]) => html`<option value=${locale} ?selected=${locale === chosen}>${text}</option>`)}
        </select>
      </label>`;
    return section(
      'People and languages',
      'Posts are in the server’s language, answers in the reader’s. Cleo has the role that #events pings.',
      html`${choice('Server', locales.server, (locale) => ({ do: 'server-locale', locale }))}
        ${choice(name, locales.people[personId] ?? locales.server, (locale) => ({
          do: 'person-locale',
          personId,
          locale,
        }))}
        <div class="demo-levers">
          ${lever({ label: `Message the bot as ${name}`, line: 'Opens their direct messages.' }, () =>
            this.#openDirect(personId),
          )}
          ${this.context.server.people.map(({ user, canManage }) =>
            lever(
              {
                label: `Be ${displayName(user)}`,
                line: canManage ? 'Manages the server.' : 'Asks, and sets up nothing.',
                isOn: user.id === personId,
              },
              () => this.context.actions.choosePerson(user.id),
            ),
          )}
        </div>
        ${this.#changedCard('people')}`,
    );
  }

  #openDirect(personId: string): void {
    performDemoAction({ do: 'direct-message', personId }).then(
      ({ shown }) => {
        if (shown) this.context.actions.openChannel(shown.channelId);
        closeDrawer();
      },
      () => undefined,
    );
  }
}

customElements.define('demo-panel', DemoPanel);

/** The sentence at the top of a demo, and the way to the panel on a narrow window. */
export function demoNotice({ server }: Context): unknown {
  if (!server.demo) return nothing;
  return html`<header class="demo-top">
    <p>This is a simulation on this machine: the store, Discord and its people aren’t real, the bot is.</p>
    <button class="demo-open" popovertarget="demo-panel">Try it</button>
  </header>`;
}

/** A lever: a button that is named by its label and described by its line, and takes up both. */
function lever(
  { label, line, isOn, isDisabled = false }: Omit<Lever, 'action'> & { isDisabled?: boolean },
  pull: () => void,
): TemplateResult {
  const id = `lever-${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  return html`<div class="demo-lever">
    <button
      aria-describedby=${id}
      aria-pressed=${isOn === undefined ? nothing : isOn ? 'true' : 'false'}
      ?disabled=${isDisabled}
      @click=${pull}
    >
      ${label}
    </button>
    <span class="demo-lever-line" id=${id}>${line}</span>
  </div>`;
}

function section(title: string, line: string, content: TemplateResult): TemplateResult {
  return html`<section class="demo-section">
    <h3>${title}</h3>
    <p class="demo-line-of-text">${line}</p>
    ${content}
  </section>`;
}

/** How the bot's process is, and what is broken for how much longer. */
function faultStatus({ bot, faults }: DemoState): string {
  const nowMs = Date.now();
  const status =
    bot.state === 'killed'
      ? `Killed. It starts again in ${spanText((bot.restartsAtMs ?? nowMs) - nowMs)}.`
      : bot.state === 'starting'
        ? 'Starting.'
        : 'Running.';
  const broken = (what: string, untilMs: number | null) =>
    untilMs === null ? [] : [`${what} for ${spanText(untilMs - nowMs)} more.`];
  return [
    `Bot process: ${status}`,
    ...(bot.kills > 0 ? [`Killed ${times(bot.kills)}.`] : []),
    ...broken('Discord is away', faults.discord),
    ...broken('The catalog is away', faults.catalog),
    ...broken('Every third request fails', faults.requests),
  ].join(' ');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${formatNumber(count)} times`;
}

function closeDrawer(): void {
  const panel = document.querySelector<HTMLElement>('#demo-panel');
  if (panel?.matches(':popover-open')) panel.hidePopover();
}
