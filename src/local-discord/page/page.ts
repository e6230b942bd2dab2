import './theme.ts';
import './select-menu.ts';
import './modal.ts';
import { html, render } from 'lit';
import type { GivenFile, PageMessage } from '../server/page-api.ts';
import { follow, ProblemError, runCommand, runMessageCommand, submitModal, useComponent } from './api.ts';
import { CommandComposer } from './composer.ts';
import type { Actions } from './context.ts';
import { drawPage, titleOf } from './layout.ts';
import { keepAtEnd } from './scroll.ts';
import { type Action, emptyView, isVisible, reduce, type StartedInteraction } from './state.ts';
import { announcementOf } from './summary.ts';

/** Interval at which the relative times on the page are redrawn, in milliseconds. */
const REDRAW_MS = 10_000;

const root = document.querySelector<HTMLElement>('#page') ?? document.body;
const announcer = document.querySelector<HTMLElement>('#announcer');
let view = emptyView;
let drawing = false;

function dispatch(action: Action): void {
  const before = view;
  view = reduce(view, action);
  if (view !== before) draw();
}

/** Draws at most once per frame, however many updates came. */
function draw(): void {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    render(drawPage(view, Date.now(), actions, runText), root);
    document.title = titleOf(view);
    end.follow();
  });
}

const end = keepAtEnd(root, () => dispatch({ type: 'caught-up' }));

async function start(
  origin: StartedInteraction['origin'],
  channelId: string,
  send: () => Promise<{ interactionId: string }>,
): Promise<void> {
  const { personId } = view;
  const { interactionId } = await send();
  dispatch({
    type: 'started',
    interaction: { id: interactionId, personId, channelId, startedMs: Date.now(), origin },
  });
}

async function runText(text: string, files: GivenFile[]): Promise<void> {
  const { personId, channelId } = view;
  await start({ type: 'command', text }, channelId, () => runCommand({ personId, channelId, text, files }));
  end.jump();
}

const actions: Actions = {
  openChannel(channelId) {
    dispatch({ type: 'channel-opened', channelId });
    closeDrawer();
  },
  choosePerson: (personId) => dispatch({ type: 'person-chosen', personId }),
  startCommand(name) {
    const composer = root.querySelector('command-composer');
    if (composer instanceof CommandComposer) composer.begin(`/${name} `);
  },
  use(message, customId, values) {
    const { personId } = view;
    const channelId = message.channel_id;
    const origin = { type: 'component', messageId: message.id, customId } as const;
    const body = { personId, channelId, messageId: message.id, customId, ...(values ? { values } : {}) };
    start(origin, channelId, () => useComponent(body)).catch((error: unknown) => {
      dispatch({ type: 'notice', text: problemOf(error) });
    });
  },
  runOn(message, name) {
    const { personId, channelId } = view;
    const body = { personId, channelId, messageId: message.id, name };
    start({ type: 'command', text: name }, channelId, () => runMessageCommand(body)).then(
      () => end.jump(),
      (error: unknown) => {
        dispatch({ type: 'notice', text: problemOf(error) });
      },
    );
  },
  dismiss: (id) => dispatch({ type: 'dismissed', id }),
  showEarlier() {
    end.hold();
    dispatch({ type: 'earlier-wanted' });
  },
  jumpToNewest: () => end.jump(),
  closeNotice: () => dispatch({ type: 'notice', text: '' }),
  async submitModal({ interactionId, personId, modal, channelId }, values) {
    const { interactionId: id } = await submitModal({ personId, channelId, customId: modal.custom_id, values });
    const origin = { type: 'command', text: modal.title } as const;
    dispatch({ type: 'started', interaction: { id, personId, channelId, startedMs: Date.now(), origin } });
    dispatch({ type: 'modal-closed', interactionId });
  },
  closeModal: (interactionId) => dispatch({ type: 'modal-closed', interactionId }),
};

function problemOf(error: unknown): string {
  return error instanceof ProblemError ? error.message : 'That did not work. Try again.';
}

function closeDrawer(): void {
  const drawer = document.querySelector<HTMLElement>('#drawer');
  if (drawer?.matches(':popover-open')) drawer.hidePopover();
}

function announce(message: PageMessage): void {
  if (!announcer || !view.server || !isVisible(message, view)) return;
  const line = document.createElement('p');
  line.textContent = announcementOf(message, view.server, Date.now());
  announcer.append(line);
  while (announcer.childElementCount > 5) announcer.firstElementChild?.remove();
}

follow({
  onState: (server) => dispatch({ type: 'loaded', server }),
  onUpdate(update) {
    const isNew =
      update.type === 'message' &&
      !view.server?.messages[update.message.channel_id]?.some(({ id }) => id === update.message.id);
    dispatch({ type: 'updated', update, reading: end.reading });
    if (isNew) announce(update.message);
  },
  onLost: () => dispatch({ type: 'connection', connection: 'reconnecting' }),
});

render(html`<p class="loading">Connecting…</p>`, root);
setInterval(draw, REDRAW_MS);
