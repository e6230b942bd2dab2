import { COMPONENT } from '../numbers.ts';
import { countCharacters, type Field, MEDIA_SCHEMES } from './form.ts';

/** https://discord.com/developers/docs/components/reference */
const LIMIT = {
  components: 40,
  textCharacters: 4000,
  rows: 5,
  buttons: 5,
  customId: 100,
  buttonLabel: 80,
  buttonUrl: 512,
  mediaUrl: 2048,
  description: 1024,
  galleryItems: 10,
  sectionTexts: 3,
  selectOptions: 25,
  optionText: 100,
  placeholder: 150,
  color: 0xffffff,
} as const;

const SELECTS: readonly number[] = [
  COMPONENT.stringSelect,
  COMPONENT.userSelect,
  COMPONENT.roleSelect,
  COMPONENT.mentionableSelect,
  COMPONENT.channelSelect,
];
const BUTTON = { primary: 1, secondary: 2, success: 3, danger: 4, link: 5, premium: 6 } as const;
const BUTTON_STYLES = Object.values(BUTTON);
const IN_ROW: readonly number[] = [COMPONENT.button, ...SELECTS];

const IN_CONTAINER: readonly number[] = [
  COMPONENT.actionRow,
  COMPONENT.section,
  COMPONENT.textDisplay,
  COMPONENT.mediaGallery,
  COMPONENT.file,
  COMPONENT.separator,
];
const TOP_LEVEL_V2: readonly number[] = [...IN_CONTAINER, COMPONENT.container];

/** What holds over the whole message rather than for one component. */
interface Tally {
  components: number;
  characters: number;
  customIds: Set<string>;
}

/** A message's components, of the second version when `v2` (flag IS_COMPONENTS_V2). */
export function validateComponents(components: Field, v2: boolean): void {
  const tally: Tally = { components: 0, characters: 0, customIds: new Set() };
  const top = components.list(v2 ? { min: 1, max: LIMIT.components, required: true } : { max: LIMIT.rows });
  for (const component of top) validateComponent(component, v2 ? TOP_LEVEL_V2 : [COMPONENT.actionRow], tally);
  if (tally.components > LIMIT.components) {
    components.fail(
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      `The total number of components cannot exceed ${LIMIT.components}`,
    );
  }
  if (tally.characters > LIMIT.textCharacters) {
    components.fail(
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      `The displayable text size must be ${LIMIT.textCharacters} or fewer in length.`,
    );
  }
}

function validateComponent(component: Field, allowed: readonly number[], tally: Tally): void {
  if (!component.object(true)) return;
  const type = component.at('type').oneOf(allowed, true);
  if (type === undefined) return;
  tally.components += 1;
  component.at('id').integer({ min: 0 });
  if (type === COMPONENT.actionRow) validateRow(component, tally);
  else if (type === COMPONENT.button) validateButton(component, tally);
  else if (SELECTS.includes(type)) validateSelect(component, tally);
  else if (type === COMPONENT.section) validateSection(component, tally);
  else if (type === COMPONENT.textDisplay) validateText(component, tally);
  else if (type === COMPONENT.thumbnail) validateMedia(component);
  else if (type === COMPONENT.mediaGallery) {
    const items = component.at('items').list({ min: 1, max: LIMIT.galleryItems, required: true });
    for (const item of items) if (item.object(true)) validateMedia(item);
  } else if (type === COMPONENT.file) {
    if (component.at('file').object(true)) component.at('file').at('url').url(['attachment'], LIMIT.mediaUrl, true);
    component.at('spoiler').boolean();
  } else if (type === COMPONENT.separator) {
    component.at('divider').boolean();
    component.at('spacing').oneOf([1, 2]);
  } else if (type === COMPONENT.container) {
    component.at('accent_color').integer({ min: 0, max: LIMIT.color });
    component.at('spoiler').boolean();
    const inside = component.at('components').list({ min: 1, max: LIMIT.components, required: true });
    for (const child of inside) validateComponent(child, IN_CONTAINER, tally);
  }
}

function validateRow(row: Field, tally: Tally): void {
  const children = row.at('components').list({ min: 1, max: LIMIT.buttons, required: true });
  const selects = children.filter((child) => SELECTS.includes(Number(child.at('type').value)));
  if (selects.length > 0 && children.length > 1) {
    row.at('components').fail('COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width');
  }
  for (const child of children) validateComponent(child, IN_ROW, tally);
}

