/** Texts that are dear to look through where anything grows with more than their length; each is `length` characters long. */
export const HOSTILE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  'tags never closed': repeated('<b>'),
  'blocks never closed': repeated('<div>'),
  'paragraphs within links never closed': repeated('<a href="/x"><p>a'),
  'quotes whose depth wrong end tags hide': repeated('<blockquote></i>'),
  'lists within lists': repeated('<ul><li>a'),
  'list items with many lines': (length) =>
    `<ul><li>${'<ul><li>'.repeat(8)}${repeated('a<br>')(length)}`.slice(0, length),
  'tables within tables': repeated('<table><tr><td>a'),
  'rows of empty cells': repeated('<td>', '<table><tr>'),
  'end tags alone': repeated('</p></b></li>'),
  'end tags of what is deep below': (length) =>
    `${repeated('<q7>')(Math.floor(length / 2))}${repeated('</q8>')(Math.ceil(length / 2))}`,
  'formats that cross': repeated('<b>a<i>b</b>c</i>'),
  'formats that cross in paragraphs': repeated('<p><b><i><a href="/x">a</p>'),
  'formats that differ by an attribute': (length) => {
    const tags = Array.from({ length: Math.ceil(length / 20) }, (_, index) => `<font a=${index}><b>`).join('');
    return `${tags.slice(0, Math.floor(length / 2))}${repeated('<p>a')(Math.ceil(length / 2))}`;
  },
  'one tag with many attributes': (length) =>
    `<a ${Array.from({ length: Math.ceil(length / 6) }, (_, index) => `a${index}=1 `).join('')}`.slice(0, length),
  'one attribute many times': repeated('href="/x" ', '<a '),
  'an attribute of entities': repeated('&amp;', '<a href="'),
  'tags never finished': repeated('<a <'),
  'smaller-than signs': repeated('<'),
  'tag beginnings': repeated('</'),
  'comments never closed': repeated('<!--'),
  'comments almost closed': repeated('--', '<!--'),
  CDATA: repeated('<![CDATA['),
  'scripts almost closed': repeated('</scrip', '<script>'),
  entities: repeated('&amp;&#60;&nbsp;'),
  'entities never finished': repeated('&ampamp'),
  'a number without end': repeated('1', '&#'),
  'combining marks': repeated('\u0301', 'a', 'b'),
  'combining marks and joiners': repeated('\u0301\u200d', 'a', 'b'),
  'joiners after combining marks': repeated('\u0301\u0301\u0301\u200d\u200d\u200d\u200d'),
  'joiners alone': repeated('\u200d', 'a\u0301\u0301', 'b'),
  'combining marks as entities': repeated('&#769;', 'a', 'b'),
  spaces: repeated(' ', 'a', 'b'),
  'spaces of two kinds': repeated(' \u00a0', 'a', 'b'),
  'spaces before one of another kind': repeated(' ', '<i>a</i>', '\u00a0<i>b</i>'),
  'spaces in formats': repeated('<b> </b> '),
  'new lines': repeated('\n', '<pre>a', 'b</pre>'),
  'line breaks': repeated('<br>', 'a', 'b'),
  backslashes: repeated('\\'),
  asterisks: repeated('*'),
  'asterisks apart': repeated('* '),
  brackets: repeated('['),
  'links by hand': repeated('[a](<'),
  'links with brackets in their labels': repeated('<a href="/x">[a]</a>'),
  'links with long labels': repeated('<a href="/x">a b c<br>'),
  backticks: repeated('`'),
  'code in formats': repeated('<code>a</code><b><code>b</b>'),
  stops: repeated('.'),
  'stops and quotes': (length) => `${'!'.repeat(length / 2)}${repeated('"', '', 'a')(length / 2)}`,
  'sentences in bold': repeated('a. ', '<b>'),
  'numbers and dots': repeated('1.'),
  digits: repeated('1'),
  slashes: repeated('/', 'https://www.example.com/a', 'b'),
  addresses: repeated('https://a.example/.'),
  'an address and stops': repeated('.', 'https://a.example/', 'b'),
  quotes: repeated('"'),
  'halves of pairs': repeated('\ud83d'),
  'accents on accents': repeated('\u0301', 'a'),
};

function repeated(part: string, before = '', after = ''): (length: number) => string {
  return (length) => {
    const room = length - before.length - after.length;
    return before + part.repeat(Math.ceil(room / part.length)).slice(0, room) + after;
  };
}
