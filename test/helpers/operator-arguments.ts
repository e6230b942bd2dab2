import { readArguments } from '../../src/app/arguments.ts';
import type { Arguments, OperatorCommand } from '../../src/app/feature.ts';
import { UsageError } from '../../src/shared/errors.ts';

/** What a command gets of its command line. @throws UsageError as its process ends with */
export function argumentsOf(command: OperatorCommand, ...args: string[]): Arguments {
  const read = readArguments(args, command);
  if ('problems' in read) throw new UsageError(read.problems.join('\n'));
  return read;
}
