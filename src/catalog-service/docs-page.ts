import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { openApiPath } from './openapi.ts';

/** A plain page to read the interface, made from the schemas that requests are checked against. It has no script. */
export function docsPage(endpoints: readonly Endpoint[]): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Deals catalog</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
h2{font-size:1.1rem;margin:2.5rem 0 0}p{margin:.3rem 0}pre{overflow:auto;font-size:.85rem;border:1px solid #8885;padding:1rem;border-radius:.5rem;white-space:pre-wrap}</style>
</head><body><h1>Deals catalog</h1>
<p>For programs: <a href="/openapi.json">openapi.json</a>. Refusals: 400 (a parameter that is unknown or invalid),
403 (the key is missing or wrong), 404, 405, 429 ("Too Many Requests": the rate; "Limit Exceeded": the day's quota).</p>
${endpoints.map(section).join('\n')}
</body></html>
`;
}

function section(endpoint: Endpoint): string {
  const { family, method, path, summary, params, query, body, answer } = endpoint;
  const parts = [
    ['Path', shapeOf(params)],
    ['Query', shapeOf(query)],
    ['Body', body ? shapeOf(body) : NOTHING],
  ].filter(([, shape]) => shape !== NOTHING);
  return `<section><h2><code>${method} ${escapeHtml(openApiPath(path))}</code></h2>
<p>${escapeHtml(summary)}. Key: ${family === 'v2' ? 'query parameter <code>key</code>' : 'header <code>x-api-key</code>'}.</p>
${parts.map(([name, shape = '']) => `<p>${name}</p><pre>${escapeHtml(shape)}</pre>`).join('\n')}
<details><summary>Answer</summary><pre>${escapeHtml(shapeOf(answer))}</pre></details></section>`;
}

const NOTHING = '{}';

function shapeOf(schema: z.ZodType): string {
  return shape(z.toJSONSchema(schema, { io: 'input' }), '');
}

type Schema = z.core.JSONSchema._JSONSchema;

/** A JSON schema in the manner of a TypeScript type. */
function shape(schema: Schema, indent: string): string {
  if (typeof schema === 'boolean') return 'unknown';
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.map((member) => shape(member, indent)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') {
    const item = schema.items && !Array.isArray(schema.items) ? shape(schema.items, indent) : 'unknown';
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === 'object') return objectShape(schema, indent);
  return `${String(schema.type ?? 'unknown')}${schema.format ? ` (${schema.format})` : ''}`;
}

function objectShape({ properties = {}, required = [] }: Exclude<Schema, boolean>, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const note = typeof property === 'object' && property.description ? `  // ${property.description}` : '';
    return `${inner}${name}${required.includes(name) ? '' : '?'}: ${shape(property, inner)}${note}\n`;
  });
  return lines.length === 0 ? NOTHING : `{\n${lines.join('')}${indent}}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
