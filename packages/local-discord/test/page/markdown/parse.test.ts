import { describe, expect, test } from 'vitest';
import type { Inline } from '../../../src/page/markdown/inline.ts';
import { type Block, parseMarkdown } from '../../../src/page/markdown/parse.ts';

/** The nodes of a text that is one paragraph. */
function inline(source: string): Inline[] {
  const [block, ...others] = parseMarkdown(source);
  expect(others).toEqual([]);
  if (block?.type !== 'paragraph') throw new Error(`"${source}" is no paragraph`);
  return block.children;
}

const text = (value: string): Inline => ({ type: 'text', text: value });
const paragraph = (value: string): Block => ({ type: 'paragraph', children: [text(value)] });
const link = (href: string, label: string): Inline => ({ type: 'link', href, children: [text(label)] });

describe('emphasis', () => {
  test.each([
    ['**b**', { type: 'bold', children: [text('b')] }],
    ['*i*', { type: 'italic', children: [text('i')] }],
    ['_i_', { type: 'italic', children: [text('i')] }],
    ['__u__', { type: 'underline', children: [text('u')] }],
    ['~~$129.95~~', { type: 'strike', children: [text('$129.95')] }],
    ['||s||', { type: 'spoiler', children: [text('s')] }],
    ['`a **b**`', { type: 'code', text: 'a **b**' }],
    ['``a`b``', { type: 'code', text: 'a`b' }],
    ['***b***', { type: 'bold', children: [{ type: 'italic', children: [text('b')] }] }],
  ] satisfies [string, Inline][])('%s', (source, node) => {
    expect(inline(source)).toEqual([node]);
  });

  test.each(['snake_case_name', '2 * 3 * 4', '**open', '~~open', '`open', 'a ** b', '****', '||||'])(
    '%s stays as it is',
    (source) => {
      expect(inline(source)).toEqual([text(source)]);
    },
  );

  test('nests and mixes with text', () => {
    expect(inline('a **b ~~c~~** d')).toEqual([
      text('a '),
      { type: 'bold', children: [text('b '), { type: 'strike', children: [text('c')] }] },
      text(' d'),
    ]);
  });

  test('a backslash takes the meaning away', () => {
    expect(inline('\\*a\\* \\~~b~~ \\[c](https://d.example)')[0]).toEqual(text('*a* ~~b~~ [c]('));
    expect(inline('\\*a\\*')).toEqual([text('*a*')]);
    expect(inline('**a \\** b**')).toEqual([{ type: 'bold', children: [text('a ** b')] }]);
    expect(inline('C:\\dir')).toEqual([text('C:\\dir')]);
  });
});

describe('links', () => {
  test.each([
    ['[Open](https://a.example/x)', link('https://a.example/x', 'Open')],
    ['[Open](<https://a.example/x?y=1>)', link('https://a.example/x?y=1', 'Open')],
    ['[Open](https://a.example/x "title")', link('https://a.example/x', 'Open')],
    ['[a [b] c](https://a.example/)', link('https://a.example/', 'a [b] c')],
    ['[Wiki](https://a.example/x_(y))', link('https://a.example/x_(y)', 'Wiki')],
    ['<https://a.example/x>', link('https://a.example/x', 'https://a.example/x')],
    ['http://a.example/x', link('http://a.example/x', 'http://a.example/x')],
  ])('%s', (source, node) => {
    expect(inline(source)).toEqual([node]);
  });

  test.each([
    ['see https://a.example/x.', 'https://a.example/x', '.'],
    ['(https://a.example/x)', 'https://a.example/x', ')'],
    ['https://a.example/x_(y), z', 'https://a.example/x_(y)', ', z'],
    ['**https://a.example/x**', 'https://a.example/x', ''],
  ])('a bare link ends before punctuation: %s', (source, href, after) => {
    const flat = inline(source).flatMap((node) => (node.type === 'bold' ? node.children : [node]));
    expect(flat).toContainEqual(link(href, href));
    if (after !== '') expect(flat.at(-1)).toEqual(text(after));
  });

  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,hello)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](//a.example)',
    '[x](/page/state)',
    '[x]()',
    '[](https://)',
    '<javascript:alert(1)>',
    '[x](\tjavascript:alert(1))',
  ])('%s is no link', (source) => {
    expect(JSON.stringify(parseMarkdown(source))).not.toContain('"link"');
  });

  test("a link's text holds no other link", () => {
    expect(inline('[https://b.example](https://a.example/)')).toEqual([
      link('https://a.example/', 'https://b.example'),
    ]);
  });

  test('markup in an address stays inside the address', () => {
    const [node] = inline('[x](<https://a.example/"onmouseover="alert(1)>)');
    expect(node).toMatchObject({ type: 'link', href: 'https://a.example/%22onmouseover=%22alert(1)' });
  });
});

