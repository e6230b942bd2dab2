import type { z } from 'zod';
import type { CatalogMoment } from './content.ts';
import { badRequest } from './refusal.ts';

export type Family = 'v2' | 'portal';

/**
 * One operation of the interface: its inputs, its answers and its handler. The OpenAPI document is made from it too.
 */
export interface Endpoint {
  family: Family;
  method: 'GET' | 'POST';
  /** The path, with parameters as `:name`. */
  path: string;
  summary: string;
  params: z.ZodType;
  query: z.ZodType;
  body?: z.ZodType;
  answer: z.ZodType;
  /** @throws Refusal */
  handle(input: { params: unknown; query: unknown; body: unknown }, moment: CatalogMoment): object | string;
}

interface TypedEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>
  extends Omit<Endpoint, 'params' | 'query' | 'body' | 'handle'> {
  params: P;
  query: Q;
  body?: B;
  /** A string that it returns is JSON already. */
  handle(input: { params: z.output<P>; query: z.output<Q>; body: z.output<B> }, moment: CatalogMoment): object | string;
}

/** Makes an endpoint whose input is checked by its schemas before `handle` sees it. */
export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType = z.ZodType>(
  definition: TypedEndpoint<P, Q, B>,
): Endpoint {
  const bodySchema = definition.body;
  return {
    ...definition,
    handle({ params, query, body }, moment) {
      return definition.handle(
        {
          params: parse(definition.params, params),
          query: parse(definition.query, query),
          // Without a schema for it, no handler reads the body.
          body: bodySchema ? parse(bodySchema, body) : (undefined as z.output<B>),
        },
        moment,
      );
    },
  };
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw badRequest(result.error.issues.map(describe).join(' '));
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => `Unknown parameter "${name}".`).join(' ');
  }
  const name = issue.path[0];
  return typeof name === 'string' ? `Invalid ${name}: ${issue.message}` : issue.message;
}
