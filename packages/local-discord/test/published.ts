import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as spec from 'discord-api-spec/zod';
import * as z from 'zod/mini';

// Discord's own document: which operations there are, and what each answers. Its package has the answers' forms as schemas,
// and which operation has which form as a TypeScript type alone, in a file that is laid out by a program.

export interface PublishedOperation {
  method: string;
  /** As the document writes it: `/channels/{channel_id}`. */
  path: string;
  /** The type of the answer of each status: see `schemaOf`. */
  answers: ReadonlyMap<number, string>;
}

/** All operations of the document. */
export function publishedOperations(): PublishedOperation[] {
  const file = fileURLToPath(import.meta.resolve('discord-api-spec')).replace(/\.js$/, '.ts');
  const [, paths = ''] = readFileSync(file, 'utf8').split('export interface Paths {\n');
  const [body = ''] = paths.split('\n}\n');
  return blocksIn(body, 2).flatMap(([path, at]) =>
    blocksIn(at, 4).map(([method, operation]) => {
      const [, responses = ''] = blocksIn(operation, 6).find(([name]) => name === 'responses') ?? [];
      return { method: method.toUpperCase(), path, answers: answersIn(responses) };
    }),
  );
}

/** The members that are objects, of a text whose members are indented so far: each with its name and its text. */
function blocksIn(text: string, indent: number): [name: string, text: string][] {
  const block = new RegExp(`^ {${indent}}"?([^"\\s]+?)"?: \\{\\n([\\s\\S]*?)^ {${indent}}\\};$`, 'gm');
  return [...text.matchAll(block)].map(([, name = '', inside = '']) => [name, inside]);
}

function answersIn(responses: string): PublishedOperation['answers'] {
  const answer = /^ {8}"(\d{3})":([\s\S]*?);$/gm;
  return new Map([...responses.matchAll(answer)].map(([, status, type = '']) => [Number(status), type.trim()]));
}

const SCHEMAS = spec as unknown as Record<string, spec.Schema | undefined>;

/** The schema of a type, as `(MessageResponse | null)[]`. An answer without content is `unknown`. */
export function schemaOf(type: string): spec.Schema {
  return union(type.match(/\w+|\[\]|[|()]/g) ?? []);
}

/** Reads a union, and takes what it has read from the front of the tokens. */
function union(tokens: string[]): spec.Schema {
  const all: spec.Schema[] = [];
  while (tokens.length > 0 && tokens[0] !== ')') {
    const token = tokens.shift() ?? '';
    if (token === '|') continue;
    let one = token === '(' ? union(tokens) : named(token);
    if (token === '(') tokens.shift();
    while (tokens[0] === '[]') {
      tokens.shift();
      one = z.array(one);
    }
    all.push(one);
  }
  return z.union(all);
}

function named(name: string): spec.Schema {
  if (name === 'null') return z.null();
  if (name === 'unknown') return z.undefined();
  const schema = SCHEMAS[`${name}Schema`];
  if (!schema) throw new Error(`The document has no form called ${name}.`);
  return schema;
}

/** The operation that a request asks for: of those that fit, the one whose path has the fewest parameters. */
export function operationFor(
  operations: readonly PublishedOperation[],
  method: string,
  path: string,
): PublishedOperation | undefined {
  const fitting = operations.filter((one) => one.method === method && patternOf(one.path).test(path));
  return fitting.toSorted((a, b) => parametersIn(a.path) - parametersIn(b.path))[0];
}

const parametersIn = (path: string) => path.split('{').length;
const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
