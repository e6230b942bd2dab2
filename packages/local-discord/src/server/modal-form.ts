import { type Asked, resolve } from './interaction-data.ts';
import { InteractionFailed } from './interactions.ts';
import { COMPONENT } from './numbers.ts';
import type { PageModal, SubmitModal } from './page-api.ts';
import { withChildren } from './publish-components.ts';
import type { World } from './world.ts';

type Values = SubmitModal['values'];

/** The values of an input: one text, or the choices from a menu. One that a person leaves alone keeps its defaults. */
function givenFor(input: Record<string, unknown>, values: Values): string[] {
  const given = values[String(input['custom_id'])] ?? defaultsOf(input);
  return [given].flat().filter((value) => value !== '');
}

function defaultsOf({ value, options, default_values: entities }: Record<string, unknown>): string[] {
  if (typeof value === 'string') return [value];
  const chosen = Array.isArray(options) ? options.filter(({ default: isDefault }: Choice) => isDefault) : [];
  const named = Array.isArray(entities) ? entities.map(({ id }: { id: unknown }) => String(id)) : [];
  return [...chosen.map(({ value }: Choice) => String(value)), ...named];
}

interface Choice {
  default?: unknown;
  value: unknown;
}

/** Checks that a form may be submitted with these values. @throws InteractionFailed where it may not */
export function requireInputs(modal: PageModal, values: Values): void {
  const inputs = modal.components.flatMap(withChildren).filter(({ custom_id: id }) => typeof id === 'string');
  for (const input of inputs) {
    const id = String(input['custom_id']);
    const given = givenFor(input, values);
    if (input['required'] !== false && given.length === 0) {
      throw new InteractionFailed(`The form needs a value for "${id}".`);
    }
    if (given.length === 0) continue;
    if (input['type'] === COMPONENT.textInput) requireLength(id, input, given[0] ?? '');
    else requireChoices(id, input, given);
  }
}

function requireLength(id: string, input: Record<string, unknown>, text: string): void {
  const min = Number(input['min_length'] ?? 0);
  const max = Number(input['max_length'] ?? 4000);
  if (text.length < min || text.length > max) {
    throw new InteractionFailed(`"${id}" has ${text.length} characters; the form takes ${min} to ${max}.`);
  }
}

/** Checks the choices from a menu, in a form or on a message. @throws InteractionFailed */
export function requireChoices(id: string, menu: Record<string, unknown>, values: readonly string[]): void {
  const min = Number(menu['min_values'] ?? 1);
  const max = Number(menu['max_values'] ?? 1);
  if (values.length < min || values.length > max) {
    const range = min === max ? min : `${min} to ${max}`;
    throw new InteractionFailed(`The menu "${id}" takes ${range} choices, not ${values.length}.`);
  }
  const options = menu['options'];
  if (!Array.isArray(options)) return;
  const unknown = values.find((value) => !options.some((option: { value?: unknown }) => option.value === value));
  if (unknown !== undefined) throw new InteractionFailed(`The menu "${id}" has no choice "${unknown}".`);
}

/** The data of a submitted form: types, ids and values only, and the entities that the values name. */
export function submittedModal(world: World, asked: Asked, modal: PageModal, values: Values): object {
  const menus = modal.components
    .flatMap(withChildren)
    .filter(({ type }) => type !== COMPONENT.textInput && type !== COMPONENT.stringSelect);
  const resolved = resolve(
    world,
    asked,
    menus.flatMap((menu) => givenFor(menu, values)),
  );
  return {
    custom_id: modal.custom_id,
    components: modal.components.map((row) => submitted(row, values)),
    ...(Object.keys(resolved).length > 0 && { resolved }),
  };
}

function submitted(row: unknown, values: Values): Record<string, unknown> {
  const component = withChildren(row)[0] ?? {};
  const { type, id, custom_id: customId, components, component: inside } = component;
  const given = givenFor(component, values);
  return {
    type,
    ...(id !== undefined && { id }),
    ...(customId !== undefined && {
      custom_id: customId,
      ...(type === COMPONENT.textInput ? { value: given[0] ?? '' } : { values: given }),
    }),
    ...(Array.isArray(components) && { components: components.map((child: unknown) => submitted(child, values)) }),
    ...(inside !== undefined && { component: submitted(inside, values) }),
  };
}
