import type { z } from 'zod';
import { type Field, isRecord } from './form.ts';

type Schema = z.core.$ZodType;

/**
 * Checks a field against one of Discord's published schemas and complains as Discord does. The schemas are read and not
 * run, because their own issues tell less, count some characters twice, and try every kind of component at each place.
 * @param except fields of an object that are not checked
 */
export function holdAgainst(field: Field, schema: Schema, except: readonly string[] = []): void {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'lazy':
      holdAgainst(field, def.getter());
      return;
    case 'optional':
    case 'nullable':
      if (!field.isAbsent) holdAgainst(field, def.innerType);
      return;
    case 'string': {
      const text = field.string({ max: Number.POSITIVE_INFINITY, ...limitsOf(schema), required: true });
      if (text !== undefined) for (const check of checksOf(schema)) holdAgainstFormat(field, text, check);
      return;
    }
    case 'number':
      if (!('format' in def) && typeof field.value === 'number') field.between(limitsOf(schema));
      else field.integer({ ...limitsOf(schema), required: true });
      return;
    case 'boolean':
      field.boolean(true);
      return;
    case 'literal':
      field.oneOf(def.values as (string | number)[], true);
      return;
    case 'array':
      for (const item of field.list({ max: Number.POSITIVE_INFINITY, ...limitsOf(schema), required: true })) {
        holdAgainst(item, def.element);
      }
      return;
    case 'object':
      if (!field.object(true)) return;
      for (const [key, inner] of Object.entries(def.shape)) {
        if (!except.includes(key)) holdAgainst(field.at(key), inner);
      }
      return;
    case 'record':
      if (!field.object(true) || !isRecord(field.value)) return;
      for (const key of Object.keys(field.value)) holdAgainst(field.at(key), def.valueType);
      return;
    case 'union':
      holdAgainstOne(field, def.options.map(unwrapped));
      return;
    default:
      throw new Error(`No request's schema had a ${def.type} in it so far.`);
  }
}

/** Checks a field against the one schema, of several possible ones, that has the value's type. */
function holdAgainstOne(field: Field, options: readonly Schema[]): void {
  const { value } = field;
  const type = isRecord(value) ? (value['type'] as number) : undefined;
  const kind = options.find((option) => typesOf(option)?.has(type) ?? option._zod.def.type === typeof value);
  if (kind) {
    holdAgainst(field, kind);
    return;
  }
  const types = options.flatMap((option) => [...(typesOf(option) ?? [])]) as number[];
  if (types.length === 0) field.fail('BASE_TYPE_INVALID', 'The value has none of the types that it may have.');
  else if (field.object(true)) field.at('type').oneOf(types, true);
}

/** The values that the schema's objects have as their `type`. */
function typesOf(schema: Schema) {
  return schema._zod.propValues?.['type'];
}

function unwrapped(schema: Schema): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'lazy' ? unwrapped(def.getter()) : schema;
}

function checksOf(schema: Schema) {
  return (schema._zod.def.checks ?? []).map((check) => (check as z.core.$ZodChecks)._zod.def);
}

/** The limits of a number, or of the length of a text or list. */
function limitsOf(schema: Schema): { min?: number; max?: number } {
  const limits: { min?: number; max?: number } = {};
  for (const check of checksOf(schema)) {
    if (check.check === 'max_length') limits.max = check.maximum;
    else if (check.check === 'min_length') limits.min = check.minimum;
    else if (check.check === 'less_than') limits.max = Number(check.value);
    else if (check.check === 'greater_than') limits.min = Number(check.value);
  }
  return limits;
}

function holdAgainstFormat(field: Field, text: string, check: ReturnType<typeof checksOf>[number]): void {
  if (check.check !== 'string_format') return;
  if (check.format === 'url') {
    if (!URL.canParse(text)) field.fail('URL_TYPE_INVALID_URL', 'Not a well formed URL.');
  } else if (check.format === 'datetime') {
    if (Number.isNaN(Date.parse(text))) {
      field.fail('DATE_TIME_TYPE_PARSE', `Could not parse ${text}. Should be ISO8601.`);
    }
  } else if (check.pattern?.test(text) === false) {
    field.fail('NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`);
  }
}
