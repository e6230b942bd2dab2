import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
