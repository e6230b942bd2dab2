import { createRandom } from '../random.ts';
import type { Listing } from './listing.ts';
import { inSentence } from './nouns.ts';
import { productOf } from './product.ts';

/** The texts of an offer, as messy as those that shops paste together from editors, mails and makers' pages. */
export interface Texts {
  teaser: string;
  features: string;
  specs: string;
  intro: string | null;
  body: string;
  snippet: string | null;
}

const TEASERS = [
  'It’s the one you meant to buy last time.',
  'Your old one called. It wants to retire.',
  'Small price, large opinions.',
  'We counted the boxes twice. Then we cut the price.',
  'Yes, it comes in a box. No, the box is not the good part.',
] as const;

const OPENINGS = [
  'Some things earn their place on the shelf. This is one of them',
  'There’s a time for patience, and there’s a time for a price like this one',
  'We tried it at the office & nobody wanted to give it back',
  'You could spend more. We don’t see why you would',
] as const;

export function textsOf(listing: Listing): Texts {
  const { brand, trait, kind, condition, categories } = productOf(listing);
  const random = createRandom(listing.product, 'texts');
  const warranty = `<p><strong>Warranty:</strong> <a href="/warranty" target="_blank">${random.pick(['90 Day', '1 Year', 'Limited Lifetime'])} ${brand} Warranty</a></p>`;
  const points = [
    `${trait} ${inSentence(kind.noun)} by ${brand}`,
    `Condition: ${condition ?? 'New'}`,
    `Made for ${(categories[1] ?? '').split('/').at(-1)?.replace('&', '&amp;')}`,
  ];
  const list = `<ul>\r\n\t<li>${points.join('</li>\r\n\t<li>')}</li>\r\n</ul>`;

  const features = random.pick([
    `${list}\r\n\r\n${warranty}`,
    `<p style="margin: 0px 0px 8px; font-family: &quot;Open Sans&quot;, Arial, sans-serif; color: rgb(30, 30, 30);">${points.join('<br />')}</p>\n<p>&nbsp;</p>\n${warranty}`,
    `${list}\n<b>Shipping Note:</b> Not to Alaska, Hawaii, APO addresses or PO Boxes\n\n<p><strong>Box &amp; manual:</strong> included</p>`,
    `<div style="background: 0% 50% rgb(250, 210, 90); padding: 4px; border: 1px solid rgb(0, 0, 0);">Please note: colours may look different on your screen&hellip;</div>${list}`,
    `<iframe allowfullscreen="" frameborder="0" height="240" src="//video.example.com/embed/${random.int(1000, 9999)}" width="426"></iframe>\n\n<p>${points.join('. ')}</p>`,
    'Variation',
    `Hey there! Expect light marks of wear &amp; tear: scratches, dents and dings, &lt;5% of the surface. ${points[0]}`,
    `<p class="p2" style="margin: 0in 0in 8pt; font-size: 11pt"><span style="font-family: &quot;Calibri&quot;">${points.join('</span></p>\r\n<p class="p2"><span>')}</span></p>`,
  ]);
  const specs = random.pick([
    `<table border="0"><tbody><tr><td>Brand</td><td>${brand}</td></tr><tr><td>Weight</td><td>${random.int(1, 40)}&nbsp;lbs</td></tr></tbody></table>`,
    `<p><strong>In the box:</strong></p>\r\n\r\n<ul>\r\n\t<li>(1) ${brand} ${kind.noun}</li>\r\n\t<li>(1) Manual</li>\r\n</ul>\r\n\r\n<p>&nbsp;</p>`,
    `<ul><li>Brand: ${brand}</li><li>Size: ${random.int(3, 30)}&rdquo; &times; ${random.int(3, 30)}&rdquo;</li><li>...</li></ul>`,
  ]);
  const body = `<p>${random.pick(OPENINGS)}: the <em>${brand}</em> ${inSentence(kind.noun)}, “${inSentence(trait)}” and all.</p>\r\n<p>&nbsp;</p>\r\n${random.pick(
    [
      'And that’s all we have to say about that.',
      '<p>Read what <a href="https://forums.example.com/t/welcome">the forum</a> thinks first. Or don&#39;t.</p>',
      '<p><span style="font-size: 13px;">Pair it with something <b>nice</b>, like a <a href="/plus/nice-things">nice thing</a></span></p>',
    ],
  )}`;
  return {
    teaser: random.pick(TEASERS),
    features,
    specs,
    intro: random.chance(0.5) ? `<p>${random.pick(OPENINGS)}.</p>` : null,
    body,
    snippet: random.chance(0.1) ? `<p><b>Limit ${random.int(2, 5)}</b> per customer</p>` : null,
  };
}
