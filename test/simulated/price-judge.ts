import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts';
import type { PriceMemory, Seen } from './price-memory.ts';

/** Claims are dated by days. */
const NEAR_MS = DAY_MS + 2 * HOUR_MS;
/** What passes between an answer and the next that confirms it, and where the same moment is seen in two ways. */
const LOOSE_MS = 12 * HOUR_MS;

/** A claim that a text makes, and what is wrong with it. */
interface Claim {
  is: string;
  problem: string | null;
}

/** Reads every claim about prices in a card of an offer, and compares it with what was seen. */
export function claimsOfCard(text: string, offerId: string, memory: PriceMemory, nowMs: number): Claim[] {
  const name = memory.nameOf(offerId, nowMs);
  const price = cents(/^(?:## |\*\*)(\$[\d,.]+)/m.exec(text)?.[1]);
  if (name === undefined || price === null) return [];
  const about = { offerId, name, price, memory, nowMs };
  const ofProduct = unlessSplit(about);
  return [
    ...read(text, /^(?:## |\*\*)\$[\d,.]+/m, () => costs(about)),
    ...read(text, /~~(\$[\d,.]+)~~ −([\d,]+)%/, ([list, percent]) => isOff(about, cents(list) ?? 0, Number(percent))),
    ...read(text, /🔥 half off or more/, () => isDeep(text, price, 50)),
    ...read(text, /🔥🔥 75% off or more/, () => isDeep(text, price, 75)),
    ...read(text, /(?: · \*\*−([\d,]+)%\*\*)? · was (\$[\d,.]+)(?: for (\d+ \w+))?$/m, ([percent, before, span]) =>
      fell(about, cents(before) ?? 0, percent, span),
    ),
    ...read(
      text,
      /(?:\*\*(\$[\d,.]+) cheaper\*\* than|(\$[\d,.]+) more than|same price as) last time · last seen <t:(\d+):R>/,
      ([less, more, at]) => wasLastTime(about, (cents(less) ?? 0) - (cents(more) ?? 0), moment(at)),
    ),
    ...read(text, /\*\*Your alert\*\* · (\$[\d,.]+) or less/, ([wanted]) =>
      price <= (cents(wanted) ?? 0) ? null : `it costs ${dollars(price)}`,
    ),
    ...read(text, /no longer: it costs more than (\$[\d,.]+) again/, ([wanted]) =>
      price > (cents(wanted) ?? 0) ? null : `it costs ${dollars(price)}`,
    ),
    ...read(text, /Lowest price since we started watching\*\* \(<t:(\d+):D>\)/, ([since]) =>
      ofProduct(lowest(about, moment(since), { isEver: true, hasGaps: false })),
    ),
    ...read(text, /Lowest price in ([^*]+)\*\* \(cheaper until <t:(\d+):D>\)/, ([, until]) =>
      ofProduct(lowest(about, moment(until), { isEver: false, hasGaps: false })),
    ),
    ...read(text, /Lowest price we’ve seen\*\* since <t:(\d+):D>, with gaps/, ([since]) =>
      ofProduct(lowest(about, moment(since), { isEver: false, hasGaps: true })),
    ),
    ...read(text, /\*\*([\d,]+)% below\*\* the usual (\$[\d,.]+)/, ([percent, usual]) =>
      ofProduct(belowUsual(about, Number(percent), cents(usual) ?? 0)),
    ),
    ...read(text, /usual price (\$[\d,.]+)/, ([usual]) => ofProduct(isUsual(about, cents(usual) ?? 0))),
    ...read(text, /watched since <t:(\d+):D>/, ([since]) => ofProduct(isFirst(about, moment(since)))),
    ...read(text, /half the lowest price seen since <t:(\d+):D>, or less/, ([since]) =>
      ofProduct(isSlip(about, moment(since))),
    ),
    ...read(text, /below (\$[\d,.]+), the lowest(?: we’d seen)? since <t:(\d+):D>/, ([low, since]) =>
      ofProduct(isLow(about, cents(low) ?? 0, moment(since))),
    ),
    ...read(text, /no longer: it’s been (\$[\d,.]+) since/, ([lower]) => wasSeen(about, cents(lower) ?? 0)),
    ...read(text, /no longer: it’s back at (\$[\d,.]+) or more/, ([back]) =>
      price >= (cents(back) ?? 0) ? null : `it costs ${dollars(price)}`,
    ),
  ];
}

/** Reads every claim of a price history without a picture. */
export function claimsOfHistory(text: string, name: string, memory: PriceMemory, nowMs: number): Claim[] {
  const about = { offerId: null, name, price: 0, memory, nowMs };
  const ofProduct = unlessSplit(about);
  const sure = memory.sureOf(name, nowMs).filter((one) => one.cents !== null);
  const prices = sure.flatMap((one) => one.cents ?? []);
  return [
    ...read(text, /Now \*\*(\$[\d,.]+)\*\*, since <t:(\d+):D>/, ([now, since]) =>
      costsSince(about, cents(now) ?? 0, moment(since)),
    ),
    ...read(text, /Last seen at \*\*(\$[\d,.]+)\*\*, on <t:(\d+):D>/, ([last, on]) =>
      wasSeen(about, cents(last) ?? 0, moment(on), moment(on)),
    ),
    ...read(text, /Lowest \*\*(\$[\d,.]+)\*\*, last on <t:(\d+):D>/, ([low, on]) => {
      const least = Math.min(...prices);
      if (cents(low) !== least && !isBorderline(about, cents(low) ?? 0, least))
        return ofProduct(`the lowest is ${dollars(least)}`);
      return ofProduct(
        wasSeen(about, cents(low) ?? 0, moment(on), moment(on)) ?? notAfter(sure, cents(low) ?? 0, moment(on)),
      );
    }),
    ...read(text, /Highest \*\*(\$[\d,.]+)\*\*, last on <t:(\d+):D>/, ([high, on]) => {
      const { more } = memory.around(name, cents(high) ?? 0, nowMs, nowMs);
      return ofProduct(more > LOOSE_MS ? 'it was dearer' : wasSeen(about, cents(high) ?? 0, moment(on), moment(on)));
    }),
    ...read(text, /Usual price \*\*(\$[\d,.]+)\*\*/, ([usual]) =>
      ofProduct(isMedian(about, cents(usual) ?? 0, nowMs, nowMs)),
    ),
    ...read(text, /Watched since <t:(\d+):D>/, ([since]) => ofProduct(isFirst(about, moment(since)))),
    ...read(text, /Sold out\*\* since <t:(\d+):D>/, ([since]) => isSoldOutSince(about, moment(since))),
    ...[...text.matchAll(/<t:(\d+):D> – <t:(\d+):D> · \*\*(\$[\d,.]+)\*\*/g)].map(([, from, until, price]) => ({
      is: 'a stretch',
      problem: wasSeen(about, cents(price) ?? 0, moment(from), moment(until)),
    })),
  ];
}

interface About {
  offerId: string | null;
  name: string;
  /** Cents. */
  price: number;
  memory: PriceMemory;
  nowMs: number;
}

/**
 * What is wrong with a claim about a product. Where one of its listings got another name after nobody had seen it for so long
 * that it was forgotten, what it had cost until then may count for either name: nothing is wrong then.
 */
const unlessSplit =
  ({ memory, name }: About) =>
  (problem: string | null) =>
    memory.isSplit(name) ? null : problem;

function read(text: string, pattern: RegExp, judge: (groups: (string | undefined)[]) => string | null): Claim[] {
  const found = pattern.exec(text);
  return found ? [{ is: found[0], problem: judge(found.slice(1)) }] : [];
}

const cents = (text: string | undefined) =>
  text === undefined ? null : Math.round(Number(text.replaceAll(/[$,]/g, '')) * 100);
const dollars = (amount: number) => `$${(amount / 100).toFixed(2)}`;
const moment = (seconds: string | undefined) => Number(seconds) * 1000;
const day = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/**
 * When the offer may have got its present price: it may have had it before. The latest moments at which it surely cost
 * something else before come first, as they are most likely.
 */
function begins({ offerId, price, memory, nowMs }: About): number[] {
  const seen = offerId === null ? [] : memory.seenOf(offerId).filter(({ fromMs }) => fromMs <= nowMs);
  const changes: number[] = [];
  const others: number[] = [];
  let last: number | null = null;
  for (const { cents: costing, fromMs, answers } of seen) {
    if (costing === price) (last === price ? others : changes).push(fromMs);
    if (costing !== null && (answers > 1 || costing === price)) last = costing;
  }
  return [...changes.reverse(), ...others.reverse()];
}

/** Whether the listing was seen at its price lately, be it in one answer that is not doubted. */
function costs({ offerId, price, memory }: About): string | null {
  const seen = memory.seenOf(offerId ?? '');
  const lastMs = Math.max(...seen.map((one) => one.lastMs));
  const isSo = seen.some((one) => one.cents === price && one.untilMs >= lastMs - LOOSE_MS);
  return isSo ? null : `it costs ${dollars(seen.findLast((one) => one.cents !== null)?.cents ?? 0)}`;
}

function isOff({ price }: About, list: number, percent: number): string | null {
  const right = percentBelow(price, list);
  return right === percent ? null : `it is ${right} %`;
}

function isDeep(text: string, price: number, percent: number): string | null {
  const list = cents(/~~(\$[\d,.]+)~~ −/.exec(text)?.[1]) ?? 0;
  return percentBelow(price, list) >= percent ? null : `it is ${percentBelow(price, list)} %`;
}

const percentBelow = (price: number, other: number) => Math.floor((1 - price / other) * 100 + 1e-9);

/** A drop is from a price at which the listing was seen before, for as long as it had that. */
function fell(about: About, before: number, percent: string | undefined, span: string | undefined): string | null {
  const { price, memory, offerId, nowMs } = about;
  if (price >= before) return `it costs ${dollars(price)}`;
  const right = percentBelow(price, before);
  if (right !== Number(percent ?? 0)) return `it is ${right} %`;
  const seen = memory.seenOf(offerId ?? '').filter(({ fromMs }) => fromMs <= nowMs);
  const beganMs = Math.max(...begins(about));
  const times = timesAt(before, seen).filter(({ fromMs }) => fromMs < beganMs);
  if (times.length === 0) return `nobody saw it at ${dollars(before)} before`;
  if (span === undefined) return null;
  const [leastMs, mostMs] = lengthOf(span);
  const isSo = times.some(({ fromMs, earliestMs, endsMs }) =>
    endsMs.some((endMs) => leastMs <= endMs - earliestMs + LOOSE_MS && mostMs >= endMs - fromMs - LOOSE_MS),
  );
  const seenFor = times.flatMap(({ fromMs, endsMs }) => endsMs.map((endMs) => hours(endMs - fromMs)));
  return isSo ? null : `it cost that for ${seenFor.join(' or ')}`;
}

/** The least and the most milliseconds that are written as `3 days`. */
function lengthOf(span: string): [number, number] {
  const [count, unit = ''] = span.split(' ');
  const unitMs = unit.startsWith('day') ? DAY_MS : unit.startsWith('hour') ? HOUR_MS : HOUR_MS / 60;
  return [Number(count) * unitMs, (Number(count) + 1) * unitMs];
}

/** A time at which a listing cost the same. */
interface Time {
  fromMs: number;
  /** When it was sold out before, where it was: it may have cost that then. */
  earliestMs: number;
  /** When an answer said something else. Where it was wrong, the time goes on; a post that was made then stays as it was. */
  endsMs: number[];
}

/** The times at which a listing cost so much, each of them to the first answers that surely said something else. */
function timesAt(price: number, seen: readonly Seen[]): Time[] {
  const known = seen.filter((one, index) => one.answers > 1 || index === 0 || one.cents === price);
  const times: Time[] = [];
  let open: Time[] = [];
  for (const [index, { cents: costing, fromMs, untilMs }] of known.entries()) {
    if (costing !== null && costing !== price) open = [];
    for (const time of open) time.endsMs.push(untilMs);
    if (costing !== price || (open.length > 0 && known[index - 1]?.cents !== null)) continue;
    // While it was sold out it may have cost something else, or the same before.
    const soldOut = known.slice(known.slice(0, index).findLastIndex(({ cents: other }) => other !== null) + 1, index);
    const time = { fromMs, earliestMs: soldOut[0]?.fromMs ?? fromMs, endsMs: [untilMs] };
    open.push(time);
    times.push(time);
  }
  return times;
}

/**
 * Whether the product's last listing cost so much less, or more. It may have got its name when it was over, and this one may
 * have another by now.
 */
function wasLastTime({ memory, offerId, price }: About, step: number, atMs: number): string | null {
  const all = memory.namesOf(offerId ?? '').flatMap((name) => memory.allOf(name));
  const seen = all.filter((one) => one.answers > 1 && near(one, atMs));
  const prices = seen.flatMap((one) => one.cents ?? []);
  return prices.includes(price + step) ? null : `it cost ${prices.map(dollars).join(' or ') || 'nothing known'} then`;
}

function lowest(
  about: About,
  sinceMs: number,
  { isEver, hasGaps }: { isEver: boolean; hasGaps: boolean },
): string | null {
  const { memory, name, price, nowMs } = about;
  const lower = memory.sureOf(name, nowMs).filter((one) => one.cents !== null && one.cents < price);
  const denied = lower.find(({ untilMs }) => isEver || untilMs > sinceMs + NEAR_MS);
  if (denied) return `it cost ${dollars(denied.cents ?? 0)} until ${day(denied.untilMs)}`;
  const wide = memory.allOf(name);
  const isDated = isEver ? isFirst(about, sinceMs) === null : wide.some((one) => near(one, sinceMs));
  if (!isDated) return `nothing happened on ${day(sinceMs)}`;
  if (!wide.some((one) => (one.cents ?? 0) > price)) return 'it was never dearer';
  const sights = begins(about).map((beganMs) => {
    const days = Math.ceil((beganMs - sinceMs) / DAY_MS);
    return { days, seen: memory.daysSeen(name, days, beganMs) };
  });
  if (memory.isRenamedNear(name, memory.renamedAtMs(about.offerId ?? '', nowMs))) return null;
  if (hasGaps) return sights.some(({ days, seen }) => seen < days) ? null : 'there are no gaps';
  const isEnough = sights.some(({ days, seen }) => days > 0 && seen + 2 >= days * 0.8);
  return isEnough ? null : `it was seen on ${sights.map(({ days, seen }) => `${seen} of ${days}`).join(', ')} days`;
}

/** Whether one was seen about that moment. */
function near({ fromMs, untilMs }: Seen, ms: number): boolean {
  return fromMs - NEAR_MS <= ms && ms <= untilMs + NEAR_MS;
}

function belowUsual(about: About, percent: number, usual: number): string | null {
  const right = percentBelow(about.price, usual);
  return right === percent ? isUsual(about, usual) : `it is ${right} %`;
}

/** The usual price was stated when the offer got its present one, or its present name. */
function isUsual(about: About, usual: number): string | null {
  const { memory, offerId, name, nowMs } = about;
  const renamedMs = memory.renamedAtMs(offerId ?? '', nowMs);
  let problem: string | null = 'it never had this price';
  for (const beganMs of begins(about)) {
    const asOfMs = Math.max(beganMs, renamedMs);
    problem = memory.isRenamedNear(name, asOfMs) ? null : isMedian(about, usual, asOfMs, beganMs);
    if (problem === null) break;
  }
  return problem;
}

/** Half of the time it was not cheaper, and half of it not dearer, whatever it cost in the doubtful time. */
function isMedian({ memory, name }: About, usual: number, asOfMs: number, ms: number): string | null {
  const { less, same, more, doubtful } = memory.around(name, usual, asOfMs, ms);
  if (less <= same + more + doubtful && more <= less + same + doubtful) return null;
  return `${hours(less)} below, ${hours(same)} at it, ${hours(more)} above, ${hours(doubtful)} doubtful`;
}

const hours = (ms: number) => `${Math.round(ms / HOUR_MS)} h`;

/** Where a listing got the name, or lost it, each of its listings may be the first: as they had it when that was said. */
function isFirst({ memory, name, nowMs }: About, sinceMs: number): string | null {
  const sights = [memory.sureOf(name, nowMs), memory.allOf(name)];
  // It may have been sold out at first: then its prices are watched from the first one on.
  const priced = sights.map((seen) => seen.filter(({ cents: price }) => price !== null));
  const firsts = [...sights, ...priced].map((seen) => Math.min(...seen.map(({ fromMs }) => fromMs)));
  const all = memory.isEverRenamed(name) ? [...firsts, ...memory.beginningsOf(name)] : firsts;
  const isSo = all.some((ms) => Math.abs(ms - sinceMs) <= NEAR_MS);
  return isSo ? null : `it was first seen ${[...new Set(firsts.filter(Number.isFinite).map(day))].join(' or ')}`;
}

function isSlip({ memory, name, price, nowMs }: About, sinceMs: number): string | null {
  const lower = memory
    .sureOf(name, nowMs)
    .find((one) => one.cents !== null && one.cents < price * 2 && one.cents !== price && one.untilMs >= sinceMs);
  return lower ? `it cost ${dollars(lower.cents ?? 0)}` : null;
}

function isLow(about: About, low: number, sinceMs: number): string | null {
  const { memory, name, price, nowMs } = about;
  if (price >= low) return `it costs ${dollars(price)}`;
  const lower = memory.sureOf(name, nowMs).find((one) => one.cents !== null && one.cents < price);
  if (lower) return `it cost ${dollars(lower.cents ?? 0)} until ${day(lower.untilMs)}`;
  return wasSeen(about, low) ?? isFirst(about, sinceMs);
}

function wasSeen({ memory, name }: About, price: number, fromMs = -Infinity, untilMs = Infinity): string | null {
  const isSeen = memory
    .allOf(name)
    .some((one) => one.cents === price && one.fromMs <= untilMs + NEAR_MS && one.untilMs >= fromMs - NEAR_MS);
  return isSeen ? null : `nobody saw it at ${dollars(price)} then`;
}

function notAfter(sure: readonly Seen[], price: number, ms: number): string | null {
  const later = sure.find((one) => one.cents === price && one.untilMs > ms + NEAR_MS);
  return later ? `it cost that until ${day(later.untilMs)}` : null;
}

/** Whether a price other than the lowest that is sure was seen, but so that one may doubt it. */
function isBorderline({ memory, name }: About, price: number, least: number): boolean {
  return price < least && memory.allOf(name).some((one) => one.cents === price && one.answers === 1);
}

function costsSince({ memory, name, nowMs }: About, price: number, sinceMs: number): string | null {
  const late = memory.allOf(name).filter((one) => one.untilMs >= nowMs - LOOSE_MS);
  if (!late.some((one) => one.cents === price))
    return `it costs ${late.map((one) => dollars(one.cents ?? 0)).join(' or ')}`;
  const lower = memory
    .sureOf(name, nowMs)
    .find((one) => one.cents !== null && one.cents < price && one.untilMs > sinceMs + NEAR_MS);
  return lower ? `it cost ${dollars(lower.cents ?? 0)} until ${day(lower.untilMs)}` : null;
}

/** Nothing could be bought since then, and something could until then, or was found sold out. */
function isSoldOutSince({ memory, name, nowMs }: About, sinceMs: number): string | null {
  const sold = memory.sureOf(name, nowMs).filter(({ cents }) => cents !== null);
  const lastMs = Math.max(...sold.map(({ untilMs }) => untilMs));
  if (lastMs > sinceMs + NEAR_MS) return `it could be bought until ${day(lastMs)}`;
  const isFound = memory.allOf(name).some((one) => one.cents === null && Math.abs(one.fromMs - sinceMs) <= NEAR_MS);
  return isFound || lastMs >= sinceMs - NEAR_MS ? null : `it could be bought until ${day(lastMs)} only`;
}
