import { z } from 'zod';
import { EVENT_TYPES, SITE_PREFIXES } from './schemas.ts';
import type { Selectable } from './select.ts';

/**
 * A parameter that takes several values, comma-separated or repeated.
 * @param known returns the value in its own spelling, or `undefined` when there is no such value
 */
function several(known: (value: string) => string | undefined, what: string, description: string) {
  return z
    .union([z.string(), z.array(z.string())])
    .describe(description)
    .transform((given, context) =>
      [given]
        .flat()
        .flatMap((part) => part.split(','))
        .map((value) => {
          const found = known(value);
          if (found === undefined) context.addIssue({ code: 'custom', message: `"${value}" is not ${what}.` });
          return found ?? value;
        }),
    );
}

/**
 * The key is checked before anything else; it is listed here only so that it does not count as an unknown parameter.
 */
export const key = z.string().describe('public API key');

/** @param siteDomain domain of the content's sites; without one any domain is accepted */
export function siteParameter(siteDomain: string | undefined) {
  const prefixes: readonly string[] = SITE_PREFIXES;
  return several(
    (value) => {
      const site = value.toLowerCase();
      const [prefix = '', ...domain] = site.split('.');
      const isDomain = siteDomain ? domain.join('.') === siteDomain : domain.length > 1 && !domain.includes('');
      return prefixes.includes(prefix) && isDomain ? site : undefined;
    },
    'a site',
    `sites <prefix>.${siteDomain ?? '{site_domain}'}, comma-separated or repeated; prefixes: ${SITE_PREFIXES.join(', ')}`,
  ).optional();
}

export const eventTypeParameter = several(
  (value) => EVENT_TYPES.find((type) => type.toLowerCase() === value.toLowerCase()),
  'an event type',
  `event types, comma-separated or repeated, in any case: ${EVENT_TYPES.join(', ')}`,
).optional();

export function selectParameter(values: Selectable) {
  return several(
    (value) => values.get(value.toLowerCase()),
    'a value that can be selected',
    `property paths, comma-separated or repeated, in any case: ${[...values.values()].join(', ')}`,
  ).optional();
}

export const idParameter = z.strictObject({
  id: z.guid({ error: (issue) => `${JSON.stringify(issue.input)} is not a Guid.` }),
});
