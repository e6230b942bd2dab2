import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clampMarkdown, escapeLine, link, markdownOf, safeUrl } from '../../src/discord/markdown.ts';
import { MOST_MARKS } from '../../src/shared/combining-marks.ts';

describe('foreign text', () => {
  test.each([
    ['@everyone', '\\@everyone'],
    ['<@123> <#1> <t:1:R> </x:1>', '\\<\\@123\\> \\<\\#1\\> \\<t:1:R\\> \\</x:1\\>'],
    [
      '**bold** _it_ ~~no~~ ||spoiler|| `code`',
      '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~ \\|\\|spoiler\\|\\| \\`code\\`',
    ],
    ['[click](https://evil.example)', '\\[click\\]\\(https\\://evil.example\\)'],
    ['back\\slash', 'back\\\\slash'],
    ['two\n lines', 'two lines'],
    ['1. not a list', '1\\. not a list'],
    ['# no heading', '\\# no heading'],
    ['\u202Edeal\u2066 \u200B\u0007\u0000\uFEFF\u2060of\u0085 \uD800day', 'deal of day'],
    ['\u200Eשלום\u200F 👩\u200D🚒', '\u200Eשלום\u200F 👩\u200D🚒'],
  ])('%j means only itself', (foreign, escaped) => {
    expect(escapeLine(foreign)).toBe(escaped);
  });
});

describe('an address', () => {
  test.each(['javascript:alert(1)', 'ftp://x.example/', 'data:text/html,x', '/relative', 'not an address', ''])(
    '%j is none that a card links to',
    (address) => {
      expect(safeUrl(address)).toBeNull();
      expect(link('Label', address)).toBe('Label');
    },
  );

  test('ends no link early', () => {
    expect(link('x', 'https://a.example/(b)<c>')).toBe('[x](<https://a.example/%28b%29%3Cc%3E>)');
  });

  test('has a label where nobody sees the one that it was given', () => {
    expect(link('\u200B\u202E', 'https://a.example/')).toBe('[…](<https://a.example/>)');
  });

  test('too long for a text is left out of it', () => {
    expect(link('x', `https://a.example/${'y'.repeat(500)}`)).toBe('x');
  });
});

