import { type OfferDetailView, offerDetailCard } from '../src/discord/cards/offer-detail-card.ts';
import { translatorFor } from '../src/discord/i18n/translator.ts';
import { HOSTILE_TEXTS } from '../test/helpers/hostile-texts.ts';
import { anOfferDetail, NOW_MS } from '../test/helpers/things.ts';
import { formatCount, type Section, spreadOf } from './measure.ts';

/** Characters of HTML that are read of a text. */
const LENGTH = 20_000;
const ROUNDS = 5;
const MOST_FIRST_MS = 150;
const MOST_TURN_MS = 50;

const USUAL = 'usual text of that length';
const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };

/** Milliseconds of the processor for the first card of an offer whose seven texts are all `html`, and of turning its story's page. */
function cardMs(html: string, round: number): { first: number; turn: number } {
  // No two are the same, so that none was converted before.
  const text = (field: number) => `${round}${field}${html}`;
  const offer = anOfferDetail(1, {
    features: text(1),
    specs: text(2),
    extendedWarranty: text(3),
    teaser: text(4),
    writeUpIntro: text(5),
    writeUpBody: text(6),
    snippet: text(7),
  });
  const view: OfferDetailView = {
    offer,
    listed: null,
    inEvent: null,
    age: { fetchedAtMs: NOW_MS, isStale: false },
    section: 'overview',
    part: 1,
    openedFrom: null,
  };
  return {
    first: processorMs(() => offerDetailCard(view, CONTEXT)),
    turn: processorMs(() => offerDetailCard({ ...view, section: 'story', part: 2 }, CONTEXT)),
  };
}

/** Other work of the machine is not counted; collecting garbage is. */
function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Measures how long one offer's card keeps the event loop, whatever its texts are. */
export async function benchText(): Promise<Section[]> {
  const usual = '<p>A <b>kettle</b> with a <a href="/lid">lid</a>. It whistles.</p>\n<ul><li>Steel</li></ul>';
  const texts = new Map(Object.entries(HOSTILE_TEXTS).map(([name, make]) => [name, make(LENGTH)]));
  texts.set(USUAL, usual.repeat(LENGTH / usual.length));
  for (let round = ROUNDS; round < 2 * ROUNDS; round += 1) cardMs(texts.get(USUAL) ?? '', round);
  const measured = [...texts].map(([name, html]) => {
    const rounds = Array.from({ length: ROUNDS }, (_, round) => cardMs(html, round));
    return {
      name,
      first: spreadOf(rounds.map(({ first }) => first)).median,
      turn: spreadOf(rounds.map(({ turn }) => turn)).median,
    };
  });
  const isUsual = ({ name }: { name: string }) => name === USUAL;
  const hostile = measured.filter((one) => !isUsual(one));
  const worst = hostile.toSorted((a, b) => b.first - a.first).slice(0, 5);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const first = Math.max(...measured.map((one) => one.first));
  const turn = Math.max(...measured.map((one) => one.turn));
  return [
    {
      title: 'Hostile HTML: how long one card keeps the event loop',
      how: `\`npm run bench -- text\`. An offer with seven texts of ${formatCount(LENGTH)} characters each, as many as are read: ${texts.size} kinds of them, made to be dear (tags never closed or closed wrongly, lists in lists, long runs of one character). Processor time, the garbage collector's included; the median of ${ROUNDS} rounds, warmed up with usual text; the five dearest kinds, and usual text.`,
      head: ['texts', 'first card', 'turning a page'],
      rows: [...worst, ...measured.filter(isUsual)].map((one) => [one.name, ms(one.first), ms(one.turn)]),
      claims: [
        {
          promise: `The first card takes at most ${MOST_FIRST_MS} ms`,
          measured: ms(first),
          isKept: first <= MOST_FIRST_MS,
        },
        {
          promise: `Turning a page takes at most ${MOST_TURN_MS} ms`,
          measured: ms(turn),
          isKept: turn <= MOST_TURN_MS,
        },
      ],
    },
  ];
}
