import { expect, test } from 'vitest';
import { z } from 'zod';
import { runService } from './running-service.ts';

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { content: Record<string, { schema: Parameters<typeof z.fromJSONSchema>[0] }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

async function documentOf(origin: string): Promise<Document> {
  return (await (await fetch(`${origin}/openapi.json`)).json()) as Document;
}

test('openapi.json has every operation of the specification', async () => {
  const { origin } = await runService();
  const { openapi, paths } = await documentOf(origin);
  expect(openapi).toBe('3.1.0');
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(operations.sort()).toEqual(
    [
      'GET /2/dealcasts.json',
      'GET /2/events.json',
      'GET /2/events/{id}.json',
      'GET /2/monkeychats.json',
      'GET /2/offers/{id}.json',
      'GET /2/polls.json',
      'GET /feed/{feedname}',
      'GET /offers/{offerid}',
      'OPTIONS /feed/{feedname}',
      'OPTIONS /getoffers',
      'OPTIONS /offers/{offerid}',
      'POST /getoffers',
    ].sort(),
  );
  const parameters = paths['/2/events.json']?.['get']?.parameters;
  expect(parameters?.map((parameter) => parameter.name)).toEqual(['site', 'eventType', 'select']);
  expect(paths['/feed/{feedname}']?.['get']?.parameters).toMatchObject([
    { name: 'page', in: 'query', required: false },
    { name: 'feedname', in: 'path', required: true },
  ]);
});

test('what is answered conforms to the schemas of openapi.json', async () => {
  const service = await runService();
  const { paths } = await documentOf(service.origin);
  const answers: [path: string, response: Response][] = [
    ['/feed/{feedname}', await service.portal('/feed/All')],
    ['/2/events.json', await service.v2('/2/events.json')],
    ['/2/dealcasts.json', await service.v2('/2/dealcasts.json')],
    ['/2/polls.json', await service.v2('/2/polls.json')],
    ['/2/monkeychats.json', await service.v2('/2/monkeychats.json')],
  ];
  for (const [path, response] of answers) {
    const schema = paths[path]?.['get']?.responses['200']?.content['application/json']?.schema ?? false;
    const { error } = z.fromJSONSchema(schema).safeParse(await response.json());
    expect([path, error?.issues]).toEqual([path, undefined]);
    expect(z.fromJSONSchema(schema).safeParse([{ Id: 1 }]).success).toBe(false);
  }
});

test('/docs is a page to read that document, and loads nothing from outside', async () => {
  const { origin } = await runService();
  const response = await fetch(`${origin}/docs`);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
  const parts = [...(await response.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  expect(parts.length).toBeGreaterThan(4);
  for (const path of parts) {
    expect(path).toMatch(/^\/docs\//);
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 200]);
  }
  const initializer = await (await fetch(`${origin}/docs/static/swagger-initializer.js`)).text();
  expect(initializer).toContain("resolveUrl('./json')");
  expect(initializer).toContain('"validatorUrl":null');
  expect(await (await fetch(`${origin}/docs/json`)).json()).toEqual(await documentOf(origin));
});
