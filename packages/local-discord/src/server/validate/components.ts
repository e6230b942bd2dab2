import { ModalInteractionCallbackRequestDataSchema } from 'discord-api-spec/zod';
import type { APIStringSelectComponent } from 'discord-api-types/v10';
import { COMPONENT } from '../numbers.ts';
import { countCharacters, type Field, MEDIA_SCHEMES } from './form.ts';
import { holdAgainst } from './published.ts';

/** https://discord.com/developers/docs/components/reference */
const LIMIT = { components: 40, textCharacters: 4000, rows: 5, modalRows: 5 } as const;

const SELECTS: readonly number[] = [
  COMPONENT.stringSelect,
  COMPONENT.userSelect,
  COMPONENT.roleSelect,
  COMPONENT.mentionableSelect,
  COMPONENT.channelSelect,
];
const BUTTON = { link: 5, premium: 6 } as const;

/**
 * Checks the rules for a message's components that the published schema does not contain. The components must match the
 * schema already.
 * @param v2 whether they are of the second version (flag IS_COMPONENTS_V2)
 */
export function validateComponents(components: Field, v2: boolean): void {
  const top = components.list(v2 ? { min: 1, max: LIMIT.components, required: true } : { max: LIMIT.rows });
  if (!v2) for (const row of top) row.at('type').oneOf([COMPONENT.actionRow]);
  const all = top.flatMap(withInside);
  if (all.length > LIMIT.components) {
    components.fail(
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      `The total number of components cannot exceed ${LIMIT.components}`,
    );
  }
  const texts = all
    .filter((one) => one.at('type').value === COMPONENT.textDisplay)
    .map((one) => one.at('content').value);
  if (texts.reduce<number>((sum, text) => sum + countCharacters(String(text)), 0) > LIMIT.textCharacters) {
    components.fail(
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      `The displayable text size must be ${LIMIT.textCharacters} or fewer in length.`,
    );
  }
  validateEach(all);
}

/** The component and everything inside it, in the order in which it is shown. */
function withInside(component: Field): Field[] {
  const inside = [...component.at('components').items(), component.at('accessory'), component.at('component')];
  return [component, ...inside.filter((one) => !one.isAbsent).flatMap(withInside)];
}

function validateEach(components: readonly Field[]): void {
  complainOfRepeats(
    components.map((one) => one.at('custom_id')),
    'COMPONENT_CUSTOM_ID_DUPLICATED',
    'Component custom id cannot be duplicated',
  );
  for (const component of components) {
    const type = Number(component.at('type').value);
    if (type === COMPONENT.actionRow) validateRow(component);
    else if (type === COMPONENT.button) validateButton(component);
    else if (SELECTS.includes(type)) validateSelect(component);
    else if (type === COMPONENT.file) component.at('file').at('url').scheme(['attachment']);
    for (const pictured of [component, ...component.at('items').items()]) {
      pictured.at('media').at('url').scheme(MEDIA_SCHEMES);
    }
  }
}

function validateRow(row: Field): void {
  const children = row.at('components').items();
  if (children.length > 1 && children.some((child) => SELECTS.includes(Number(child.at('type').value)))) {
    row.at('components').fail('COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width');
  }
}

function validateButton(button: Field): void {
  const { style, label, emoji } = button.value as { style: number; label?: string; emoji?: unknown };
  const customId = button.at('custom_id');
  const url = button.at('url');
  if (style === BUTTON.link) {
    url.filled();
    url.scheme(['http', 'https', 'discord']);
    if (!customId.isAbsent) {
      button.fail('BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE', 'A custom id and url cannot both be specified');
    }
  } else if (style === BUTTON.premium) {
    button.at('sku_id').filled();
    return;
  } else {
    customId.filled();
    if (!url.isAbsent) url.fail('BUTTON_COMPONENT_INVALID_URL', 'Only link buttons have a url');
  }
  if (!label && !emoji) button.fail('BUTTON_COMPONENT_INVALID_LABEL', 'A label or an emoji is required');
}

/** Validates a select menu, in a message or in a modal's label. */
function validateSelect(select: Field): void {
  const { type, min_values: min = 0, max_values: max } = select.value as APIStringSelectComponent;
  if (max !== undefined && min > max) {
    select.at('min_values').fail('SELECT_COMPONENT_MIN_VALUES', 'min_values must not exceed max_values');
  }
  if (Number(type) !== COMPONENT.stringSelect) return;
  const options = select.at('options').items();
  complainOfRepeats(
    options.map((option) => option.at('value')),
    'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    'The specified option value is already used',
  );
  if (max !== undefined && max > options.length) {
    select.at('max_values').fail('SELECT_COMPONENT_MAX_VALUES', 'max_values must not exceed the number of options');
  }
}

/** Complains of each value that an earlier field already has. */
export function complainOfRepeats(fields: readonly Field[], code: string, message: string): void {
  const seen = new Set<unknown>();
  for (const field of fields) {
    if (!field.isAbsent && seen.has(field.value)) field.fail(code, message);
    seen.add(field.value);
  }
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal */
export function validateModal(data: Field): void {
  holdAgainst(data, ModalInteractionCallbackRequestDataSchema);
  if (!data.isRight) return;
  const rows = data.at('components').list({ min: 1, max: LIMIT.modalRows });
  for (const row of rows) {
    const inputs = row.at('components').items();
    if (inputs.length > 1) row.at('components').list({ max: 1 });
    for (const input of inputs) input.at('label').filled();
    // The page can show no other components.
    const inside = row.at('component');
    if (!inside.isAbsent) inside.at('type').oneOf([COMPONENT.textInput, ...SELECTS]);
  }
  validateEach(rows.flatMap(withInside));
}
