import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

/** The page loads nothing from outside. The plugin's own policy would make browsers ask for everything by https. */
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'";

const refusal = (description: string) => ({ description, content: json(z.object({ message: z.string() })) });

const REFUSALS = {
  400: refusal('Bad Request: a parameter that is unknown or invalid'),
  403: refusal('Forbidden: the key is missing or wrong'),
  429: {
    ...refusal('"Too Many Requests" (rate) or "Limit Exceeded" (quota, until 00:00 UTC)'),
    headers: { 'Retry-After': { description: 'seconds', schema: { type: 'integer' } } },
  },
};

const NOT_FOUND = { 404: { description: 'Not Found', content: json(z.string()) } };

/**
 * Serves a page at `/docs` to read and try the interface: every route that is registered with `describedAs` after this
 * call.
 */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Deals catalog', version: '1.0' },
      components: {
        securitySchemes: {
          v2: { type: 'apiKey', in: 'query', name: 'key' },
          portal: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
    },
    hideUntagged: true,
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Deals catalog' },
    staticCSP: POLICY,
    // Hides a badge that a service outside would draw.
    uiConfig: { validatorUrl: null },
  });
}

/** The config of a route that stands in the description. The operation is made when somebody asks for the description. */
export function describedAs(operation: () => FastifySchema) {
  return { swaggerTransform: ({ url }: { url: string }) => ({ schema: operation(), url }) };
}

/** OpenAPI's description of an endpoint, made from the schemas that requests are checked against. */
export function operationOf({ family, summary, path, params, query, body, answer }: Endpoint): FastifySchema {
  return {
    tags: [family],
    summary,
    security: [{ [family]: [] }],
    params: schemaOf(params, 'input'),
    querystring: schemaOf(query, 'input'),
    ...(body && { body: { content: json(body, 'input') } }),
    response: {
      200: { description: 'OK', content: json(answer) },
      ...REFUSALS,
      ...(path.includes(':') && NOT_FOUND),
    },
  };
}

/** OpenAPI's description of the OPTIONS of an endpoint. */
export function preflightOf({ family, params }: Endpoint): FastifySchema {
  return {
    tags: [family],
    summary: 'CORS preflight; no key is needed',
    params: schemaOf(params, 'input'),
    response: { 200: { description: 'An empty object', content: json(z.object({})) } },
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // The format says the same; the pattern that comes with it fills pages.
      if (jsonSchema.format) delete jsonSchema.pattern;
      // The security scheme of v2 describes the key.
      delete jsonSchema.properties?.['key'];
    },
  });
  return rest;
}

function json(schema: z.ZodType, io: 'input' | 'output' = 'output') {
  return { 'application/json': { schema: schemaOf(schema, io) } };
}
