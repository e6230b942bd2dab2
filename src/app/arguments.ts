import { parseArgs } from 'node:util';

/** The arguments that a program takes. */
export interface Accepted {
  /** The options, each on or off, without dashes. `help` is one of each program. */
  options: readonly string[];
  /** The most arguments besides. */
  most: number;
}

/** The arguments of a command line. */
export interface Arguments {
  options: ReadonlySet<string>;
  /** The arguments that are no options, in their order. */
  given: readonly string[];
}

const MOST = ['No argument is', 'One argument is', 'Two arguments are'];

/** Reads a command line. Returns each problem, in a sentence, where there are any. */
export function readArguments(
  args: readonly string[],
  { options, most }: Accepted,
): Arguments | { problems: string[] } {
  const known = new Set([...options, 'help']);
  const accepted = Object.fromEntries([...known].map((name) => [name, { type: 'boolean' as const }]));
  // The strict mode would stop at the first problem.
  const parsed = parseArgs({ args: [...args], options: accepted, strict: false, tokens: true, allowPositionals: true });
  const given = parsed.positionals;
  const problems = parsed.tokens.flatMap((token) => {
    if (token.kind !== 'option') return [];
    if (!known.has(token.name)) return [`${token.rawName} isn't an option. Use --help for the list.`];
    return token.value === undefined ? [] : [`${token.rawName} takes no value.`];
  });
  if (given.length > most && most === 0) {
    problems.push(...given.map((one) => `"${one}" isn't an option. Use --help for the list.`));
  } else if (given.length > most) {
    problems.push(`${MOST[most] ?? `${most} arguments are`} enough: ${given.join(' ')}. Use --help for the list.`);
  }
  return problems.length > 0 ? { problems } : { options: new Set(Object.keys(parsed.values)), given };
}
