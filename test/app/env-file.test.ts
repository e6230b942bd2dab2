import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { readEnvFile } from '../../src/app/env-file.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const SECRET = 'a-secret-of-mine';
const EXPECTED = 'Write NAME=value, or # before a comment.';

/** What is read of a file with this content. */
function read(content: string | Uint8Array) {
  const path = join(temporaryFolder(), '.env');
  writeFileSync(path, content);
  return readEnvFile(path);
}

test.each<[string, string, Record<string, string>]>([
  ['nothing', '', {}],
  ['blank lines and comments', '\n  \t\n# x: y\n  # z\n', {}],
  ['a byte order mark', '\uFEFFA=1\nB=2\n', { A: '1', B: '2' }],
  ['line ends of Windows', 'A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['line ends of an old Mac', 'A=1\rB=2', { A: '1', B: '2' }],
  ['no line end', 'A=1', { A: '1' }],
  ['export and spaces', ' export  A = 1 \nexport=2', { A: '1', export: '2' }],
  ['quotes', 'A="x y"\nB=\'#z\'\nC=`"`\nD="a\\nb"', { A: 'x y', B: '#z', C: '"', D: 'a\nb' }],
  ['comments after values', 'A=1 # one\nB="#" # mark', { A: '1', B: '#' }],
  ['quotes within values', "A=it's\nB=don't", { A: "it's", B: "don't" }],
  ['= and : within values', 'A=postgres://u:p@h/d?a=b', { A: 'postgres://u:p@h/d?a=b' }],
  ['no value', 'A=\nB=  ', { A: '', B: '' }],
  ['an empty line that is filled in below', 'A=\nA=1\nA=1', { A: '1' }],
])('%s: each line is read', (_, content, values) => {
  expect(read(content)).toEqual({ values, problems: [] });
});

test.each<[string, string | Uint8Array, string[]]>([
  ['a colon', `STATE_URL: ${SECRET}\nB=2`, [`line 1: a colon stands where = should be. ${EXPECTED}`]],
  ['a colon before =', `A: b=${SECRET}`, [`line 1: a colon stands where = should be. ${EXPECTED}`]],
  ['a name alone', `\nNAME\nB=2`, [`line 2: there is no =. ${EXPECTED}`]],
  ['a name with a space', `STATE URL=${SECRET}`, [`line 1: what stands before = is no name. ${EXPECTED}`]],
  ['no name', `\n=${SECRET}`, [`line 2: what stands before = is no name. ${EXPECTED}`]],
  ['a name that begins with a digit', `1A=${SECRET}`, [`line 1: what stands before = is no name. ${EXPECTED}`]],
  ['another mark for comments', `;${SECRET}`, [`line 1: there is no =. ${EXPECTED}`]],
  [
    'a value over several lines',
    `A="${SECRET}\nC=1"\nB=2`,
    ["line 1: the quote of A isn't closed on its line. Close it, or leave it out."],
  ],
  [
    'more after the closing quote',
    `A="${SECRET} \\"b\\""`,
    ['line 1: more follows the quote that closes the value of A. Put the value in other quotes.'],
  ],
  [
    'a # in a value, where tools differ',
    `A=${SECRET}#b\nB=#c\nC= # d\nD=e # f#g`,
    [
      'line 1: a # stands in the value of A. Put the value in quotes, or a space before a comment.',
      'line 2: a # stands in the value of B. Put the value in quotes, or a space before a comment.',
    ],
  ],
  ['two values', `A=${SECRET}\n\nA=2`, ['line 3: A has another value in line 1. Remove one of the two lines.']],
  ['a value that is taken back', 'A=1\nA=', ['line 2: A has another value in line 1. Remove one of the two lines.']],
  [
    'several mistakes',
    'a\nB=2\nc: d',
    [`line 1: there is no =. ${EXPECTED}`, `line 3: a colon stands where = should be. ${EXPECTED}`],
  ],
])('%s: each such line is named by its number, without what stands there', (_, content, problems) => {
  const found = read(content);
  expect(found.problems).toEqual(problems.map((problem) => `.env, ${problem}`));
  expect(found.problems.join()).not.toContain(SECRET);
});

test('text of another encoding is refused', () => {
  const problems = [".env isn't UTF-8 text. Save it as UTF-8."];
  expect(read(Buffer.from('\uFEFFA=1', 'utf16le'))).toEqual({ values: {}, problems });
});

test('a file that does not exist sets nothing', () => {
  expect(readEnvFile(join(temporaryFolder(), '.env'))).toEqual({ values: {}, problems: [] });
});

test.each<[string, (path: string) => void, RegExp]>([
  ['a folder', (path) => mkdirSync(path), /^\.env is a folder, .* Delete it, and copy \.env\.example to \.env\.$/],
  [
    'a link that leads nowhere',
    (path) => symlinkSync('gone', path),
    /^\.env is a link to a file that doesn't exist\. /,
  ],
  ['a link to itself', (path) => symlinkSync('.env', path), /^\.env can't be read \(ELOOP\)\. /],
])('%s is refused with the remedy', (_, make, sentence) => {
  const path = join(temporaryFolder(), '.env');
  make(path);
  expect(readEnvFile(path)).toEqual({ values: {}, problems: [expect.stringMatching(sentence)] });
});

test.skipIf(process.getuid?.() === 0)('a file that may not be read is refused with the remedy', () => {
  const path = join(temporaryFolder(), '.env');
  writeFileSync(path, 'A=1');
  chmodSync(path, 0);
  const problems = [".env can't be read (EACCES). Let the user who runs Dealbell read it."];
  expect(readEnvFile(path)).toEqual({ values: {}, problems });
});

/** The rows of the table in docs/env-file.md: a line, and what Dealbell and Node make of it. */
const TABLE = readFileSync(new URL('../../docs/env-file.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')) as [string, string, string, ...string[]]);

const SIGNS: readonly [sign: string, meaning: string][] = [
  ['[BOM]', '\uFEFF'],
  ['␍', '\r'],
  ['⏎', '\n'],
  ['␠', ' '],
];
/** The text of a cell that is written as code. */
const textIn = (cell: string) =>
  SIGNS.reduce((text, [sign, meaning]) => text.replaceAll(sign, meaning), cell.replace(/^(`` |`)(.*?)( ``|`)$/, '$2'));

/** What variables come to, as the table says it. */
function asCell(values: Readonly<Record<string, string | undefined>>): string {
  const [set] = Object.entries(values);
  if (!set) return '—';
  const [name, value = ''] = set;
  if (!['A', 'a', '1A', 'A-B'].includes(name)) return `sets ${name}`;
  return value === '' ? 'empty' : value;
}
const plain = (cell: string) => (cell.startsWith('sets ') ? `sets ${textIn(cell.slice(5))}` : textIn(cell));

test('the table of lines has enough of them', () => {
  expect(TABLE.length).toBeGreaterThanOrEqual(40);
});

test.each(TABLE)('%s: Dealbell makes %s of it and Node %s, as the table says', (line, ofDealbell, ofNode) => {
  const text = `${textIn(line)}\n`;
  const { values, problems } = read(text);
  expect(problems.length > 0 ? 'refused' : asCell(values)).toBe(plain(ofDealbell));
  expect(asCell(parseEnv(text))).toBe(plain(ofNode));
});
