import { expect, test } from 'vitest';
import {
  type CalendarStep,
  type CalendarView,
  nextStep,
  reconcile,
  type WantedEvent,
} from '../../../src/features/events-list/decide.ts';
import type { ScheduledEventRecord } from '../../../src/features/events-list/records.ts';
import type { OwnEvent } from '../../../src/features/events-list/scheduled-events.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { NOW_MS } from '../../helpers/things.ts';

/** A running event that ends in an hour. */
const wanted = (changes: Partial<WantedEvent> = {}): WantedEvent => ({
  mark: 'a',
  startMs: NOW_MS - HOUR_MS,
  endMs: NOW_MS + HOUR_MS,
  digest: 'face',
  isSure: true,
  wantedBy: ['s'],
  ...changes,
});

/** Its entry, as it has to be. */
const record = (changes: Partial<ScheduledEventRecord> = {}): ScheduledEventRecord => ({
  guildId: '1',
  mark: 'a',
  id: '100',
  digest: 'face',
  wantedBy: ['s'],
  startMs: NOW_MS - HOUR_MS,
  endMs: NOW_MS + HOUR_MS,
  isBegun: true,
  isDeclined: false,
  madeAtMs: NOW_MS - HOUR_MS,
  changedAtMs: NOW_MS - HOUR_MS,
  ...changes,
});

const view = (changes: Partial<CalendarView> = {}): CalendarView => ({
  wanted: [wanted()],
  undecided: new Set(),
  records: [record()],
  surplus: [],
  refused: new Set(),
  isFull: false,
  listedAtMs: NOW_MS,
  ...changes,
});

const COMING = { startMs: NOW_MS + HOUR_MS, endMs: NOW_MS + 3 * HOUR_MS };
const isComing = { ...COMING, isBegun: false };
const OPEN = { wanted: [wanted({ endMs: null })] };

/** What is done, and with which times from now on. */
function inShort(step: CalendarStep | null) {
  if (step === null) return null;
  if (step.do === 'create' || step.do === 'change') {
    return [step.do, (step.startMs - NOW_MS) / MINUTE_MS, (step.endMs - NOW_MS) / MINUTE_MS];
  }
  return step.do;
}

