import { COMMAND, OPTION } from '../numbers.ts';
import { Field } from './form.ts';

/** https://discord.com/developers/docs/interactions/application-commands */
export const COMMAND_LIMIT = {
  commands: 100,
  messageCommands: 5,
  name: 32,
  description: 100,
  options: 25,
  choices: 25,
  choiceName: 100,
  choiceText: 100,
  characters: 8000,
} as const;

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const OPTION_TYPES = Object.values(OPTION);
const NUMERIC: readonly number[] = [OPTION.integer, OPTION.number];
const CHOOSABLE: readonly number[] = [OPTION.string, ...NUMERIC];

/** A command's definition. Of an edit (`edited`: the type of what is there) what is left out stays and need not be there. */
export function validateCommand(command: Field, edited?: number): void {
  if (!command.object(true)) return;
  const isEdit = edited !== undefined;
  const type = command.at('type').oneOf(Object.values(COMMAND)) ?? edited ?? COMMAND.chatInput;
  if (type === COMMAND.message) validateMessageCommand(command, isEdit);
  else {
    validateName(command.at('name'), !isEdit);
    command.at('description').string({ min: 1, max: COMMAND_LIMIT.description, required: !isEdit });
  }
  command.at('nsfw').boolean();
  for (const context of command.at('contexts').list({ max: 3 })) context.oneOf([0, 1, 2], true);
  for (const place of command.at('integration_types').list({ max: 2 })) place.oneOf([0, 1], true);
  const permissions = command.at('default_member_permissions');
  if (!permissions.isAbsent && !/^\d+$/.test(String(permissions.value))) {
    permissions.fail('PERMISSIONS_INVALID', 'Invalid permissions string.');
  }
  validateOptions(command.at('options'), 0);
  if (countCharacters(command) > COMMAND_LIMIT.characters) {
    command.fail('APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${COMMAND_LIMIT.characters})`);
  }
}

/** One in the menu of a message: it has a name that people read, and nothing more. */
function validateMessageCommand(command: Field, isEdit: boolean): void {
  command.at('name').string({ min: 1, max: COMMAND_LIMIT.name, required: !isEdit });
  if (command.at('description').value) {
    command.at('description').fail('APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED', 'Context menu commands have none');
  }
  if (command.at('options').list({ max: COMMAND_LIMIT.options }).length > 0) {
    command.at('options').fail('APPLICATION_COMMAND_OPTIONS_NOT_ALLOWED', 'Context menu commands have none');
  }
}

/** The whole list of a bulk overwrite. */
export function validateCommandList(list: Field): Field[] {
  const commands = list.list({ max: COMMAND_LIMIT.commands + COMMAND_LIMIT.messageCommands, required: true });
  const inMenus = commands.filter((command) => command.at('type').value === COMMAND.message).length;
  if (inMenus > COMMAND_LIMIT.messageCommands || commands.length - inMenus > COMMAND_LIMIT.commands) {
    list.fail('BASE_TYPE_MAX_LENGTH', `Must be ${COMMAND_LIMIT.commands} or fewer in length.`);
  }
  for (const command of commands) validateCommand(command);
  for (const kind of Object.values(COMMAND)) {
    const alike = commands.filter((command) => (command.at('type').value ?? COMMAND.chatInput) === kind);
    complainOfRepeats(alike, 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
  }
  return commands;
}

function validateName(name: Field, required: boolean): void {
  const text = name.string({ min: 1, max: COMMAND_LIMIT.name, required });
  if (text === undefined) return;
  if (!NAME.test(text) || text !== text.toLowerCase()) {
    name.fail('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
  }
}

function validateOptions(options: Field, depth: number): void {
  const list = options.list({ max: COMMAND_LIMIT.options });
  let optionalSeen = false;
  const nested = list.filter((option) => isNested(option.at('type').value)).length;
  if (nested > 0 && nested < list.length) {
    options.fail(
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
      'Sub-command and sub-command group option types are mutually exclusive to all other types',
    );
  }
  for (const option of list) {
    if (!option.object(true)) continue;
    const type = option.at('type').oneOf(OPTION_TYPES, true);
    validateName(option.at('name'), true);
    option.at('description').string({ min: 1, max: COMMAND_LIMIT.description, required: true });
    const required = option.at('required').boolean() ?? false;
    if (required && optionalSeen) {
      option.fail(
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    }
    optionalSeen ||= !required;
    if (type === undefined) continue;
    if (isNested(type)) {
      if (depth > 1 || (depth === 1 && type === OPTION.subcommandGroup)) {
        option.fail('APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Sub-commands cannot be nested that deep');
      }
      validateOptions(option.at('options'), type === OPTION.subcommandGroup ? 1 : 2);
    } else validateValueRules(option, type);
  }
  complainOfRepeats(list, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists');
}

function validateValueRules(option: Field, type: number): void {
  const choices = option.at('choices');
  const autocomplete = option.at('autocomplete').boolean() ?? false;
  if (!CHOOSABLE.includes(type) && (autocomplete || !choices.isAbsent)) {
    option.fail('APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Only string, integer and number options take choices');
  }
  if (autocomplete && Array.isArray(choices.value) && choices.value.length > 0) {
    option.fail('APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE', 'Choices and autocomplete are mutually exclusive');
  }
  validateChoices(choices, type);
  const types = option.at('channel_types').list({ max: 20 });
  for (const one of types) one.integer({ min: 0, required: true });
  if (type === OPTION.string) {
    option.at('min_length').integer({ min: 0, max: 6000 });
    option.at('max_length').integer({ min: 1, max: 6000 });
  }
}

/** The choices of an option, or those of an autocompletion's answer. */
export function validateChoices(choices: Field, type: number): void {
  const list = choices.list({ max: COMMAND_LIMIT.choices });
  for (const choice of list) {
    if (!choice.object(true)) continue;
    choice.at('name').string({ min: 1, max: COMMAND_LIMIT.choiceName, required: true });
    const value = choice.at('value');
    if (!NUMERIC.includes(type)) value.string({ min: 1, max: COMMAND_LIMIT.choiceText, required: true });
    else if (typeof value.value !== 'number')
      value.fail('NUMBER_TYPE_COERCE', `Value "${String(value.value)}" is not a number.`);
  }
}

function isNested(type: unknown): boolean {
  return type === OPTION.subcommand || type === OPTION.subcommandGroup;
}

function complainOfRepeats(fields: readonly Field[], code: string, message: string): void {
  const seen = new Set<unknown>();
  for (const field of fields) {
    const name = field.at('name').value;
    if (seen.has(name)) field.at('name').fail(code, message);
    seen.add(name);
  }
}

/** Names, descriptions and choices' texts, of everything inside too. */
function countCharacters(field: Field): number {
  const own = ['name', 'description', 'value'].map((key) => field.at(key).value);
  const inside = ['options', 'choices'].flatMap((key) => {
    const list = field.at(key).value;
    return Array.isArray(list) ? list.map((item: unknown) => countCharacters(new Field(item))) : [];
  });
  const texts = own.map((text) => (typeof text === 'string' ? text.length : 0));
  return [...texts, ...inside].reduce((sum, characters) => sum + characters, 0);
}
