import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Every name of an event that the sources log at `info` or above, and those in a table `LOG_EVENTS`; what is filled in later
 * is an ellipsis.
 */
export function loggedEvents(...places: string[]): Set<string> {
  const events = new Set<string>();
  for (const place of places) {
    for (const file of sourcesIn(place)) {
      const source = readFileSync(file, 'utf8');
      for (const { index, 0: start } of source.matchAll(/\blog(\.(info|warn|error|fatal)|\[[^\]]+\])\(/g)) {
        for (const event of textsOf(argumentsAt(source, index + start.length - 1))) events.add(event);
      }
      for (const [, table = ''] of source.matchAll(/\bconst LOG_EVENTS = \{([^}]*)\}/g)) {
        for (const event of textsOf(table)) events.add(event);
      }
    }
  }
  return events;
}

/** A file, or all sources in a folder. */
function sourcesIn(place: string): string[] {
  if (place.endsWith('.ts')) return [place];
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(place, file));
}

/** The text between a parenthesis and the one that closes it. */
function argumentsAt(source: string, start: number): string {
  let depth = 0;
  for (let end = start; end < source.length; end += 1) {
    if (source[end] === '(') depth += 1;
    if (source[end] === ')') depth -= 1;
    if (depth === 0) return source.slice(start + 1, end);
  }
  throw new Error('A call has no end.');
}

/** The texts of a call that stand in no object and are compared with nothing. */
function textsOf(call: string): string[] {
  const texts = call.replace(/\{(?:[^{}]|\{[^{}]*\})*\}/g, (_, at: number) => (call[at - 1] === '$' ? '{}' : ''));
  return [...texts.matchAll(/'([^']+)'|"([^"]+)"|`([^`]+)`/g)].map((match) =>
    (match[1] ?? match[2] ?? match[3] ?? '').replace(/[$][{][}]/g, '…'),
  );
}
