import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DemoAction, DemoResult, DemoState } from '../../server/demo-api.ts';
import { ProblemError, performDemoAction } from '../api.ts';
import { type Context, displayName, personOf } from '../context.ts';
import { icons } from '../icons.ts';
import { clockText, shownTimeMs, spanText } from './time.ts';
import { timeline } from './timeline.ts';

const LOCALES = [
  ['en-US', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
  ['es-ES', 'Español'],
] as const;

/** For how long a card that a lever changes is followed, so that it pulses when the change arrives: milliseconds. */
const FOLLOWED_MS = 30_000;

/**
 * The panel *Try it* of a demo: beside the members, and a drawer on a narrow window. Each lever has a line that says what
 * it does.
 */
export class DemoPanel extends LitElement {
  static override properties = {
    context: { attribute: false },
    problem: { state: true },
    result: { state: true },
  };

  declare context: Context;
  /** Why the last lever did nothing; '' where it did. */
  declare problem: string;
  /** The message or channel that the last lever changed. */
  declare result: DemoResult['shown'];
  /** The card that a lever changes, as it was then. */
  #followed: { messageId: string; editedAt: string | null; untilMs: number } | null = null;

  constructor() {
    super();
    this.problem = '';
    this.result = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override updated(changed: PropertyValues<this>): void {
    const followed = this.#followed;
    if (!changed.has('context') || !followed) return;
    if (Date.now() > followed.untilMs) this.#followed = null;
    else if (this.#editedAt(followed.messageId) !== followed.editedAt) {
      this.#followed = null;
      pulse(followed.messageId);
    }
  }

  #editedAt(messageId: string): string | null {
    const all = Object.values(this.context.server.messages).flat();
    return all.find(({ id }) => id === messageId)?.edited_timestamp ?? null;
  }

  #do(action: DemoAction): void {
    performDemoAction(action).then(
      ({ shown }) => {
        this.problem = '';
        this.result = shown;
        if (!shown?.messageId) return;
        const { messageId } = shown;
        this.#followed = { messageId, editedAt: this.#editedAt(messageId), untilMs: Date.now() + FOLLOWED_MS };
        pulse(messageId);
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
      ${counters(demo)}
      ${this.problem === '' ? nothing : html`<p class="demo-problem" role="alert">${this.problem}</p>`}
      ${this.#offer(demo)} ${this.#faults(demo)} ${this.#time(demo)} ${this.#quota(demo)} ${this.#permissions(demo)}
      ${this.#people(demo)}
    </aside>`;
  }

  #lever(label: string, action: DemoAction | null, isOn = false): TemplateResult {
    return html`<button
      class="demo-lever"
      ?data-on=${isOn}
      ?disabled=${action === null}
      @click=${() => action && this.#do(action)}
    >
      ${label}
    </button>`;
  }

  #link(text: string, channelId: string, messageId: string | null): TemplateResult {
    const open = () => {
      this.context.actions.openChannel(channelId, messageId);
      closeDrawer();
      if (messageId !== null) requestAnimationFrame(() => pulse(messageId));
    };
    return html`<button class="demo-link" @click=${open}>${text}</button>`;
  }

  #offer({ offer }: DemoState): TemplateResult {
    const change = (how: Extract<DemoAction, { do: 'offer' }>['change']): DemoAction | null =>
      offer && { do: 'offer', messageId: offer.messageId, change: how };
    const isLive = offer?.state === 'live';
    return section(
      'The newest offer',
      'Change it in the store, and watch its post follow within seconds.',
      html`<p class="demo-offer">
          ${
            offer
              ? html`${this.#link(offer.title, offer.channelId, offer.messageId)}
                  <span class="demo-state">${offer.state}</span>`
              : 'The first one is on its way.'
          }
        </p>
        <div class="demo-row">
          ${this.#lever('Sell out', isLive ? change('sell-out') : null)}
          ${this.#lever('Drop the price', isLive ? change('drop-price') : null)}
          ${this.#lever('End', isLive ? change('end') : null)}
          ${this.#lever('Bring back', offer && !isLive ? change('bring-back') : null)}
        </div>`,
    );
  }

  #faults({ bot, faults }: DemoState): TemplateResult {
    const nowMs = Date.now();
    const left = (untilMs: number | null) => (untilMs === null ? null : `for ${spanText(untilMs - nowMs)} more`);
    const status =
      bot.state === 'killed'
        ? `Killed. It starts again in ${spanText((bot.restartsAtMs ?? nowMs) - nowMs)}.`
        : bot.state === 'starting'
          ? 'Starting.'
          : 'Running.';
    const broken = [
      faults.discord !== null && `Discord is away ${left(faults.discord)}.`,
      faults.catalog !== null && `The catalog is away ${left(faults.catalog)}.`,
      faults.requests !== null && `Every third request fails ${left(faults.requests)}.`,
    ].filter((line) => line !== false);
    return section(
      'Break something',
      'Nothing gets lost or posted twice. Everything recovers by itself after some seconds.',
      html`<div class="demo-row">
          ${this.#lever('Kill the bot', bot.state === 'running' ? { do: 'kill' } : null)}
          ${this.#lever('Cut Discord off mid-post', { do: 'cut-discord' }, faults.discord !== null)}
          ${this.#lever('Cut the catalog off', { do: 'cut-catalog' }, faults.catalog !== null)}
          ${this.#lever('Fail every third request', { do: 'fail-requests' }, faults.requests !== null)}
        </div>
        <p class="demo-note" role="status">
          Bot process: ${status}${bot.kills > 0 ? ` Killed ${times(bot.kills)}.` : ''} ${broken.join(' ')}
        </p>
        ${broken.length > 0 || bot.state === 'killed' ? this.#lever('Recover now', { do: 'recover' }) : nothing}`,
    );
  }

  #time(demo: DemoState): TemplateResult {
    const { speed } = demo.time;
    return section(
      'Time',
      'The store, the bot and Discord share this clock. #events is quiet from 22:00 to 7:00.',
      html`<p class="demo-clock">${clockText(shownTimeMs(demo, Date.now()))}</p>
        <div class="demo-row">
          ${this.#lever('Pause', { do: 'time', to: 'pause' }, speed === 0)}
          ${this.#lever('Normal', { do: 'time', to: 'normal' }, speed === 1)}
          ${this.#lever('× 60', { do: 'time', to: 'fast' }, speed > 1)}
        </div>
        <div class="demo-row">
          ${this.#lever('To 22:00', { do: 'time', to: 'evening' })}
          ${this.#lever('To the morning', { do: 'time', to: 'morning' })}
          ${this.#lever('To midnight', { do: 'time', to: 'midnight' })}
        </div>
        <p class="demo-note">22:00: quiet hours hold posts. Morning: they come together. Midnight: the quota returns.</p>`,
    );
  }

  #quota(demo: DemoState): TemplateResult {
    const { plan } = demo;
    const nowMs = shownTimeMs(demo, Date.now());
    return section(
      'Quota',
      'A live catalog allows 1,000 requests a day. The bot plans its polls so that they last.',
      html`<div class="demo-row">
          ${this.#lever('1,000 a day', { do: 'quota', as: 'real' }, plan?.isReal === true)}
          ${this.#lever('No limit', { do: 'quota', as: 'unlimited' }, plan?.isReal === false)}
          ${this.#lever('Use it up', { do: 'quota', as: 'used-up' })}
        </div>
        ${
          plan === null
            ? html`<p class="demo-note">The plan comes with the bot.</p>`
            : html`${plan.interfaces.map(
                ({ name, limit, spent }) => html`<p class="demo-note">
                  ${name === 'portal' ? 'Feeds' : 'Events and videos'}: ${number(spent)} of ${number(limit)} spent today
                  <progress max=${limit} value=${Math.min(spent, limit)} aria-label="Spent today"></progress>
                </p>`,
              )}
              <p class="demo-note">Next polls:</p>
              ${timeline(plan, nowMs)}`
        }`,
    );
  }

  #permissions({ permissions, places }: DemoState): TemplateResult {
    const lever = (what: keyof DemoState['permissions'], take: string, give: string, isTaken: boolean) =>
      this.#lever(isTaken ? give : take, { do: 'permissions', change: what, is: !permissions[what] }, isTaken);
    const link = (text: string, id: string | null) => (id === null ? text : this.#link(text, id, null));
    return section(
      'Permissions',
      'The bot notices, tells who set it up, and goes on when it may.',
      html`<ul class="demo-permissions">
        <li>
          ${link('#deals', places.deals)}
          ${lever('canSend', 'Take Send Messages away', 'Give Send Messages back', !permissions.canSend)}
        </li>
        <li>
          ${link('#forum', places.forum)}
          ${lever('needsTag', 'Demand a tag', 'Demand no tag', permissions.needsTag)}
        </li>
        <li>
          ${link('the thread', places.thread)}
          ${lever('isLocked', 'Lock the thread', 'Unlock it', permissions.isLocked)}
        </li>
        <li>
          ${permissions.isDeleted ? '#events' : link('#events', places.events)}
          ${lever('isDeleted', 'Delete the channel', 'Give it back', permissions.isDeleted)}
        </li>
      </ul>`,
    );
  }

  #people({ locales }: DemoState): TemplateResult {
    const person = personOf(this.context);
    const personId = person?.user.id ?? '';
    const name = person ? displayName(person.user) : '';
    const choice = (label: string, chosen: string, action: (locale: string) => DemoAction) =>
      html`<label class="demo-choice">
        ${label}
        <select @change=${(event: Event) => this.#do(action((event.target as HTMLSelectElement).value))}>
          ${LOCALES.map(([locale, text]) => html`<option value=${locale} ?selected=${locale === chosen}>${text}</option>`)}
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
        <div class="demo-row">
          <button class="demo-lever" @click=${() => this.#openDirect(personId)}>Message the bot as ${name}</button>
          ${this.context.server.people.map(
            ({ user }) => html`<button
              class="demo-lever"
              ?data-on=${user.id === personId}
              @click=${() => this.context.actions.choosePerson(user.id)}
            >
              Be ${displayName(user)}
            </button>`,
          )}
        </div>`,
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

function section(title: string, line: string, content: TemplateResult): TemplateResult {
  return html`<section class="demo-section">
    <h3>${title}</h3>
    <p class="demo-line-of-text">${line}</p>
    ${content}
  </section>`;
}

function counters({
  counters: { owed, posted, waiting, twice, lost, edits, areSettingsChanged },
}: DemoState): TemplateResult {
  const counter = (name: string, value: number, isBad = false) =>
    html`<div ?data-bad=${isBad}><dt>${name}</dt><dd>${number(value)}</dd></div>`;
  return html`<dl class="demo-counters">
      ${counter('owed', owed)} ${counter('posted', posted)} ${counter('twice', twice, twice > 0)}
      ${counter('lost', lost, lost > 0)} ${counter('edits', edits)}
    </dl>
    <p class="demo-note">
      Counted from what the store served of Electronics and what stands in #deals, not from the bot’s
      records.${waiting > 0 ? ` ${number(waiting)} on the way.` : ''}${
        areSettingsChanged ? ' Somebody changed a subscription: what it filters out counts as lost.' : ''
      }
    </p>`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${number(count)} times`;
}

function closeDrawer(): void {
  const panel = document.querySelector<HTMLElement>('#demo-panel');
  if (panel?.matches(':popover-open')) panel.hidePopover();
}

/** Draws the eye to a message, where it is shown. */
function pulse(messageId: string): void {
  const element = document.querySelector(`#message-${messageId}`);
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  element?.animate(
    [
      { boxShadow: 'inset 4px 0 0 #5865f2', backgroundColor: '#5865f255' },
      { boxShadow: 'inset 4px 0 0 transparent', backgroundColor: 'transparent' },
    ],
    { duration: 900, iterations: 3, easing: 'ease-out' },
  );
}