describe('foreign HTML', () => {
  test.each([
    ['<p>One</p><p>&nbsp;</p><p>Two</p>', 'One\n\nTwo'],
    ['<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>', '- a\n- b\n  - c'],
    ['<ol><li>a<ul><li>x</li></ul></li><li>b</li></ol><ol><li>c</li></ol>', '1. a\n   - x\n2. b\n\n1. c'],
    ['<h1>Big</h1>text', '**Big**\n\ntext'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<a href="/warranty">Warranty</a>', 'Warranty'],
    ['<a href="https://a.example/">x [y]</a>', '[x \\[y\\]](<https://a.example/>)'],
    ['<script>alert(1)</script><style>p{}</style>text', 'text'],
    ['<iframe src="//v.example/1"></iframe>\n\n<p>Relief</p>', 'Relief'],
    [
      '<table><tr><th>Size</th><td>10 <b>in</b></td></tr><tr><td>A</td><td><p>B</p></td><td></td></tr></table>',
      '**Size** | 10 **in**\nA | B |',
    ],
    [
      '<table><caption>Box</caption><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
      '**Box**\n\n**a** | **b**\n\n1 | 2',
    ],
    ['<table><tr><td>&nbsp;</td><td></td></tr></table>', ''],
    ['@everyone &lt;@1&gt; <b>5 > 3</b>', '\\@everyone \\<\\@1\\> **5 \\> 3**'],
    ['&ldquo;curly&rdquo; 2\r\n\t\t3', '“curly” 2 3'],
    ['Variation', 'Variation'],
    ['<img src="https://a.example/x.png">', ''],
    ['<div><div><p>unclosed', 'unclosed'],
    ['<b>x <i>y</b> z</i>', '**x *y*** *z*'],
    ['<i> x </i>y<b> z</b><b> </b>', '*x* y **z**'],
    ['<b>a<br>b</b>', '**a**\n**b**'],
    ['<b><ul><li>a</li><li>b</li></ul></b>', '- **a**\n- **b**'],
    ['<h2>a <b>b</b></h2>c', '**a b**\n\nc'],
    ['<blockquote><p>a</p><blockquote>b<br>c</blockquote></blockquote>d', '> a\n> \n> b\n> c\n\nd'],
    ['<code>npm i</code> <code>*a*</code>', '`npm i` \\*a\\*'],
    ['<pre><code>@everyone\n [x](y) &lt;@1&gt;</code></pre>', '\\@everyone\n\\[x\\]\\(y\\) \\<\\@1\\>'],
    ['<table><tr><td><table><tr><td>1</td><td>2</td></tr></table></td></tr></table>3', '1 | 2\n\n3'],
    ['a<object>b<object>c</object>d</object>e', 'ae'],
    ['1<!-- -->. a', '1\\. a'],
    ['http:<span>//evil.example</span>', 'http\\://evil.example'],
  ])('%j', (html, markdown) => {
    expect(markdownOf(html, null)).toBe(markdown);
  });

  test.each([
    ['<a href="/warranty">Warranty</a>', '[Warranty](<https://www.example.com/warranty>)'],
    ['<a href="//other.example/x">x</a>', '[x](<https://other.example/x>)'],
    ['<a href="?page=2">x</a>', '[x](<https://www.example.com/offers/kettle?page=2>)'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<iframe src="//v.example/1"></iframe>', '[Video](<https://v.example/1>)'],
    [
      '<a href="/a">line<br>break</a> after <a href="/b"><h3>Two</h3>\n<p>blocks</p></a><p>end</p>',
      '[line break](<https://www.example.com/a>) after\n\n[**Two** blocks](<https://www.example.com/b>)\n\nend',
    ],
    ['<a href="/a">a\u2028b\u0007\u202E]</a>', '[a b\\]](<https://www.example.com/a>)'],
    ['<a href="/a"><br> \u200B</a>none', 'none'],
    ['<a href="/a">a<a href="/b">b', '[a](<https://www.example.com/a>)[b](<https://www.example.com/b>)'],
    ['<a href="/a"><code>a]</code></a>', '[a\\]](<https://www.example.com/a>)'],
    ['<a href="/a" href="/b">a</a>', '[a](<https://www.example.com/a>)'],
    ['<a href="/?a=1&amp;b=(2)">a</a>', '[a](<https://www.example.com/?a=1&b=%282%29>)'],
  ])('%j is resolved from where it stands', (html, markdown) => {
    expect(markdownOf(html, 'https://www.example.com/offers/kettle')).toBe(markdown);
  });

  const recorded = new URL('../../../shared/real-payloads/html-fragments.json', import.meta.url);
  test.skipIf(!existsSync(recorded))('as it really occurs leaves no tag behind', () => {
    const fragments: Record<string, string> = JSON.parse(readFileSync(recorded, 'utf8'));
    for (const html of Object.values(fragments)) {
      const markdown = markdownOf(html, 'https://www.example.com/offers/x');
      expect(markdown.replace(/\]\(<[^>]*>\)/g, '')).not.toMatch(/(?<!\\)<|&[a-z]+;/);
    }
  });
});

test.each([
  ['<div>'.repeat(50_000), ''],
  [`${'<b>'.repeat(6_000)}deep`, 'deep'],
  [`${'<blockquote></i>'.repeat(1_000)}deep`, '>deep'],
  [`${'<ul><li>'.repeat(2_000)}deep`, 'deep'],
])('HTML nested without end has its text taken', (html, text) => {
  expect(markdownOf(html, null).replace(/[\s*-]/g, '')).toBe(text);
});

describe('a link', () => {
  const words = 'word '.repeat(200).trim();

  test('ends within its label where that is too long for one', () => {
    const markdown = markdownOf(`<a href="https://a.example/">${words}</a> end`, null);
    const [, label = '', rest = ''] = /^\[([^\]]*)\]\(<https:\/\/a\.example\/>\) (.*)$/.exec(markdown) ?? [];
    expect(label.length).toBeGreaterThan(100);
    expect(label.length).toBeLessThanOrEqual(250);
    expect(`${label} ${rest}`).toBe(`${words} end`);
  });

  test('that is never closed takes no more than that', () => {
    const markdown = markdownOf(`<a href="https://a.example/">${'<p>text</p>'.repeat(200)}`, null);
    expect(markdown.indexOf('](<')).toBeLessThanOrEqual(251);
    expect(markdown).toMatch(/text\n\ntext$/);
  });

  test('whose address is too long for a text is its label', () => {
    const address = (length: number) => 'https://a.example/'.padEnd(length, 'x');
    expect(markdownOf(`<a href="${address(400)}">a</a>`, null)).toBe(`[a](<${address(400)}>)`);
    expect(markdownOf(`<a href="${address(401)}">a</a>`, null)).toBe('a');
  });
});

test('combining marks in a row are cut in HTML and in lines, however they are written', () => {
  const few = `Z${'\u0301'.repeat(MOST_MARKS)}`;
  for (const marks of ['\u0301', '&#769;'].map((mark) => mark.repeat(454))) {
    expect(markdownOf(`<p>Z${marks}</p>`, null)).toBe(few);
  }
  expect(escapeLine(`Z${'\u0301'.repeat(454)}`)).toBe(few);
});

test('whatever the HTML, marks pair in their line, labels are whole and nothing foreign has a meaning', () => {
  const part = fc.oneof(
    fc
      .constantFrom(
        'b',
        'i',
        'code',
        'a href="/x"',
        'p',
        'br',
        'ul',
        'ol',
        'li',
        'blockquote',
        'table',
        'tr',
        'td',
        'th',
        'h2',
        'pre',
      )
      .chain((name) => fc.constantFrom(`<${name}>`, `</${name.split(' ')[0]}>`)),
    fc.constantFrom('word', ' ', '\n', 'a b', '&nbsp;', '\u202E', '\u200B', '<!-- -->', '1. '),
    fc.constantFrom('@everyone', '&lt;@1&gt;', '[x](https://evil.example)', '`', '**', '_', '\\', '# ', '|', '~~'),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const markdown = markdownOf(parts.join(''), 'https://www.example.com/');
      for (const line of markdown.split('\n')) {
        const bare = line
          .replace(/^(?:> )?(?: *(?:- |\d+\. ))*/, '')
          .replace(/`[^`\\*[\]<>]+`/g, '')
          .replace(/\\./g, 'x')
          .replace(/\[([^[\]]+)\]\(<https:\/\/www\.example\.com\/x>\)/g, '$1')
          .replaceAll(' | ', ' ')
          .replace(/^\| (?:\| )*|(?: \|)+$/g, '');
        expect(bare).not.toMatch(/[[\]<>`_~#@|\\]/);
        expect((bare.match(/\*/g) ?? []).length % 2).toBe(0);
      }
      expect(markdown).not.toMatch(/[\u202E\u200B]/);
    }),
    { numRuns: 2000 },
  );
});

describe('cutting Markdown', () => {
  test('leaves what fits', () => {
    expect(clampMarkdown('short', 10)).toBe('short');
  });
  test('cuts after a line', () => {
    expect(clampMarkdown('first line\nsecond line', 18)).toBe('first line\n…');
  });
  test('never cuts a link in two', () => {
    const cut = clampMarkdown(`${'word '.repeat(10)}[a link](<https://a.example/>) and more`, 60);
    expect(cut).toBe(`${'word '.repeat(10).trim()}…`);
  });
  test('never ends in a backslash', () => {
    expect(clampMarkdown(`${'x'.repeat(8)}\\*\\*\\*`, 10)).toBe('xxxxxxxx…');
  });
  test.each([20, 50, 100])('never makes more than %i characters', (most) => {
    for (let length = 0; length < 300; length += 7) {
      expect(
        clampMarkdown('one two [three](<https://a.example/>)\nfour \\* '.repeat(9).slice(0, length), most).length,
      ).toBeLessThanOrEqual(most);
    }
  });
});
