import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError } from './errors.ts';

/** Schema of an option that takes no value. */
export const flag = z.boolean().default(false);

/**
 * Reads a command line.
 * @param options a schema for each option, by its name without hyphens: {@link flag}, or an array for an option that
 *   can be repeated; any other schema gets the option's text. An issue's message describes a good value ("a number
 *   above 0"), or is a sentence with a full stop.
 * @param needs for an option, the other option that it requires
 * @throws ConfigError with every problem at once, each naming its option
 * @example readCommandLine(process.argv.slice(2), { help: flag, standby: flag })
 */
export function readCommandLine<Options extends z.ZodRawShape>(
  args: readonly string[],
  options: Options,
  needs: Readonly<Record<string, keyof Options & string>> = {},
): z.output<z.ZodObject<Options>> {
  const problems: string[] = [];
  const kinds = new Map(Object.entries(options).map(([name, schema]) => [name, kindOf(schema)]));
  const types = [...kinds].map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }] as const);
  // The strict mode would stop at the first problem.
  const { tokens } = parseArgs({ args: [...args], options: Object.fromEntries(types), strict: false, tokens: true });
  const given: Record<string, unknown> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`"${token.value}" isn't an option. Use --help for the list.`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const kind = kinds.get(name);
    if (!kind) problems.push(`${rawName} isn't an option. Use --help for the list.`);
    else if (kind === 'flag') {
      if (value !== undefined) problems.push(`${rawName} takes no value.`);
      given[name] = true;
      // parseArgs gives an option without a value the next option as its value. A value after `=` may begin with `--`.
    } else if (!value || (!token.inlineValue && value.startsWith('--'))) problems.push(`${rawName} needs a value.`);
    else given[name] = kind === 'list' ? [given[name] ?? [], value].flat() : value;
  }
  for (const [name, other] of Object.entries(needs)) {
    if (name in given && !(other in given)) problems.push(`--${name} needs --${other}.`);
  }
  const { data, error } = z.object(options).safeParse(given);
  for (const { path, message } of error?.issues ?? []) {
    const name = String(path[0]);
    problems.push(message.endsWith('.') ? message : `--${name} is "${String(given[name])}"; use ${message}.`);
  }
  if (!data || problems.length > 0) throw new ConfigError(problems);
  return data;
}

function kindOf(schema: z.core.$ZodType): 'flag' | 'list' | 'text' {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  if (inner instanceof z.ZodBoolean) return 'flag';
  return inner instanceof z.ZodArray ? 'list' : 'text';
}
