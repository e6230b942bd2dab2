import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

const message = { description: 'What is wrong', content: json({ $ref: '#/components/schemas/Message' }) };

const REFUSALS = {
  400: { ...message, description: 'Bad Request: a parameter that is unknown or invalid' },
  403: { ...message, description: 'Forbidden: the key is missing or wrong' },
  429: {
    description: '"Too Many Requests" (rate) or "Limit Exceeded" (quota, until 00:00 UTC)',
    headers: { 'Retry-After': { description: 'seconds', schema: { type: 'integer' } } },
    content: message.content,
  },
};

const NOT_FOUND = { 404: { description: 'Not Found', content: json({ type: 'string' }) } };

/** OpenAPI 3.1, made from the schemas that requests are checked against. */
export function openApiDocument(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = openApiPath(endpoint.path);
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operation(endpoint),
      ...(endpoint.family === 'portal' && { options: preflight(endpoint) }),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Deals catalog', version: '1.0' },
    paths,
    components: {
      schemas: { Message: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } },
      securitySchemes: {
        v2: { type: 'apiKey', in: 'query', name: 'key' },
        portal: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  };
}

/** `/feed/:feedname` as OpenAPI writes it: `/feed/{feedname}`. */
export function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function operation(endpoint: Endpoint): object {
  return {
    tags: [endpoint.family],
    summary: endpoint.summary,
    security: [{ [endpoint.family]: [] }],
    parameters: [...parameters(endpoint.params, 'path'), ...parameters(endpoint.query, 'query')],
    ...(endpoint.body && { requestBody: { required: true, content: json(schemaOf(endpoint.body, 'input')) } }),
    responses: {
      200: { description: 'OK', content: json(schemaOf(endpoint.answer, 'output')) },
      ...REFUSALS,
      ...(endpoint.path.includes(':') && NOT_FOUND),
    },
  };
}

function preflight(endpoint: Endpoint): object {
  return {
    tags: [endpoint.family],
    summary: 'CORS preflight; no key is needed',
    parameters: parameters(endpoint.params, 'path'),
    responses: { 200: { description: 'An empty object', content: json({ type: 'object' }) } },
  };
}

function parameters(schema: z.ZodType, place: 'path' | 'query'): object[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input');
  return Object.entries(properties)
    .filter(([name]) => name !== 'key')
    .map(([name, property]) => ({ name, in: place, required: required.includes(name), schema: property }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // A format says it; the pattern that comes with it fills pages.
      if (jsonSchema.format) delete jsonSchema.pattern;
    },
  });
  return rest;
}

function json(schema: object) {
  return { 'application/json': { schema } };
}
