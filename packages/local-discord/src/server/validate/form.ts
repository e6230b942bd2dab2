import { DiscordError } from '../discord-error.ts';

interface Complaint {
  code: string;
  message: string;
}

interface ComplaintTree {
  [key: string]: ComplaintTree | Complaint[];
}

/**
 * One place in a request's body, and the complaints about it. Complaints are collected for the whole form, so that a
 * response names all of them: https://discord.com/developers/docs/reference#error-messages
 */
export class Field {
  readonly value: unknown;
  readonly #parent: Field | null;
  readonly #key: string | number;
  readonly #errors: ComplaintTree;

  constructor(value: unknown, parent: Field | null = null, key: string | number = '') {
    this.value = value;
    this.#parent = parent;
    this.#key = key;
    this.#errors = parent ? parent.#errors : emptyTree();
  }

  /** Whether there is no complaint so far anywhere in the form. */
  get isRight(): boolean {
    return Object.keys(this.#errors).length === 0;
  }

  /** @throws DiscordError 50035 when there is a complaint anywhere in the form */
  done(): void {
    if (!this.isRight) throw new DiscordError('invalidForm', { errors: this.#errors });
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  at(key: string): Field {
    const value = isRecord(this.value) ? this.value[key] : undefined;
    return new Field(value, this, key);
  }

  /** The path is computed only for a complaint, since most fields are right. */
  get #path(): string[] {
    return this.#parent ? [...this.#parent.#path, String(this.#key)] : [];
  }

  fail(code: string, message: string): void {
    let node = this.#errors;
    for (const key of this.#path) {
      const next = node[key];
      if (next && !Array.isArray(next)) node = next;
      else {
        const fresh = emptyTree();
        node[key] = fresh;
        node = fresh;
      }
    }
    const complaints = node['_errors'];
    if (Array.isArray(complaints)) complaints.push({ code, message });
    else node['_errors'] = [{ code, message }];
  }

  required(): void {
    this.fail('BASE_TYPE_REQUIRED', 'This field is required');
  }

  /** Returns the text, or undefined when it is absent or wrong. Characters are Unicode code points. */
  string(limits: { min?: number; max: number; required?: boolean }): string | undefined {
    if (this.isAbsent) {
      if (limits.required) this.required();
      return undefined;
    }
    if (typeof this.value !== 'string') {
      this.fail('STRING_TYPE_CONVERT', `Could not interpret "${toldOf(this.value)}" as string.`);
      return undefined;
    }
    const min = limits.min ?? 0;
    // A text has at most as many characters as UTF-16 units, and at least one unless it is empty, so most texts need no
    // counting.
    const isShort = this.value.length <= limits.max && min <= 1;
    const length = isShort ? this.value.length : countCharacters(this.value);
    if (length === 0 && min > 0) this.required();
    else if (length < min || (length > limits.max && min > 0)) {
      this.fail('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${limits.max} in length.`);
    } else if (length > limits.max) this.fail('BASE_TYPE_MAX_LENGTH', `Must be ${limits.max} or fewer in length.`);
    else return this.value;
    return undefined;
  }

  /** Returns the id, or undefined when it is absent or wrong. */
  snowflake(): string | undefined {
    if (this.isAbsent) return undefined;
    if (typeof this.value === 'string' && /^\d{1,20}$/.test(this.value)) return this.value;
    this.fail('NUMBER_TYPE_COERCE', `Value "${toldOf(this.value)}" is not snowflake.`);
    return undefined;
  }

  /** Returns the set of permissions, which is a text of digits, or undefined when it is absent or wrong. */
  bits(): bigint | undefined {
    const text = this.string({ max: 20 });
    if (text === undefined || /^\d+$/.test(text)) return text === undefined ? undefined : BigInt(text);
    this.fail('NUMBER_TYPE_COERCE', `Value "${text}" is not int.`);
    return undefined;
  }

  /** Returns the whole number, or undefined when it is absent or wrong. */
  integer(limits: { min?: number; max?: number; required?: boolean } = {}): number | undefined {
    if (this.isAbsent) {
      if (limits.required) this.required();
      return undefined;
    }
    const value = this.value;
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      this.fail('NUMBER_TYPE_COERCE', `Value "${toldOf(value)}" is not int.`);
    } else if (this.between(limits)) return value;
    return undefined;
  }

  /** Returns whether a number is within its limits, and complains if it is not. */
  between({ min, max }: { min?: number; max?: number }): boolean {
    const value = Number(this.value);
    if (min !== undefined && value < min) {
      this.fail('NUMBER_TYPE_MIN', `int value should be greater than or equal to ${min}.`);
    } else if (max !== undefined && value > max) {
      this.fail('NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`);
    } else return true;
    return false;
  }

  boolean(required = false): boolean | undefined {
    if (this.isAbsent && required) this.required();
    if (this.isAbsent || typeof this.value === 'boolean') return this.value === true;
    this.fail('BOOLEAN_TYPE_PARSE', 'Must be either true or false.');
    return undefined;
  }

  /** Returns whether the value is an object. Complains if it is not, unless it is absent and not required. */
  object(required = false): boolean {
    if (this.isAbsent) {
      if (required) this.required();
      return false;
    }
    if (isRecord(this.value)) return true;
    this.fail('DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
    return false;
  }

  /** Returns the items, each as a field of its own. */
  list(limits: { min?: number; max: number; required?: boolean }): Field[] {
    if (this.isAbsent) {
      if (limits.required) this.required();
      return [];
    }
    if (!Array.isArray(this.value)) {
      this.fail('LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
      return [];
    }
    const min = limits.min ?? 0;
    if (this.value.length < min || this.value.length > limits.max) {
      const range = min > 0 ? `between ${min} and ${limits.max}` : `${limits.max} or fewer`;
      this.fail(min > 0 ? 'BASE_TYPE_BAD_LENGTH' : 'BASE_TYPE_MAX_LENGTH', `Must be ${range} in length.`);
    }
    return this.items();
  }

  /** The items of a list, each as a field of its own; none where there is no list. */
  items(): Field[] {
    return Array.isArray(this.value) ? this.value.map((item: unknown, key) => new Field(item, this, key)) : [];
  }

  /** Returns the value if it is one of `values`, else undefined. */
  oneOf<T extends string | number>(values: readonly T[], required = false): T | undefined {
    if (this.isAbsent) {
      if (required) this.required();
      return undefined;
    }
    const found = values.find((value) => value === this.value);
    if (found === undefined) this.fail('BASE_TYPE_CHOICES', `Value must be one of {${values.join(', ')}}.`);
    return found;
  }

  /**
   * Complains of a link whose scheme is none of these (without colon). It ignores text that is no link, since the
   * schema's check complains of that.
   */
  scheme(schemes: readonly string[]): void {
    const { value } = this;
    if (typeof value !== 'string' || !URL.canParse(value)) return;
    const scheme = new URL(value).protocol.slice(0, -1);
    if (schemes.includes(scheme)) return;
    const shown = schemes.map((known) => `'${known}'`).join(', ');
    this.fail('URL_TYPE_INVALID_SCHEME', `Scheme "${scheme}" is not supported. Scheme must be one of (${shown}).`);
  }

  /** Complains of a text that is empty or absent. */
  filled(): void {
    if (this.isAbsent || this.value === '') this.required();
  }
}

/** A tree without a prototype: a request may use any key, `__proto__` too. */
function emptyTree(): ComplaintTree {
  return Object.create(null) as ComplaintTree;
}

/** A value as a complaint names it: an object from a request may have anything as its `toString`. */
function toldOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Counts characters as Discord does: a character is a Unicode code point. */
export function countCharacters(text: string | undefined): number {
  return (text ?? '').replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '_').length;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Schemes of links to media, `attachment` for an attached file. */
export const MEDIA_SCHEMES = ['http', 'https', 'attachment'] as const;
