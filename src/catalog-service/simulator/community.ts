import { createRandom } from '../random.ts';
import { type Dealcast, type Monkeychat, type Poll, SITE_PREFIXES } from '../v2/schemas.ts';
import { zuluTime } from './calendar.ts';
import { CATEGORIES } from './categories.ts';
import type { Pace } from './pace.ts';
import { forumUrl, pictureUrl, SITE_DOMAIN, siteOf } from './places.ts';

/** This many of the newest of each kind are shown. */
const DEALCASTS = 6;
const POLLS = 5;
const MONKEYCHATS = 4;

interface Issue {
  key: string;
  id: string;
  site: string;
  startMs: number;
}

/** The newest `count` issues of a series with one issue in every `length` spans, newest first. */
function newest(what: string, count: number, length: number, nowMs: number, seed: string, pace: Pace): Issue[] {
  const last = Math.floor(pace.spanOf(nowMs) / length);
  return Array.from({ length: count }, (_, back) => {
    const key = `${seed}/${what}/${last - back}`;
    const random = createRandom(key);
    return {
      key,
      id: random.uuid(),
      site: siteOf(random.pick(SITE_PREFIXES)),
      startMs: pace.spanStartMs((last - back) * length),
    };
  });
}

/** Specification: "v2: Dealcast". */
export function dealcastsAt(nowMs: number, seed: string, pace: Pace, origin: string): Dealcast[] {
  return newest('dealcast', DEALCASTS, pace.dealcast, nowMs, seed, pace).map(({ key, id, site, startMs }) => {
    const random = createRandom(key, 'dealcast');
    const kind = random.pick(random.pick(CATEGORIES).kinds);
    const thing = kind.noun.toLowerCase();
    const title = random.pick([
      `We test the ${thing}`,
      `Unboxing: ${thing}`,
      `Does the ${thing} float?`,
      `Five minutes with a ${thing}`,
      `The ${thing} goes camping`,
      `A song about the ${thing}`,
    ]);
    const views = Math.floor(((nowMs - startMs) / pace.lingerMs) * random.int(20, 400));
    return {
      Title: title,
      Site: site,
      StartDate: zuluTime(startMs),
      Teaser: `<p>What happens when two people and one ${thing} meet a camera? ${random.pick(['Not much, at first.', 'Well: this.', 'Watch &amp; find out.'])}</p>`,
      Text: random.chance(0.4) ? '' : `<p>&nbsp;</p><p>Thanks to everyone who sent in their ${thing}.</p>`,
      BlogUrl: `https://${site}/blog/post/${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${id.slice(0, 4)}`,
      DiscussionUrl: forumUrl(id),
      Mp4Url: `https://video.${SITE_DOMAIN}/${id}.mp4`,
      YouTubeUrl: `https://video.${SITE_DOMAIN}/watch?v=${id.slice(0, 8)}`,
      Thumbnail: {
        Url: pictureUrl(origin, `${kind.icon}-${random.int(0, 35) * 10}`),
        Width: 176,
        Height: 99,
        Tags: [],
      },
      Views: views > 0 ? views : null,
    };
  });
}

const QUESTIONS = [
  { text: 'Where do you keep the boxes?', answers: ['In the attic', 'In other boxes', 'What boxes?', 'I live in one'] },
  { text: 'How many mugs are enough?', answers: ['One', 'Four', 'One more than now', 'There is no such number'] },
  { text: 'When do you read the manual?', answers: ['First', 'Never', 'When it smokes', 'There was a manual?'] },
  { text: 'What is the best snack at midnight?', answers: ['Cereal', 'Cold pizza', 'Cheese, standing', 'Sleep'] },
] as const;

/** Specification: "v2: Poll, Question, Response". Votes come in while the poll is shown. */
export function pollsAt(nowMs: number, seed: string, pace: Pace): Poll[] {
  return newest('poll', POLLS, pace.poll, nowMs, seed, pace).map(({ key, id, site, startMs }) => {
    const random = createRandom(key, 'poll');
    const { text, answers } = random.pick(QUESTIONS);
    const age = (nowMs - startMs) / pace.lingerMs;
    return {
      DiscussionUrl: forumUrl(id),
      Site: site,
      Questions: [
        {
          Text: text,
          Responses: answers.map((answer) => ({ Text: answer, VoteCount: Math.floor(age * random.int(5, 300)) })),
        },
      ],
    };
  });
}

const CHATS = [
  ['Is it a lamp?', 'It is off.', 'So it could be anything.', 'It could be a lamp.'],
  ['I bought two.', 'Two what?', 'I did not look.', 'You never look.'],
  ['They say it is waterproof.', 'They say that about ducks.', 'Ducks are.', 'My point.'],
  ['The price went down again.', 'Did you not just buy it?', 'That is why it went down.'],
] as const;

/** The fields are the simulator's own, because the specification shows none. */
export function monkeychatsAt(nowMs: number, seed: string, pace: Pace): Monkeychat[] {
  return newest('monkeychat', MONKEYCHATS, pace.monkeychat, nowMs, seed, pace).map(({ key, id, site, startMs }) => {
    const lines = createRandom(key, 'chat').pick(CHATS);
    return {
      Title: lines[0],
      Site: site,
      StartDate: zuluTime(startMs),
      DiscussionUrl: forumUrl(id),
      Lines: lines.map((line, index) => ({ Character: index % 2 === 0 ? 'Pip' : 'Mortimer', Text: line })),
    };
  });
}