describe('angle brackets', () => {
  test.each([
    ['<t:1700000000:R>', { type: 'time', unixSeconds: 1_700_000_000, style: 'R' }],
    ['<t:1700000000>', { type: 'time', unixSeconds: 1_700_000_000, style: 'f' }],
    ['<#12>', { type: 'mention', kind: 'channel', id: '12' }],
    ['<@12>', { type: 'mention', kind: 'user', id: '12' }],
    ['<@!12>', { type: 'mention', kind: 'user', id: '12' }],
    ['<@&12>', { type: 'mention', kind: 'role', id: '12' }],
    ['</subscription add:12>', { type: 'command', name: 'subscription add', id: '12' }],
    ['<a:party:12>', { type: 'emoji', name: 'party' }],
    ['@everyone', { type: 'everyone', text: '@everyone' }],
  ] satisfies [string, Inline][])('%s', (source, node) => {
    expect(inline(source)).toEqual([node]);
  });

  test.each([
    '<t:99999999999999999:R>',
    '<t:x>',
    '<t:1:Q>',
    '<@x>',
    '<img src=x onerror=alert(1)>',
    '<script>',
    '</:1>',
  ])('%s is text', (source) => {
    expect(inline(source)).toEqual([text(source)]);
  });
});

describe('blocks', () => {
  test('headings of three levels and small print', () => {
    expect(parseMarkdown('# a\n## b\n### c\n-# d\n#e\n#### f')).toEqual([
      { type: 'heading', level: 1, children: [text('a')] },
      { type: 'heading', level: 2, children: [text('b')] },
      { type: 'heading', level: 3, children: [text('c')] },
      { type: 'subtext', children: [text('d')] },
      { type: 'paragraph', children: [text('#e'), { type: 'break' }, text('#### f')] },
    ]);
  });

  test('lists, nested and numbered', () => {
    expect(parseMarkdown('- a\n- b\n  - c\n3. d\n4. e')).toEqual([
      {
        type: 'list',
        start: null,
        items: [[paragraph('a')], [paragraph('b'), { type: 'list', start: null, items: [[paragraph('c')]] }]],
      },
      { type: 'list', start: 3, items: [[paragraph('d')], [paragraph('e')]] },
    ]);
  });

  test('quotes of some lines and of all the rest', () => {
    expect(parseMarkdown('> a\n> - b\nc')).toEqual([
      { type: 'quote', children: [paragraph('a'), { type: 'list', start: null, items: [[paragraph('b')]] }] },
      paragraph('c'),
    ]);
    expect(parseMarkdown('>>> a\nb')).toEqual([
      { type: 'quote', children: [{ type: 'paragraph', children: [text('a'), { type: 'break' }, text('b')] }] },
    ]);
  });

  test('code blocks keep their text as it is', () => {
    expect(parseMarkdown('x\n```js\nconst a = "**b**";\n```\ny')).toEqual([
      paragraph('x'),
      { type: 'code-block', language: 'js', text: 'const a = "**b**";' },
      paragraph('y'),
    ]);
    expect(parseMarkdown('```one```')).toEqual([{ type: 'code-block', language: '', text: 'one' }]);
    expect(parseMarkdown('``` open')).toEqual([paragraph('``` open')]);
  });

  test('an empty text has no blocks', () => {
    expect(parseMarkdown('')).toEqual([]);
    expect(parseMarkdown(' \n ')).toEqual([]);
  });
});

describe('hostile texts', () => {
  test('markup stays text', () => {
    const source = '<b onclick="x">&amp;<style>*{}</style>';
    expect(JSON.stringify(inline(source))).toContain(JSON.stringify('<b onclick="x">&amp;<style>').slice(1, -1));
    expect(new Set(inline(source).map(({ type }) => type))).toEqual(new Set(['text']));
  });

  test.each([
    ['unclosed emphasis', '**_~~||'.repeat(600)],
    ['nested emphasis', `${'**__'.repeat(1000)}x${'__**'.repeat(1000)}`],
    ['brackets', '['.repeat(4000)],
    ['links that never close', '[a]('.repeat(1000)],
    ['parentheses in an address', `[a](${'('.repeat(4000)}`],
    ['backticks', '`'.repeat(4001)],
    ['quotes', '> '.repeat(2000)],
    ['deep lists', Array.from({ length: 90 }, (_, depth) => `${' '.repeat(depth)}- x`).join('\n')],
    ['asterisks', '*a '.repeat(1300)],
    ['bare links', 'https://'.repeat(500)],
    ['backslashes', '\\'.repeat(4000)],
  ])('%s end in a bounded tree', (_name, source) => {
    expect(depthOf(parseMarkdown(source))).toBeLessThan(40);
  });
});

function depthOf(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  return 1 + Math.max(0, ...Object.values(node).map(depthOf));
}
