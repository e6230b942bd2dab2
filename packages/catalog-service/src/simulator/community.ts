import { createRandom } from '../random.ts';
import { type Dealcast, type Monkeychat, type Poll, SITE_PREFIXES } from '../v2/schemas.ts';
import { zuluTime } from './calendar.ts';
import { CATEGORIES } from './categories.ts';
import { inSentence, isPlural, withArticle } from './nouns.ts';
import type { Pace } from './pace.ts';
import { forumUrl, pictureUrl, SITE_DOMAIN, siteOf } from './places.ts';

/** This many of the newest of each kind are shown. */
const DEALCASTS = 6;
const POLLS = 5;
const MONKEYCHATS = 4;

interface Issue {
  key: string;
  /** Its place in the series. */
  number: number;
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
      number: last - back,
      id: random.uuid(),
      site: siteOf(random.pick(SITE_PREFIXES)),
      startMs: pace.spanStartMs((last - back) * length),
    };
  });
}

/** Goes through a list as a series goes on: issues that are shown together differ. */
function inTurn<const L extends readonly [unknown, ...unknown[]]>(list: L, number: number): L[number] {
  return list[number % list.length] ?? list[0];
}

/** Specification: "v2: Dealcast". */
export function dealcastsAt(nowMs: number, seed: string, pace: Pace, origin: string): Dealcast[] {
  return newest('dealcast', DEALCASTS, pace.dealcast, nowMs, seed, pace).map(({ key, id, site, startMs }) => {
    const random = createRandom(key, 'dealcast');
    const kind = random.pick(random.pick(CATEGORIES).kinds);
    const thing = inSentence(kind.noun);
    const many = isPlural(kind.noun);
    const title = random.pick([
      `We test the ${thing}`,
      `Unboxing: ${thing}`,
      `${many ? 'Do' : 'Does'} the ${thing} survive a move?`,
      `Five minutes with ${withArticle(kind.noun)}`,
      `The ${thing} ${many ? 'go' : 'goes'} camping`,
      `Three things to know about the ${thing}`,
    ]);
    const views = Math.floor(((nowMs - startMs) / pace.lingerMs) * random.int(20, 400));
    return {
      Title: title,
      Site: site,
      StartDate: zuluTime(startMs),
      Teaser: `<p>Two people, one camera and ${withArticle(kind.noun)}. ${random.pick(['Not much happens, at first.', 'It went better than planned.', 'Watch &amp; find out.'])}</p>`,
      Text: random.chance(0.4) ? '' : `<p>&nbsp;</p><p>Thanks to everyone who asked about the ${thing}.</p>`,
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
  { text: 'How do you carry the groceries?', answers: ['In one trip', 'In two trips', 'By bike', 'They come to me'] },
  { text: 'Which cable do you never find?', answers: ['USB-C', 'The printer’s', 'HDMI', 'All of them'] },
  { text: 'When is a shirt too old?', answers: ['Never', 'After ten years', 'When it has a hole', 'When it has two'] },
  { text: 'What runs at your home at night?', answers: ['The dishwasher', 'The robot', 'The cat', 'Nothing at all'] },
  { text: 'How loud is your keyboard?', answers: ['Silent', 'Polite', 'The neighbors know', 'I dictate'] },
  { text: 'What do you grill first?', answers: ['Burgers', 'Corn', 'Tofu', 'My fingers'] },
  { text: 'How many tabs are open?', answers: ['Fewer than 10', 'About 30', 'More than 100', 'I lost count'] },
] as const;

/** Specification: "v2: Poll, Question, Response". Votes come in while the poll is shown. */
export function pollsAt(nowMs: number, seed: string, pace: Pace): Poll[] {
  return newest('poll', POLLS, pace.poll, nowMs, seed, pace).map(({ key, number, id, site, startMs }) => {
    const random = createRandom(key, 'poll');
    const { text, answers } = inTurn(QUESTIONS, number);
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
  ['It says “some assembly”.', 'How much is some?', 'There is a map.'],
  ['Free returns!', 'For thirty days.', 'I will need all of them.'],
] as const;

/** The fields are the simulator's own, because the specification shows none. */
export function monkeychatsAt(nowMs: number, seed: string, pace: Pace): Monkeychat[] {
  return newest('monkeychat', MONKEYCHATS, pace.monkeychat, nowMs, seed, pace).map(({ number, id, site, startMs }) => {
    const lines = inTurn(CHATS, number);
    return {
      Title: lines[0],
      Site: site,
      StartDate: zuluTime(startMs),
      DiscussionUrl: forumUrl(id),
      Lines: lines.map((line, index) => ({ Character: index % 2 === 0 ? 'Pip' : 'Mortimer', Text: line })),
    };
  });
}