test.each<[string, Partial<CalendarView>, ReturnType<typeof inShort>]>([
  ['nothing is wanted and nothing stands', { wanted: [], records: [], listedAtMs: null }, null],
  ['all is as it has to be', {}, null],
  ['nobody knows what stands there', { listedAtMs: null }, 'list'],
  ['the list was read a day ago', { listedAtMs: NOW_MS - DAY_MS }, null],
  ['the list was read longer ago', { listedAtMs: NOW_MS - DAY_MS - 1 }, 'list'],
  ['a copy stands there', { surplus: ['7'], records: [], wanted: [] }, 'remove-surplus'],

  ['a running event has no entry', { records: [] }, ['create', 1, 60]],
  [
    'a coming event has no entry',
    { wanted: [wanted({ startMs: NOW_MS + DAY_MS, endMs: NOW_MS + 2 * DAY_MS })], records: [] },
    ['create', 1440, 2880],
  ],
  ['one without an end has no entry', { ...OPEN, records: [] }, ['create', 1, 1441]],
  ['one without a start has no entry', { wanted: [wanted({ startMs: null })], records: [] }, ['create', 1, 60]],
  [
    'one that begins in seconds has none',
    { wanted: [wanted({ startMs: NOW_MS + 1 })], records: [] },
    ['create', 1, 60],
  ],
  ['one ends in two minutes', { wanted: [wanted({ endMs: NOW_MS + 2 * MINUTE_MS })], records: [] }, ['create', 1, 2]],
  ['one ends sooner', { wanted: [wanted({ endMs: NOW_MS + 2 * MINUTE_MS - 1 })], records: [] }, null],
  ['one answer alone has shown it', { wanted: [wanted({ isSure: false })], records: [] }, null],
  ['one answer alone has shown what has an entry', { wanted: [wanted({ isSure: false })] }, null],
  ['Discord has refused its entry', { records: [], refused: new Set(['a']) }, null],
  ['the list is full', { records: [], isFull: true }, null],
  ['a moderator has deleted it', { records: [record({ isDeclined: true, digest: '', endMs: NOW_MS })] }, null],

  ['it is no longer wanted and runs', { wanted: [] }, 'end'],
  ['it is no longer wanted and has not begun', { wanted: [], records: [record({ isBegun: false })] }, 'remove'],
  ['a deleted one is no longer wanted', { wanted: [], records: [record({ isDeclined: true })] }, 'forget'],
  ['it is not known whether it is wanted', { wanted: [], undecided: new Set(['a']) }, null],

  ['it shows something else', { wanted: [wanted({ digest: 'new' })] }, ['change', -60, 60]],
  [
    'it shows something else, and was changed ten minutes ago',
    { wanted: [wanted({ digest: 'new' })], records: [record({ changedAtMs: NOW_MS - 10 * MINUTE_MS })] },
    ['change', -60, 60],
  ],
  [
    'it shows something else, and was changed less long ago',
    { wanted: [wanted({ digest: 'new' })], records: [record({ changedAtMs: NOW_MS - 10 * MINUTE_MS + 1 })] },
    null,
  ],
  ['nobody knows what it shows', { records: [record({ digest: '', changedAtMs: NOW_MS })] }, ['change', -60, 60]],
  [
    'its end has moved, however late it was changed',
    { wanted: [wanted({ endMs: NOW_MS + 2 * HOUR_MS })], records: [record({ changedAtMs: NOW_MS })] },
    ['change', -60, 120],
  ],
  [
    'its start has moved',
    { wanted: [wanted({ ...COMING, startMs: NOW_MS + 2 * HOUR_MS })], records: [record(isComing)] },
    ['change', 120, 180],
  ],
  ['its start has moved while it runs', { wanted: [wanted({ startMs: NOW_MS + HOUR_MS / 2 })] }, null],
  [
    'its start has moved to a minute from now',
    { wanted: [wanted({ ...COMING, startMs: NOW_MS + MINUTE_MS })], records: [record(isComing)] },
    ['change', 1, 180],
  ],
  [
    'its start has moved to within a minute',
    { wanted: [wanted({ ...COMING, startMs: NOW_MS + MINUTE_MS - 1 })], records: [record(isComing)] },
    null,
  ],
  ['its end is not known, and far enough away', { ...OPEN, records: [record({ endMs: NOW_MS + DAY_MS / 2 })] }, null],
  [
    'its end is not known, and as far away as one gets at first',
    { ...OPEN, records: [record({ endMs: NOW_MS + DAY_MS + MINUTE_MS })] },
    null,
  ],
  [
    'its end is not known, and further away',
    { ...OPEN, records: [record({ endMs: NOW_MS + DAY_MS + MINUTE_MS + 1 })] },
    ['change', -60, 1440],
  ],
  ['its end is near', { ...OPEN, records: [record({ endMs: NOW_MS + DAY_MS / 2 - 1 })] }, ['change', -60, 1440]],
  ['its end was known', { ...OPEN, records: [record({ endMs: NOW_MS + 30 * DAY_MS })] }, ['change', -60, 1440]],
  [
    'it is to come and has no known end',
    { wanted: [wanted({ ...COMING, endMs: null })], records: [record({ ...isComing, endMs: NOW_MS + 25 * HOUR_MS })] },
    null,
  ],

  [
    'it runs, and its entry begins only in a minute',
    { records: [record({ isBegun: false, startMs: NOW_MS + MINUTE_MS })] },
    'begin',
  ],
  [
    'it begins now, and its entry only later',
    { wanted: [wanted({ startMs: NOW_MS })], records: [record({ isBegun: false, startMs: NOW_MS + MINUTE_MS })] },
    'begin',
  ],
  [
    'it begins in a moment, and its entry later',
    { wanted: [wanted({ startMs: NOW_MS + 1 })], records: [record({ isBegun: false, startMs: NOW_MS + MINUTE_MS })] },
    null,
  ],
  ['Discord is about to begin it', { records: [record({ isBegun: false, startMs: NOW_MS + 5_000 })] }, null],
  ['Discord has just begun it', { records: [record({ isBegun: false, startMs: NOW_MS - 29_999 })] }, null],
  [
    'Discord must have begun it, and nobody has looked',
    { records: [record({ isBegun: false, startMs: NOW_MS - 30_000 })], listedAtMs: NOW_MS - 1 },
    'list',
  ],
  ['Discord has not begun it', { records: [record({ isBegun: false, startMs: NOW_MS - 30_000 })] }, 'begin'],
])('where %s', (_, changes, step) => {
  expect(inShort(nextStep(view(changes), NOW_MS))).toEqual(step);
});