function validateCustomId(component: Field, tally: Tally): void {
  const customId = component.at('custom_id').string({ min: 1, max: LIMIT.customId, required: true });
  if (customId === undefined) return;
  if (tally.customIds.has(customId)) {
    component.at('custom_id').fail('COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  }
  tally.customIds.add(customId);
}

function validateButton(button: Field, tally: Tally): void {
  const style = button.at('style').oneOf(BUTTON_STYLES, true);
  const label = button.at('label').string({ max: LIMIT.buttonLabel });
  button.at('disabled').boolean();
  if (style === undefined) return;
  if (style === BUTTON.link) {
    button.at('url').url(['http', 'https', 'discord'], LIMIT.buttonUrl, true);
    if (!button.at('custom_id').isAbsent) {
      button.fail('BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE', 'A custom id and url cannot both be specified');
    }
  } else if (style === BUTTON.premium) button.at('sku_id').string({ min: 1, max: 20, required: true });
  else {
    validateCustomId(button, tally);
    if (!button.at('url').isAbsent)
      button.at('url').fail('BUTTON_COMPONENT_INVALID_URL', 'Only link buttons have a url');
  }
  const labelled = button.at('label').isAbsent ? false : label !== '';
  if (style !== BUTTON.premium && !labelled && button.at('emoji').isAbsent) {
    button.fail('BUTTON_COMPONENT_INVALID_LABEL', 'A label or an emoji is required');
  }
}

/** A select menu, in a message or in a modal's label. */
function validateSelect(select: Field, tally: Tally): void {
  validateCustomId(select, tally);
  select.at('placeholder').string({ max: LIMIT.placeholder });
  const min = select.at('min_values').integer({ min: 0, max: LIMIT.selectOptions });
  const max = select.at('max_values').integer({ min: 1, max: LIMIT.selectOptions });
  if (min !== undefined && max !== undefined && min > max) {
    select.at('min_values').fail('SELECT_COMPONENT_MIN_VALUES', 'min_values must not exceed max_values');
  }
  if (select.at('type').value !== COMPONENT.stringSelect) return;
  const options = select.at('options').list({ min: 1, max: LIMIT.selectOptions, required: true });
  const values = new Set<string>();
  for (const option of options) {
    if (!option.object(true)) continue;
    option.at('label').string({ min: 1, max: LIMIT.optionText, required: true });
    option.at('description').string({ max: LIMIT.optionText });
    const value = option.at('value').string({ min: 1, max: LIMIT.optionText, required: true });
    if (value === undefined) continue;
    if (values.has(value)) {
      option.at('value').fail('SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', 'The specified option value is already used');
    }
    values.add(value);
  }
  if (max !== undefined && max > options.length) {
    select.at('max_values').fail('SELECT_COMPONENT_MAX_VALUES', 'max_values must not exceed the number of options');
  }
}

function validateText(text: Field, tally: Tally): void {
  const content = text.at('content').string({ min: 1, max: LIMIT.textCharacters, required: true });
  tally.characters += countCharacters(content);
}

function validateSection(section: Field, tally: Tally): void {
  const texts = section.at('components').list({ min: 1, max: LIMIT.sectionTexts, required: true });
  for (const text of texts) validateComponent(text, [COMPONENT.textDisplay], tally);
  validateComponent(section.at('accessory'), [COMPONENT.button, COMPONENT.thumbnail], tally);
}

function validateMedia(item: Field): void {
  if (item.at('media').object(true)) item.at('media').at('url').url(MEDIA_SCHEMES, LIMIT.mediaUrl, true);
  item.at('description').string({ min: 1, max: LIMIT.description });
  item.at('spoiler').boolean();
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal */
export function validateModal(data: Field): void {
  if (!data.object(true)) return;
  data.at('custom_id').string({ min: 1, max: LIMIT.customId, required: true });
  data.at('title').string({ min: 1, max: 45, required: true });
  const tally: Tally = { components: 0, characters: 0, customIds: new Set() };
  const rows = data.at('components').list({ min: 1, max: 5, required: true });
  for (const row of rows) {
    if (!row.object(true)) continue;
    const type = row.at('type').oneOf([COMPONENT.actionRow, COMPONENT.textDisplay, COMPONENT.label], true);
    if (type === COMPONENT.textDisplay) validateText(row, tally);
    else if (type === COMPONENT.actionRow) {
      const inputs = row.at('components').list({ min: 1, max: 1, required: true });
      for (const input of inputs) validateTextInput(input, tally, true);
    } else if (type === COMPONENT.label) {
      row.at('label').string({ min: 1, max: 45, required: true });
      row.at('description').string({ max: 100 });
      const inside = row.at('component');
      if (!inside.object(true)) continue;
      const inner = inside.at('type').oneOf([COMPONENT.textInput, ...SELECTS], true);
      if (inner === COMPONENT.textInput) validateTextInput(inside, tally, false);
      else if (inner !== undefined) validateSelect(inside, tally);
    }
  }
}

function validateTextInput(input: Field, tally: Tally, labelled: boolean): void {
  if (!input.object(true)) return;
  if (input.at('type').oneOf([COMPONENT.textInput], true) === undefined) return;
  validateCustomId(input, tally);
  input.at('style').oneOf([1, 2], true);
  if (labelled) input.at('label').string({ min: 1, max: 45, required: true });
  input.at('min_length').integer({ min: 0, max: 4000 });
  input.at('max_length').integer({ min: 1, max: 4000 });
  input.at('value').string({ max: 4000 });
  input.at('placeholder').string({ max: 100 });
  input.at('required').boolean();
}
