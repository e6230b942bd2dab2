import type { APIApplicationCommandOption } from 'discord-api-types/v10';
import { OPTION } from '../numbers.ts';

/** The entities that names in option values can refer to. */
export interface Lookups {
  channels: readonly { id: string; name?: string | null; type: number }[];
  people: readonly { id: string; username: string; global_name: string | null }[];
  roles: readonly { id: string; name: string }[];
  files: readonly { id: string; filename: string }[];
}

export type ReadValue =
  | { ok: true; value: string | number | boolean }
  /** `problem` completes the sentence "Option x of /y …". */
  | { ok: false; problem: string };

const TEXT_CHARACTERS = 6000;

/** Parses the text typed for one option by the option's type. */
export function readValue(option: APIApplicationCommandOption, typed: string, lookups: Lookups): ReadValue {
  if ('choices' in option && option.choices && option.choices.length > 0) return readChoice(option.choices, typed);
  switch (option.type) {
    case OPTION.string:
      return readText(typed, option);
    case OPTION.integer:
    case OPTION.number:
      return readNumber(typed, option);
    case OPTION.boolean:
      return readBoolean(typed);
    case OPTION.channel:
      return readChannel(typed, option, lookups);
    case OPTION.user:
      return found(findPerson(typed, lookups), `is not a person here: "${typed}"; use ${people(lookups)}`);
    case OPTION.role:
      return found(findRole(typed, lookups), `is not a role here: "${typed}"; use @ and a role's name`);
    case OPTION.mentionable:
      return found(
        findPerson(typed, lookups) ?? findRole(typed, lookups),
        `is neither a person nor a role here: "${typed}"; use @ and a name`,
      );
    case OPTION.attachment:
      return found(
        lookups.files.find(({ filename }) => filename === typed)?.id,
        `is not a file that was chosen: "${typed}"; choose one`,
      );
    default:
      return { ok: false, problem: 'is of a kind that cannot be typed' };
  }
}

function readChoice(choices: readonly { name: string; value: string | number }[], typed: string): ReadValue {
  const same = (text: string | number) => String(text).toLowerCase() === typed.toLowerCase();
  const choice =
    choices.find(({ value }) => String(value) === typed) ??
    choices.find(({ name, value }) => same(name) || same(value));
  if (choice) return { ok: true, value: choice.value };
  return { ok: false, problem: `cannot be "${typed}"; choose one of ${choices.map(({ name }) => name).join(', ')}` };
}

function readText(typed: string, limits: { min_length?: number; max_length?: number }): ReadValue {
  const min = limits.min_length ?? 1;
  const max = limits.max_length ?? TEXT_CHARACTERS;
  if (typed.length === 0 && min > 0) return { ok: false, problem: 'is empty; type a value after the colon' };
  if (typed.length >= min && typed.length <= max) return { ok: true, value: typed };
  return { ok: false, problem: `has ${typed.length} characters; it takes ${min} to ${max}` };
}

function readNumber(typed: string, option: { type: number; min_value?: number; max_value?: number }): ReadValue {
  const whole = option.type === OPTION.integer;
  const pattern = whole ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)$/;
  const value = Number(typed);
  if (!pattern.test(typed) || (whole && !Number.isSafeInteger(value))) {
    return { ok: false, problem: `is not a ${whole ? 'whole ' : ''}number: "${typed}"` };
  }
  const { min_value: min, max_value: max } = option;
  if (min !== undefined && value < min) return { ok: false, problem: `is ${typed}; the least is ${min}` };
  if (max !== undefined && value > max) return { ok: false, problem: `is ${typed}; the most is ${max}` };
  return { ok: true, value };
}

function readBoolean(typed: string): ReadValue {
  const word = typed.toLowerCase();
  if (['true', 'yes', 'on'].includes(word)) return { ok: true, value: true };
  if (['false', 'no', 'off'].includes(word)) return { ok: true, value: false };
  return { ok: false, problem: `cannot be "${typed}"; use true or false` };
}

function readChannel(typed: string, option: { channel_types?: readonly number[] }, { channels }: Lookups): ReadValue {
  const id = /^<#(\d+)>$/.exec(typed)?.[1] ?? typed;
  const name = typed.replace(/^#/, '').toLowerCase();
  const channel = channels.find((one) => one.id === id) ?? channels.find((one) => one.name?.toLowerCase() === name);
  const usable = channels.filter(({ type }) => option.channel_types?.includes(type) ?? true);
  const names = usable.map((one) => `#${one.name ?? one.id}`).join(', ');
  if (!channel) return { ok: false, problem: `is not a channel here: "${typed}"; use one of ${names}` };
  if (usable.includes(channel)) return { ok: true, value: channel.id };
  return { ok: false, problem: `does not take a channel like ${typed}; use one of ${names}` };
}

function findPerson(typed: string, lookups: Lookups): string | undefined {
  const id = /^<@!?(\d+)>$/.exec(typed)?.[1] ?? typed;
  const name = typed.replace(/^@/, '').toLowerCase();
  const isNamed = (text: string | null) => text?.toLowerCase() === name;
  return lookups.people.find((one) => one.id === id || isNamed(one.username) || isNamed(one.global_name))?.id;
}

function findRole(typed: string, lookups: Lookups): string | undefined {
  const id = /^<@&(\d+)>$/.exec(typed)?.[1] ?? typed;
  const name = typed.replace(/^@/, '').toLowerCase();
  return lookups.roles.find((one) => one.id === id || one.name.replace(/^@/, '').toLowerCase() === name)?.id;
}

function people({ people: all }: Lookups): string {
  return all.map(({ username }) => `@${username}`).join(' or ');
}

function found(id: string | undefined, problem: string): ReadValue {
  return id === undefined ? { ok: false, problem } : { ok: true, value: id };
}
