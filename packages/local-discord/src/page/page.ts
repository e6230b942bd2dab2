import './theme.ts';
import './select-menu.ts';
import './modal.ts';
import { html, render } from 'lit';
import { isNotice } from '../server/numbers.ts';
import type { GivenFile, PageMessage, Started } from '../server/page-api.ts';
import { pathOf, placeAt } from './address.ts';
import {
  act,
  follow,
  ProblemError,
  runCommand,
  runMessageCommand,
  runUserCommand,
  submitModal,
  useComponent,
} from './api.ts';
import { applyAppearance } from './appearance.ts';
import { CommandComposer } from './composer.ts';
import type { Actions } from './context.ts';
import { ContextMenu } from './context-menu.ts';
import { shownTimeMs } from './demo/time.ts';
import { typeAnywhere } from './keyboard.ts';
import { drawPage, titleOf } from './layout.ts';
import { PictureLightbox } from './lightbox.ts';
import { localeOf } from './localized.ts';
import { renewTimes } from './markdown/render.ts';
import { writeTimesIn } from './markdown/time.ts';
import { noticeText } from './notices.ts';
import { recall, remember } from './remembered.ts';
import { keepAtEnd } from './scroll.ts';
import {
  type Action,
  emptyView,
  isVisible,
  reduce,
  type StartedInteraction,
  TYPING_MS,
  visibleMessages,
} from './state.ts';
import { announcementOf } from './summary.ts';

/** Interval at which the relative times on the page are redrawn, in milliseconds. */
const REDRAW_MS = 10_000;
/** The demo's time has been set where it moves by more than this at once: milliseconds. */
const SAME_TIME_MS = 1_000;

/** The page waits so long for its emoji, since Chromium leaves buttons as they are that it has drawn without: milliseconds. */
const EMOJI_WITHIN_MS = 1_000;

const root = document.querySelector<HTMLElement>('#page') ?? document.body;
const announcer = document.querySelector<HTMLElement>('#announcer');
let view = startView();
/** Whether the next drawing puts the focus where reading or typing goes on. */
let focusWanted = true;
let drawing = false;
let spoken = '';

/** The time that the page shows: that of the demo, where there is one. */
const nowMs = () => shownTimeMs(view.server?.demo, Date.now());

function dispatch(action: Action): void {
  const before = view;
  const wasMs = nowMs();
  view = reduce(view, action);
  if (view === before) return;
  // A lever of the clock has been pulled, here or on another page; or the demo's minutes pass in seconds.
  const isFast = (view.server?.demo?.time.speed ?? 1) > 1;
  if (isFast || Math.abs(nowMs() - wasMs) > SAME_TIME_MS) renewTimes(root, nowMs());
  draw();
}

/** Draws at most once per frame, however many updates came. */
function draw(): void {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    if (view.server) speakAs(localeOf({ server: view.server, view }));
    render(drawPage(view, nowMs(), actions, runText), root);
    document.title = titleOf(view);
    end.follow();
    if (!view.server) return;
    settleAddress();
    settleFocus();
  });
}

/** Writes times in the language of the chosen person. */
function speakAs(locale: string): void {
  if (locale === spoken) return;
  spoken = locale;
  writeTimesIn(locale);
  renewTimes(root, nowMs());
}

/** The page begins with the place in its address, else the last one; and with the last person. */
function startView(): typeof emptyView {
  const { channelId = recall('channel') ?? '', messageId = null } = placeAt(location.pathname) ?? {};
  return { ...emptyView, channelId, linkedId: messageId, personId: recall('person') ?? '' };
}

/** Keeps the address and the browser's memory as the page is: a channel may be deleted, a person may lose theirs. */
function settleAddress(): void {
  const { server, channelId, linkedId, personId } = view;
  if (!server || channelId === '') return;
  const path = pathOf(server.guild.id, { channelId, messageId: linkedId });
  if (path !== location.pathname) history.replaceState(null, '', path);
  remember('channel', channelId);
  remember('person', personId);
}

function settleFocus(): void {
  if (!focusWanted) return;
  focusWanted = false;
  const linked = view.linkedId === null ? null : document.querySelector(`#message-${view.linkedId}`);
  // The element that holds the messages shows them only a moment after it was made.
  if (linked instanceof HTMLElement) requestAnimationFrame(() => end.show(linked));
  // On a touch screen the focus would open the keyboard over half of the page.
  else if (!matchMedia('(pointer: coarse)').matches) focusComposer();
}

function composer(): CommandComposer | null {
  const found = root.querySelector('command-composer');
  return found instanceof CommandComposer ? found : null;
}

function focusComposer(): void {
  const found = composer();
  found?.updateComplete.then(() => found.field?.focus()).catch(() => undefined);
}

function openPlace(channelId: string, messageId: string | null): void {
  focusWanted = true;
  dispatch({ type: 'channel-opened', channelId, messageId });
}

const end = keepAtEnd(
  root,
  () => dispatch({ type: 'caught-up' }),
  () => {
    if (visibleMessages(view).length > view.limit) actions.showEarlier();
  },
);

