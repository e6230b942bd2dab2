import { z } from 'zod';
import { type Monkeychat, monkeychatSubject } from '../../deals/monkeychat.ts';
import type { Catalog } from '../catalog.ts';
import { LIMITS } from '../limits.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import { check, type Parsed, parseList, type Reader, upTo } from '../wire.ts';

/** The specification shows no fields (its section "v2: Monkeychat"). */
const wireMonkeychat = z
  .record(z.string(), z.unknown())
  .refine((raw) => Object.values(raw).some(isTelling), 'nothing in it is a text, a number or a list');

function isTelling(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || Array.isArray(value);
}

const readMonkeychat: Reader<Monkeychat> = (json, report) => {
  const raw = check(wireMonkeychat, json, report);
  return raw && { raw };
};

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
