import type { Endpoint } from './endpoint.ts';
import { openApiDocument, openApiPath } from './openapi.ts';

/** A plain page to read the interface: the same document as /openapi.json, endpoint by endpoint, without a script. */
export function docsPage(endpoints: readonly Endpoint[]): string {
  const sections = endpoints.map((endpoint) => {
    const document = openApiDocument([endpoint]);
    const operation = 'paths' in document ? document.paths : {};
    return `<section><h2><code>${endpoint.method} ${escapeHtml(openApiPath(endpoint.path))}</code></h2>
<p>${escapeHtml(endpoint.summary)}. Key: ${endpoint.family === 'v2' ? 'query parameter <code>key</code>' : 'header <code>x-api-key</code>'}.</p>
<details><summary>Parameters, answers and schemas</summary><pre>${escapeHtml(JSON.stringify(operation, null, 2))}</pre></details></section>`;
  });
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Deals catalog</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
h2{font-size:1.1rem;margin:2rem 0 0}pre{overflow:auto;font-size:.85rem;border:1px solid #8885;padding:1rem;border-radius:.5rem}</style>
</head><body><h1>Deals catalog</h1><p>Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