async function start(
  origin: StartedInteraction['origin'],
  channelId: string,
  send: () => Promise<Started>,
): Promise<string> {
  const { personId } = view;
  const { interactionId } = await send();
  dispatch({
    type: 'started',
    interaction: { id: interactionId, personId, channelId, startedMs: nowMs(), origin },
  });
  return interactionId;
}

async function runText(text: string, files: GivenFile[]): Promise<string> {
  const { personId, channelId } = view;
  const id = await start({ type: 'command', text }, channelId, () => runCommand({ personId, channelId, text, files }));
  end.jump();
  return id;
}

/** Runs a command that was chosen from the menu of a message or a person. */
function runChosen(name: string, send: () => Promise<Started>): void {
  start({ type: 'command', text: name }, view.channelId, send).then(
    () => end.jump(),
    (error: unknown) => {
      dispatch({ type: 'notice', text: problemOf(error) });
    },
  );
}

const actions: Actions = {
  openChannel(channelId, messageId = null) {
    if (view.server) history.pushState(null, '', pathOf(view.server.guild.id, { channelId, messageId }));
    openPlace(channelId, messageId);
    closeDrawer();
  },
  choosePerson: (personId) => dispatch({ type: 'person-chosen', personId }),
  startCommand(name) {
    composer()?.begin(`/${name} `);
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
    runChosen(name, () => runMessageCommand({ personId, channelId, messageId: message.id, name }));
  },
  runOnUser(userId, name) {
    const { personId, channelId } = view;
    runChosen(name, () => runUserCommand({ personId, channelId, userId, name }));
  },
  dismiss: (id) => dispatch({ type: 'dismissed', id }),
  openMenu(point, label, items) {
    const menu = root.querySelector('context-menu');
    if (menu instanceof ContextMenu) void menu.open(point, label, items);
  },
  showPictures(pictures, index) {
    const lightbox = root.querySelector('picture-lightbox');
    if (lightbox instanceof PictureLightbox) void lightbox.open(pictures, index);
  },
  copy(text) {
    copyText(text).catch(() => dispatch({ type: 'notice', text: 'The browser does not let this page copy.' }));
  },
  focusComposer,
  markRead: (channelId) => dispatch({ type: 'marked-read', channelId }),
  showEarlier() {
    end.hold();
    dispatch({ type: 'earlier-wanted' });
  },
  openPanel: (panel) => dispatch({ type: 'panel-opened', panel }),
  act(action) {
    act({ ...action, personId: view.personId }).catch((error: unknown) => {
      dispatch({ type: 'notice', text: problemOf(error) });
    });
  },
  jumpToNewest: () => end.jump(),
  closeNotice: () => dispatch({ type: 'notice', text: '' }),
  async submitModal({ interactionId, personId, modal, channelId }, values) {
    const { interactionId: id } = await submitModal({ personId, channelId, customId: modal.custom_id, values });
    const origin = { type: 'command', text: modal.title } as const;
    dispatch({ type: 'started', interaction: { id, personId, channelId, startedMs: nowMs(), origin } });
    dispatch({ type: 'modal-closed', interactionId });
  },
  closeModal: (interactionId) => dispatch({ type: 'modal-closed', interactionId }),
};

function problemOf(error: unknown): string {
  return error instanceof ProblemError ? error.message : 'That did not work. Try again.';
}

async function copyText(text: string): Promise<void> {
  // Only pages of this machine or of https may write to the clipboard.
  await navigator.clipboard.writeText(text);
}

function closeDrawer(): void {
  const drawer = document.querySelector<HTMLElement>('#drawer');
  if (drawer?.matches(':popover-open')) drawer.hidePopover();
}

function announce(message: PageMessage): void {
  if (!announcer || !view.server || !isVisible(message, view)) return;
  const line = document.createElement('p');
  const { server } = view;
  line.textContent = isNotice(message)
    ? noticeText(message, { server, view })
    : announcementOf(message, server, nowMs());
  announcer.append(line);
  while (announcer.childElementCount > 5) announcer.firstElementChild?.remove();
}

/** Resolves when emoji can be drawn; also where they can't, or take long. */
async function emojiThere(): Promise<void> {
  const loaded = document.fonts.load('16px "Noto Color Emoji"', '🔔').catch(() => undefined);
  await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, EMOJI_WITHIN_MS))]);
}

applyAppearance();
render(html`<p class="loading">Connecting…</p>`, root);
await emojiThere();
follow({
  onState: (server) => dispatch({ type: 'loaded', server }),
  onUpdate(update) {
    const isNew =
      update.type === 'message' &&
      !view.server?.messages[update.message.channel_id]?.some(({ id }) => id === update.message.id);
    dispatch({ type: 'updated', update, reading: end.reading });
    if (isNew) announce(update.message);
    if (update.type === 'typing') {
      dispatch({ ...update, type: 'typed', atMs: nowMs() });
      setTimeout(draw, TYPING_MS);
    }
  },
  onLost: () => dispatch({ type: 'connection', connection: 'reconnecting' }),
});

typeAnywhere(() => composer()?.field ?? null);
addEventListener('popstate', () => {
  const place = placeAt(location.pathname);
  if (place) openPlace(place.channelId, place.messageId);
});
setInterval(() => {
  renewTimes(root, nowMs());
  draw();
}, REDRAW_MS);
