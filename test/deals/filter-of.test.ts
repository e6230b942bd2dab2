import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asksAbout, evaluate, explain, parseFilter, subjectOfOffer } from '../../src/deals/filter/index.ts';
import { filterOf } from '../../src/deals/filter-of.ts';
import { SETTINGS, settingsWith } from '../../src/deals/settings.ts';
import { ONLY_FEATURED } from '../helpers/only-featured.ts';
import { NOW_MS } from '../helpers/things.ts';
import { someFilter, someOffer } from './filter/filters.ts';

const BOUGHT = { ...ONLY_FEATURED, field: 'isBought', terms: 'soldout:false OR title:new' } as object;
const ALL = settingsWith([ONLY_FEATURED, BOUGHT as typeof ONLY_FEATURED], []);

test('settings that choose take what the filter takes and they want, each by itself, and say so term by term', () => {
  const property = fc.property(someFilter, someOffer, fc.boolean(), fc.boolean(), (text, offer, featured, bought) => {
    const subscription = { filter: text, isFeaturedOnly: featured, isBought: bought };
    const [own, subject] = [parseFilter(text), subjectOfOffer(offer)];
    const compiled = filterOf(subscription, ALL);
    if (!own.ok || !compiled) throw new Error(`${text} can't be read.`);
    const isChosen = (!featured || offer.isFeatured) && (!bought || !offer.isSoldOut || /\bnew\b/i.test(offer.title));
    expect(evaluate(compiled, subject, NOW_MS)).toBe(evaluate(own.filter, subject, NOW_MS) && isChosen);
    const written = parseFilter(compiled.text);
    expect(written.ok && written.filter).toMatchObject({ canonical: compiled.canonical });
    const outcomes = (filter: typeof compiled) => explain(filter, subject, NOW_MS).terms.map(({ source }) => source);
    expect(outcomes(compiled)).toEqual(written.ok && outcomes(written.filter));
  });
  fc.assert(property, { numRuns: 200 });
});

test('what a setting asks about is undecided like what a filter asks about', () => {
  const taken = (isFeaturedOnly: boolean, filter = '') => {
    const subscription = { filter, isFeaturedOnly };
    return filterOf(subscription, ALL);
  };
  const asks = (...given: Parameters<typeof taken>) => {
    const filter = taken(...given);
    return filter && asksAbout(filter, ['isFeatured']);
  };
  expect([asks(true), asks(false), asks(true, 'ssd'), asks(false, 'featured:true')]).toEqual([true, false, true, true]);
  expect(taken(true)?.canonical).toBe(taken(false, 'featured:true')?.canonical);
  expect(asks(true, 'price:<')).toBeNull();
});

test('a filter as long as one may be has room for settings that choose', () => {
  const subscription = { filter: 'a'.repeat(1_000), isFeaturedOnly: true };
  expect(filterOf(subscription, ALL)?.text).toHaveLength(1_000 + ' featured:true'.length);
  expect(filterOf(subscription, SETTINGS)?.text).toBe(subscription.filter);
});
