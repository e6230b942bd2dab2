import {
  ApplicationCommandCreateRequestSchema,
  ApplicationCommandPatchRequestPartialSchema,
  InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema,
  InteractionApplicationCommandAutocompleteCallbackNumberDataSchema,
  InteractionApplicationCommandAutocompleteCallbackStringDataSchema,
  type Schema,
} from 'discord-api-spec/zod';
import { Locale } from 'discord-api-types/v10';
import { COMMAND, isInMenu, OPTION } from '../numbers.ts';
import { complainOfRepeats } from './components.ts';
import { Field, isRecord } from './form.ts';
import { holdAgainst } from './published.ts';

/** https://discord.com/developers/docs/interactions/application-commands */
const COMMAND_LIMIT = { commands: 100, ofEachMenu: 5, choiceText: 100, characters: 8000 } as const;

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES: ReadonlySet<string> = new Set(Object.values(Locale));
const CHOOSABLE: readonly number[] = [OPTION.string, OPTION.integer, OPTION.number];

/**
 * Validates a command's definition. In an edit any field may be absent and keeps its value.
 * @param edited type of the existing command, for an edit
 */
export function validateCommand(command: Field, edited?: number): void {
  if (!command.object(true)) return;
  const isEdit = edited !== undefined;
  const schema = isEdit ? ApplicationCommandPatchRequestPartialSchema : ApplicationCommandCreateRequestSchema;
  // The schema expects a number for the permissions, but Discord takes a string.
  holdAgainst(command, schema, ['default_member_permissions']);
  const permissions = command.at('default_member_permissions');
  const type = command.at('type').oneOf(Object.values(COMMAND)) ?? edited ?? COMMAND.chatInput;
  if (!permissions.isAbsent && !(typeof permissions.value === 'string' && /^\d+$/.test(permissions.value))) {
    permissions.fail('PERMISSIONS_INVALID', 'Invalid permissions string.');
  }
  command.at('nsfw').boolean();
  if (!command.isRight) return;
  if (isInMenu(type)) validateMenuCommand(command);
  else {
    validateNames(command);
    if (!isEdit || !command.at('description').isAbsent) command.at('description').filled();
  }
  validateOptions(command.at('options'));
  if (countCharacters(command) > COMMAND_LIMIT.characters) {
    command.fail('APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${COMMAND_LIMIT.characters})`);
  }
}

/** Validates a message or user command, which has a name of any letters and neither a description nor options. */
function validateMenuCommand(command: Field): void {
  const name = command.at('name');
  if (typeof name.value === 'string' && name.value.trim() === '') name.required();
  if (command.at('description').value) {
    command.at('description').fail('APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED', 'Context menu commands have none');
  }
  if (command.at('options').items().length > 0) {
    command.at('options').fail('APPLICATION_COMMAND_OPTIONS_NOT_ALLOWED', 'Context menu commands have none');
  }
}

/** The most commands of a type. */
export function mostOf(type: unknown): number {
  return isInMenu(type) ? COMMAND_LIMIT.ofEachMenu : COMMAND_LIMIT.commands;
}

/** Validates the whole list of a bulk overwrite. */
export function validateCommandList(list: Field): Field[] {
  const commands = list.list({ max: COMMAND_LIMIT.commands + 2 * COMMAND_LIMIT.ofEachMenu, required: true });
  for (const command of commands) validateCommand(command);
  for (const kind of Object.values(COMMAND)) {
    const alike = commands.filter((command) => (command.at('type').value ?? COMMAND.chatInput) === kind);
    if (alike.length > mostOf(kind)) list.fail('BASE_TYPE_MAX_LENGTH', `Must be ${mostOf(kind)} or fewer in length.`);
    complainOfRepeats(
      alike.map((command) => command.at('name')),
      'APPLICATION_COMMANDS_DUPLICATE_NAME',
      'Application command names must be unique',
    );
  }
  return commands;
}

/** Validates the name of a command or an option, and its translations. */
function validateNames(named: Field): void {
  validateName(named.at('name'));
  const translations = named.at('name_localizations');
  if (!isRecord(translations.value)) return;
  for (const locale of Object.keys(translations.value)) {
    const translation = translations.at(locale);
    if (LOCALES.has(locale)) validateName(translation);
    else translation.fail('BASE_TYPE_CHOICES', `Value must be one of {${[...LOCALES].join(', ')}}.`);
  }
}

function validateName(name: Field): void {
  const text = name.value;
  if (typeof text === 'string' && (!NAME.test(text) || text !== text.toLowerCase())) {
    name.fail('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
  }
}

function validateOptions(options: Field): void {
  const list = options.items();
  const nested = list.filter((option) => isNested(option.at('type').value));
  if (nested.length > 0 && nested.length < list.length) {
    options.fail(
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
      'Sub-command and sub-command group option types are mutually exclusive to all other types',
    );
  }
  let optionalSeen = false;
  for (const option of list) {
    validateNames(option);
    const required = option.at('required').value === true;
    if (required && optionalSeen) {
      option.fail(
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    }
    optionalSeen ||= !required;
    if (isNested(option.at('type').value)) validateOptions(option.at('options'));
    else validateValueRules(option);
  }
  complainOfRepeats(
    list.map((option) => option.at('name')),
    'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    'Option name already exists',
  );
}

function validateValueRules(option: Field): void {
  const choices = option.at('choices');
  const autocomplete = option.at('autocomplete').value === true;
  if (!CHOOSABLE.includes(Number(option.at('type').value)) && (autocomplete || !choices.isAbsent)) {
    option.fail('APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Only string, integer and number options take choices');
  }
  if (autocomplete && choices.items().length > 0) {
    option.fail('APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE', 'Choices and autocomplete are mutually exclusive');
  }
  validateTexts(choices);
}

/** Checks the choices' values, which Discord limits to fewer characters than the schema says. */
function validateTexts(choices: Field): void {
  for (const choice of choices.items()) {
    const value = choice.at('value');
    if (typeof value.value === 'string') value.string({ min: 1, max: COMMAND_LIMIT.choiceText });
  }
}

/** Validates the answer to an autocomplete interaction for an option of that type. */
export function validateChoices(data: Field, type: number): void {
  data.at('choices').list({ max: 25, required: true });
  holdAgainst(data, AUTOCOMPLETION[type] ?? InteractionApplicationCommandAutocompleteCallbackStringDataSchema);
  validateTexts(data.at('choices'));
}

const AUTOCOMPLETION: Readonly<Record<number, Schema>> = {
  [OPTION.integer]: InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema,
  [OPTION.number]: InteractionApplicationCommandAutocompleteCallbackNumberDataSchema,
};

function isNested(type: unknown): boolean {
  return type === OPTION.subcommand || type === OPTION.subcommandGroup;
}

/** Counts the characters of names, descriptions and choices' values, including those of nested options. */
function countCharacters(field: Field): number {
  const own = ['name', 'description', 'value'].map((key) => field.at(key).value);
  const inside = ['options', 'choices'].flatMap((key) => {
    const list = field.at(key).value;
    return Array.isArray(list) ? list.map((item: unknown) => countCharacters(new Field(item))) : [];
  });
  const texts = own.map((text) => (typeof text === 'string' ? text.length : 0));
  return [...texts, ...inside].reduce((sum, characters) => sum + characters, 0);
}
