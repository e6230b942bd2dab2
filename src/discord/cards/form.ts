import {
  type APIComponentInLabel,
  type ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord-api-types/v10';
import type { Modal } from '../command.ts';
import { type Action, encodeAction } from '../custom-id.ts';
import { clamp, LIMITS } from '../limits.ts';
import { type Option, selectOption } from './parts.ts';

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

/** A menu with at most one choice. */
export interface ChoiceInput extends AnyInput {
  takes: 'choice';
  options: readonly Option[];
}

/** A menu of the server's roles or channels with at most one choice. `chosen` is an id; '' for none. */
export type EntityInput = AnyInput & { chosen: string } & (
    | { takes: 'role' }
    | { takes: 'channel'; types: readonly ChannelType[] }
  );

export type Input = TextInput | ChoiceInput | EntityInput;

/**
 * A form of at most five optional inputs; the action receives the values.
 * @see https://discord.com/developers/docs/components/reference#label
 */
export function form(action: Action, title: string, inputs: readonly (Input | ChoiceInput)[]): Modal {
  return {
    modal: {
      custom_id: encodeAction(action),
      title: clamp(title, LIMITS.formLabel),
      components: inputs.slice(0, LIMITS.formInputs).map((input) => ({
        type: ComponentType.Label,
        label: clamp(input.label, LIMITS.formLabel),
        ...(input.description && { description: clamp(input.description, LIMITS.menuLabel) }),
        component: componentOf(input),
      })),
    },
  };
}

function componentOf(input: Input): APIComponentInLabel {
  const optional = { custom_id: input.name, required: false };
  const atMostOne = { min_values: 0, max_values: 1 };
  switch (input.takes) {
    case 'text': {
      const { example, value, most, isLong } = input;
      return {
        ...optional,
        type: ComponentType.TextInput,
        style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
        ...(example !== '' && { placeholder: clamp(example, LIMITS.inputPlaceholder) }),
        max_length: Math.min(most, LIMITS.inputText),
        ...(value !== '' && { value: value.slice(0, Math.min(most, LIMITS.inputText)) }),
      };
    }
    case 'choice':
      return {
        ...optional,
        ...atMostOne,
        type: ComponentType.StringSelect,
        options: input.options.slice(0, LIMITS.menuOptions).map(selectOption),
      };
    case 'role':
      return {
        ...optional,
        ...atMostOne,
        type: ComponentType.RoleSelect,
        ...(input.chosen !== '' && {
          default_values: [{ id: input.chosen, type: SelectMenuDefaultValueType.Role }],
        }),
      };
    case 'channel':
      return {
        ...optional,
        ...atMostOne,
        type: ComponentType.ChannelSelect,
        channel_types: [...input.types],
        ...(input.chosen !== '' && {
          default_values: [{ id: input.chosen, type: SelectMenuDefaultValueType.Channel }],
        }),
      };
  }
}
