// The scenes of the pictures in docs/, and the steps that bring local Discord's page to show them.

/** A window of this size shows the longest card at Discord's width, and no list of members. */
const DESKTOP = { width: 1000, height: 2000 };
const PHONE = { width: 390, height: 844 };

/** People talk here, and nothing is announced. */
const QUIET_CHANNEL = 'announcements';

/**
 * The text that is typed, a tab taking what is offered; the action then, which answers what the picture is of; and what that has
 * to say. Those without a command begin at a post of #deals.
 */
export const SCENES = {
  announcement: { shows: /New offer/ },
  feed: { type: '/feed feed:Electronics order:discount', shows: /Electronics.*offers · page 1/s },
  search: { type: '/search words:camra', shows: /Offers for “camra”/ },
  offer: { type: '/offer offer:camera\t', shows: /View deal/ },
  'offer-details': { next: fromMenu('Offer details'), shows: /View deal/ },
  'less-like-this': { next: fromMenu('Less like this'), shows: /Would have dropped/ },
  events: { type: '/events', shows: /Events/ },
  event: { type: '/event event:plus\t', shows: /Deal Plus/ },
  'events-list': { next: theEventsList, shows: /Deal Plus/ },
  board: { next: theBoard, shows: /On now.*sold out/s },
  polls: { type: '/polls', shows: /votes/ },
  subscription: {
    // Posts would move it while the picture is taken.
    type: '/subscription add feed feed:Home words:vacuum max-price:300 catch-up:0',
    shows: /Home feed will be posted in/,
  },
  pings: {
    type: '/pings make filter:"camera price:<80" name:"Cameras under $80" id:Electronics\t',
    next: thePanelOfPings,
    shows: /Choose your pings.*Cameras under \$80/s,
  },
  'subscription-list': { type: '/subscription list', shows: /Subscriptions/ },
  preview: { type: '/subscription preview id:Electronics\t', shows: /Last 7 days/ },
  look: { type: '/look server style:large', shows: /View deal/ },
  why: { type: '/why offer:camera\tElectronics\t', shows: /First seen/ },
  status: { type: '/status', shows: /Status/ },
  help: { type: '/help', shows: /What the bot can do/ },
  phone: { type: '/feed feed:Electronics', isPhone: true, shows: /Electronics/ },
  // Last, because from then on something is announced in the quiet channel.
  hub: {
    type: '/hub add channel:#announcements description:"The best of electronics, without refurbished" feed:Electronics filter:-refurb*',
    shows: /Servers can follow/,
  },
  follow: { type: '/follow', shows: /Deal channels to follow/ },
  'follow-hub': { type: '/follow', next: theOnlyHub, shows: /Announcements per day/ },
};

/** The size of the window that a scene is played in: CSS pixels. */
export function windowOf({ isPhone = false }) {
  return isPhone ? PHONE : DESKTOP;
}

/**
 * Opens the page of local Discord, does what the scene says, and gives the element that the picture is of. An answer to
 * another command, or one that doesn't say what the scene has to show, is an error that names the scene's text.
 */
export async function playScene(page, address, { type, next, shows, isPhone = false }) {
  await page.goto(address);
  // The page remembers the channel of the scene before.
  if (!isPhone) await openChannel(page, 'deals');
  const firstPost = messagesOf(page).filter({ hasText: 'New offer' }).first();
  await firstPost.waitFor();
  if (type === undefined) return checked((await next?.(firstPost, page)) ?? firstPost, shows);
  if (!isPhone) await openChannel(page, QUIET_CHANNEL);
  const answers = answersOf(page, /[a-z]+( [a-z]+(?= |$))*/.exec(type)[0]);
  const before = await answers.count();
  await typeCommand(page, type);
  const answer = await newestAnswer(answers, before);
  return checked((await next?.(answer, page)) ?? answer, shows);
}

/** What a card says in the bot's own words, whatever the catalog has: the labels of its buttons and menus, each once. */
export async function wordsOf(shown) {
  const labels = await shown
    .locator('[slot=components]')
    .locator('button, a[role=button], select')
    .evaluateAll((all) =>
      all.flatMap((one) => {
        const label = (one.getAttribute('aria-label') ?? one.textContent ?? '').trim();
        // The label of a picture is the catalog's title, that of a channel its server's.
        const isForeign = one.querySelector('img') || (one.matches('.mention') && !label.startsWith('/'));
        // How many pages there are, is up to the catalog, too.
        return isForeign || !/\p{L}/u.test(label) ? [] : [label.replaceAll(/\d+/g, '0')];
      }),
    );
  return [...new Set(labels)].toSorted((one, other) => one.localeCompare(other, 'en')).join(' | ');
}

