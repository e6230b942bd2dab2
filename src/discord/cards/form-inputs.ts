import { createHash } from 'node:crypto';
import type { ChannelType } from 'discord-api-types/v10';
import type { Option } from './parts.ts';

interface AnyInput {
  /** The key of its value in the submitted form. */
  name: string;
  label: string;
  description?: string;
}

/** A text input of one or more lines. */
export interface TextInput extends AnyInput {
  takes: 'text';
  /** The placeholder. */
  example: string;
  /** The initial value. */
  value: string;
  most: number;
  isLong?: boolean;
}

/** A menu. */
export interface ChoiceInput extends AnyInput {
  takes: 'choice';
  /** The most that can be chosen: 1 where it is absent. */
  most?: number;
  options: readonly Option[];
}

/** A menu of the server's roles or channels with at most one choice. `chosen` is an id; '' for none. */
export type EntityInput = AnyInput & { chosen: string } & (
    | { takes: 'role' }
    | { takes: 'channel'; types: readonly ChannelType[] }
  );

export type Input = TextInput | ChoiceInput | EntityInput;

/** So many letters stand for the value with which an input of a form opened. */
const LETTERS = 4;
const ALPHABET = 'abcdefghijklmnop';

/** What an input shows when its form opens; of a menu the chosen values with commas between them. */
export function openingValue(input: Input): string {
  switch (input.takes) {
    case 'text':
      return input.value.slice(0, input.most).trim();
    case 'choice':
      return inOrder(input.options.filter(({ isChosen }) => isChosen).map(({ value }) => value));
    default:
      return input.chosen;
  }
}

const inOrder = (values: readonly string[]) => values.toSorted().join();

/** Marks the values with which a form opens, so that its submission tells whether they have changed since. */
export function markOf(inputs: readonly Input[]): string {
  return inputs.map((input) => lettersOf(openingValue(input))).join('');
}

function lettersOf(value: string): string {
  const bytes = createHash('sha256').update(value).digest();
  return Array.from(bytes.subarray(0, LETTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

interface SinceOpened {
  /** What was entered. An input that the person left as it was has its present value. */
  typed: Map<string, string>;
  /** The first input that the person and somebody else have changed, each to another value; null for none. */
  clash: Input | null;
}

/**
 * Puts what a person entered into a form together with what others have changed since it was opened.
 * @param mark that of the form when it was opened; an input that it does not tell of counts as unchanged by others
 * @param entered the values of the inputs by name
 * @param present the inputs as the form would open now
 */
export function sinceOpened(
  mark: string,
  entered: ReadonlyMap<string, string>,
  present: readonly Input[],
): SinceOpened {
  const inputs = present.map((input, index) => {
    const now = openingValue(input);
    const text = (entered.get(input.name) ?? '').trim();
    const own = input.takes === 'choice' ? inOrder(text.split(',').filter((value) => value !== '')) : text;
    const opened = mark.slice(index * LETTERS, (index + 1) * LETTERS) || lettersOf(now);
    const isChangedByPerson = lettersOf(own) !== opened;
    const isChangedByOthers = lettersOf(now) !== opened;
    return { input, now, isChangedByPerson, isClash: isChangedByPerson && isChangedByOthers && own !== now };
  });
  const left = inputs.filter(({ isChangedByPerson }) => !isChangedByPerson);
  return {
    typed: new Map([...entered, ...left.map(({ input, now }) => [input.name, now] as const)]),
    clash: inputs.find(({ isClash }) => isClash)?.input ?? null,
  };
}
