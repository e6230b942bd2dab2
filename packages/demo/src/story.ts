import { isAnnouncement, readPost } from '../../../test/model/reading.ts';
import type {
  DemoAction,
  DemoHappening,
  DemoState,
  DemoStory,
  PageMessage,
  PageUpdate,
} from '../../local-discord/src/index.ts';
import type { Outages } from './outages.ts';

/** A story that nothing has been added to for so long is over: milliseconds of real time. */
const LONGEST_PAUSE_MS = 90_000;

/** How the bot or its connection was broken. */
export type Breaking = Extract<DemoHappening, `killed-${string}` | 'cut-off-taken'>;

const OUTAGE_OF = { 'cut-discord': 'discord', 'cut-catalog': 'catalog', 'fail-requests': 'requests' } as const;

interface Told extends DemoStory {
  of: keyof typeof OUTAGE_OF | 'kill' | 'offer';
  /** The post of the offer that was changed; null for another lever. */
  messageId: string | null;
  beganAtMs: number;
  lastMs: number;
  isOver: boolean;
}

interface StoryParts {
  /** The channel whose posts are broken, and its messages. */
  channelId: string;
  messages: () => readonly PageMessage[];
  bot: () => DemoState['bot']['state'];
  outages: Pick<Outages, 'has'>;
  nowMs: () => number;
}

/** The news in a post; null where it tells of none or of several. */
function newsIn(message: PageMessage | undefined): { url: string; kind: string } | null {
  const { news } = message ? readPost(message) : { news: [] };
  return news.length === 1 ? (news[0] ?? null) : null;
}

/** Tells what came of the last lever that breaks something or changes the offer, as it is seen in Discord and of the process. */
export function createStory({ channelId, messages, bot, outages, nowMs }: StoryParts) {
  let story: Told | null = null;
  /** The news in the post that was broken: 'awaited' until Discord shows it; null where Discord has not taken it. */
  let broken: ReturnType<typeof newsIn> | 'awaited' = null;
  /** Whether the bot's process has ended since it was killed. */
  let hasEnded = false;

  function add(is: DemoHappening): void {
    if (!story || story.isOver) return;
    const atMs = nowMs();
    story.lines.push({ is, afterMs: atMs - story.beganAtMs });
    story.lastMs = atMs;
  }

  function end(is: DemoHappening): void {
    add(is);
    if (story) story.isOver = true;
  }

  const has = (is: DemoHappening) => story?.lines.some((line) => line.is === is) ?? false;
  const standing = ({ url, kind }: { url: string; kind: string }) =>
    messages().filter((one) => newsIn(one)?.url === url && newsIn(one)?.kind === kind).length;

  /** The post that was broken, or the first one after all is well again, which shows what came of it. */
  function posted(message: PageMessage): void {
    if (broken === 'awaited') broken = newsIn(message);
    else if (!has('runs-again') && !has('back')) return;
    else if (broken === null) end('went-on');
    else end(standing(broken) === 1 ? 'not-repeated' : 'repeated');
  }

  return {
    begin(action: DemoAction): void {
      if (action.do !== 'offer' && action.do !== 'kill' && !(action.do in OUTAGE_OF)) return;
      const messageId = action.do === 'offer' ? action.messageId : null;
      const beganAtMs = nowMs();
      const part = action.do === 'offer' ? 'offer' : 'faults';
      story = { of: action.do as Told['of'], part, messageId, lines: [], beganAtMs, lastMs: beganAtMs, isOver: false };
      broken = null;
      hasEnded = false;
      if (action.do === 'cut-catalog') add('catalog-away');
      if (action.do === 'fail-requests') add('requests-fail');
    },
    /** Takes that the bot was killed, or Discord cut off, and where in a post. */
    broke(is: Breaking): void {
      broken = is === 'killed-taken' || is === 'cut-off-taken' ? 'awaited' : null;
      add(is);
    },
    /** Looks what has changed about the process and the outages. */
    look(): void {
      if (!story || story.isOver) return;
      if (nowMs() - story.lastMs > LONGEST_PAUSE_MS) {
        story.isOver = true;
        return;
      }
      const wasKilled = story.lines.some((line) => line.is.startsWith('killed'));
      if (wasKilled && bot() !== 'running') hasEnded = true;
      if (hasEnded && bot() === 'running' && !has('runs-again')) add('runs-again');
      const outage = story.of in OUTAGE_OF ? OUTAGE_OF[story.of as keyof typeof OUTAGE_OF] : null;
      if (outage && story.lines.length > 0 && !outages.has(outage) && !has('back')) add('back');
    },
    update(update: PageUpdate): void {
      if (!story || story.isOver || update.type !== 'message' || !isAnnouncement(update.message)) return;
      const { id, edited_timestamp: editedAt, channel_id: channel } = update.message;
      if (story.of === 'offer') {
        if (id === story.messageId && editedAt !== null && !has('edited')) add('edited');
        const url = newsIn(update.message)?.url;
        const isOwn = url === newsIn(messages().find((one) => one.id === story?.messageId))?.url;
        if (id !== story.messageId && editedAt === null && url !== undefined && isOwn) end('news');
      } else if (channel === channelId && editedAt === null) posted(update.message);
    },
    /** null before the first. */
    told(): DemoStory | null {
      return story && { part: story.part, lines: [...story.lines] };
    },
  };
}

export type Story = ReturnType<typeof createStory>;
