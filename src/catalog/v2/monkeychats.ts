import { type Monkeychat, monkeychatSubject } from '../../deals/monkeychat.ts';
import type { Catalog } from '../catalog.ts';
import { readableText } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import type { ResponseCache } from '../response-cache.ts';
import { isObject, type Reader } from '../table.ts';
import type { Transport } from '../transport.ts';
import { type Parsed, parseList, upTo } from '../wire.ts';

/** The specification shows no fields (its section "v2: Monkeychat"). */
const readMonkeychat: Reader<Monkeychat> = (json, report) => {
  if (isObject(json) && Object.values(json).some(isContent)) return { raw: decodedIn(json) };
  report({ at: '', reason: 'nothing in it is a text, a number or a list' });
  return null;
};

/** An object whose texts hold the characters that their entities stand for. Texts with tags are HTML, and stay. */
function decodedIn(json: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, decoded(value)]));
}

function decoded(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('<') ? value : readableText(value);
  if (Array.isArray(value)) return value.map(decoded);
  return isObject(value) ? decodedIn(value) : value;
}

function isContent(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || Array.isArray(value);
}

function parseMonkeychats(json: unknown): Parsed<Monkeychat[]> {
  return parseList(json, 'monkeychats', upTo(LIMITS.entityLength, readMonkeychat), { subjectOf: monkeychatSubject });
}

/** GET {base_url}/2/monkeychats.json */
export function createMonkeychats(v2: Transport, cache: ResponseCache): Catalog['monkeychats'] {
  return {
    list: (options) =>
      cache.get('monkeychats', '', options, async (demand) =>
        parseMonkeychats(await v2.request({ path: '/2/monkeychats.json' }, demand)),
      ),
  };
}