test('a list gets 25 entries at most, the soonest first, and one that has an entry keeps it', () => {
  // Neither in their order nor against it.
  const many = Array.from({ length: 30 }, (_, place) => {
    const number = (place * 7) % 30;
    return wanted({ mark: `m${number}`, startMs: NOW_MS + (30 - number) * HOUR_MS, endMs: NOW_MS + 40 * HOUR_MS });
  });
  const made: ScheduledEventRecord[] = [];
  for (;;) {
    const step = nextStep(view({ wanted: many, records: made }), NOW_MS);
    if (step?.do !== 'create') {
      expect(step).toBeNull();
      break;
    }
    const { mark, startMs, endMs } = step;
    made.push(record({ mark, id: mark, startMs, endMs, isBegun: false }));
  }
  expect(made.map(({ mark }) => mark)).toEqual(Array.from({ length: 25 }, (_, place) => `m${29 - place}`));
  const records = made.map((one, place) => ({ ...one, isDeclined: place === 0 }));
  const step = nextStep(view({ wanted: many, records }), NOW_MS);
  expect(step).toMatchObject({ do: 'create', mark: 'm4' });
});

const own = (changes: Partial<OwnEvent> = {}): OwnEvent => ({
  id: '100',
  mark: 'a',
  isBegun: true,
  startMs: NOW_MS - HOUR_MS,
  endMs: NOW_MS + HOUR_MS,
  ...changes,
});

const NOTHING = { changed: [], forgotten: [], surplus: [], contradicted: [] };
const compared = (records: ScheduledEventRecord[], events: OwnEvent[], ...denied: string[]) =>
  reconcile('1', { records, events, denied: new Set(denied) }, NOW_MS);

test('a list that is as it was recorded changes nothing', () => {
  expect(compared([record()], [own()])).toEqual(NOTHING);
  expect(compared([record()], [own({ mark: null })]), 'its mark was edited away').toEqual(NOTHING);
  expect(compared([], [own({ mark: null })]), 'nobody knows what it is').toEqual(NOTHING);
});

test('what Discord has begun by itself is noted', () => {
  const begun = [record()];
  expect(compared([record({ isBegun: false })], [own()])).toEqual({ ...NOTHING, changed: begun });
});

test('an entry of which no record is left is adopted, and its face is not known', () => {
  const adopted = { digest: '', wantedBy: [], madeAtMs: NOW_MS, changedAtMs: NOW_MS };
  expect(compared([], [own()])).toEqual({ ...NOTHING, changed: [record(adopted)] });
});

test('of two entries for one event the older one counts', () => {
  const both = compared([], [own({ id: '1000' }), own({ id: '999' })]);
  expect(both).toMatchObject({ changed: [{ id: '999' }], surplus: ['1000'] });
  for (const ids of [
    ['100', '200'],
    ['200', '100'],
  ]) {
    const same = compared(
      [],
      ids.map((id) => own({ id })),
    );
    expect(same).toMatchObject({ changed: [{ id: '100' }], surplus: ['200'] });
  }
  expect(compared([record({ id: '1000' })], [own({ id: '1000' }), own({ id: '999' })])).toEqual({
    ...NOTHING,
    surplus: ['999'],
  });
});

test('an entry that is missing is not made again once Discord has denied it, too', () => {
  expect(compared([record()], []), 'one list alone').toEqual(NOTHING);
  const declined = record({ isDeclined: true });
  expect(compared([record()], [], 'a')).toEqual({ ...NOTHING, changed: [declined] });
  expect(compared([declined], [], 'a')).toEqual(NOTHING);
  expect(compared([declined], [own({ id: '200' })]), 'a request that arrived late').toEqual({
    ...NOTHING,
    surplus: ['200'],
  });
  expect(compared([declined], [own()]), 'it was there after all').toEqual({ ...NOTHING, changed: [record()] });
});

test('one that Discord has ended at its end is forgotten, so that it can be made again', () => {
  const over = record({ endMs: NOW_MS });
  expect(compared([over], [], 'a')).toEqual({ ...NOTHING, forgotten: [over] });
  expect(compared([over], [])).toEqual({ ...NOTHING, forgotten: [over] });
});

test('where Discord denies and lists an entry, neither is believed', () => {
  expect(compared([record()], [own()], 'a')).toEqual({ ...NOTHING, contradicted: ['a'] });
});

test('where an older state names an entry that is over, the one that stands there now is adopted', () => {
  for (const [endMs, denied] of [
    [NOW_MS - HOUR_MS, []],
    [NOW_MS + HOUR_MS, ['a']],
  ] as const) {
    const outcome = compared([record({ id: '50', endMs })], [own()], ...denied);
    expect(outcome).toMatchObject({ changed: [{ mark: 'a', id: '100', isDeclined: false }], surplus: [] });
  }
});