async function checked(shown, expected) {
  const text = await shown.textContent();
  if (!expected.test(text)) throw new Error(`The answer doesn't show ${expected}, but:\n${text}`);
  return shown;
}

/** Makes the role that is proposed, and posts the panel of pings in the channel. */
async function thePanelOfPings(proposed, page) {
  await proposed.getByRole('button', { name: 'Make role' }).click();
  await messagesOf(page).filter({ hasText: 'is ready.' }).first().waitFor();
  const answers = answersOf(page, 'pings panel');
  const before = await answers.count();
  await typeCommand(page, '/pings panel');
  await newestAnswer(answers, before);
  const panel = messagesOf(page).filter({ has: page.getByRole('heading', { name: 'Choose your pings' }) });
  await panel.scrollIntoViewIfNeeded();
  return panel;
}

/** How long after the first posts the bot fills the server's Events list, at most, in milliseconds. */
const LISTED_WITHIN_MS = 90_000;

/** Opens the server's Events list, and gives the first entry in it. */
async function theEventsList(_, page) {
  const entry = page.locator('.events-entry');
  await entry.locator('.count').waitFor({ timeout: LISTED_WITHIN_MS });
  await entry.click();
  const first = page.getByRole('dialog').getByRole('listitem').first();
  await first.getByRole('img').or(first.locator('img')).first().waitFor();
  return first;
}

/** How long it may take until a Deal-off is on in which something has sold out, in milliseconds: the demo has one each five minutes. */
const BOARD_WITHIN_MS = 360_000;

/** Waits in #events for a live board. */
async function theBoard(_, page) {
  await openChannel(page, 'events');
  const board = messagesOf(page).filter({ hasText: 'On now' }).filter({ hasText: 'sold out' });
  await board.waitFor({ timeout: BOARD_WITHIN_MS });
  await board.scrollIntoViewIfNeeded();
  return board;
}

/** Opens the hub of a list of one. */
async function theOnlyHub(answer) {
  await answer.getByRole('button', { name: 'Choose a channel to follow' }).click();
  await answer.getByText('Announcements per day').waitFor();
  await answer.scrollIntoViewIfNeeded();
  return answer;
}

/** Chooses a command from the menu of the message. */
function fromMenu(command) {
  return async (message, page) => {
    const answers = answersOf(page, command);
    const before = await answers.count();
    await message.hover();
    await message.getByRole('button', { name: 'More for this message' }).click();
    await page.getByRole('menuitem', { name: command }).click();
    return newestAnswer(answers, before);
  };
}

async function typeCommand(page, text) {
  const field = page.locator('#command');
  const [first, ...rest] = text.split('\t');
  await field.fill(first);
  for (const part of rest) {
    // The bot makes the choices that are offered for a value.
    await page.locator('#suggestions [role=option]').first().waitFor();
    await field.press('Tab');
    await field.fill((await field.inputValue()) + part);
  }
  await field.press('Escape');
  await field.press('Enter');
}

/** Opens a channel, until the page shows its messages in place of the others. */
async function openChannel(page, name) {
  // Its name may be followed by what is unread in it.
  const button = page
    .getByRole('navigation', { name: 'Channels' })
    .getByRole('button', { name: new RegExp(`^${name}\\b`) });
  await button.click();
  await button.and(page.locator('[aria-current=page]')).waitFor();
}

function messagesOf(page) {
  return page.locator('discord-message');
}

/** The answers to a command, by the name that stands above them: other answers may come meanwhile. */
function answersOf(page, command) {
  return messagesOf(page).filter({
    has: page.locator('discord-command', { has: page.getByText(command, { exact: true }) }),
  });
}

/** The one that comes after the first `before`, once it is whole. */
async function newestAnswer(answers, before) {
  const answer = answers.nth(before);
  await answer.locator('[slot=components]').first().waitFor();
  await answer.scrollIntoViewIfNeeded();
  return answer;
}
