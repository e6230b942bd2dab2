import {
  type APIStringSelectComponent,
  type APITextInputComponent,
  ComponentType,
  TextInputStyle,
} from 'discord-api-types/v10';
import type { Modal } from '../command.ts';
import { type Action, encodeAction } from '../custom-id.ts';
import { clamp, LIMITS } from '../limits.ts';

interface ChoiceInput {
  takes: 'choice';
  name: string;
  label: string;
  description?: string;
  options: readonly { label: string; value: string; isChosen: boolean }[];
}

/** A text input of one or more lines. */
export interface Input {
  takes?: 'text';
  description?: string;
  /** The key of its value in the submitted form. */
  name: string;
  label: string;
  /** The placeholder. */
  example: string;
  /** The initial value. */
  value: string;
  most: number;
  isLong?: boolean;
}

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
        component: input.takes === 'choice' ? choiceOf(input) : textOf(input),
      })),
    },
  };
}

function textOf({ name, example, value, most, isLong }: Input): APITextInputComponent {
  return {
    type: ComponentType.TextInput,
    custom_id: name,
    style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
    ...(example !== '' && { placeholder: clamp(example, LIMITS.inputPlaceholder) }),
    max_length: Math.min(most, LIMITS.inputText),
    required: false,
    ...(value !== '' && { value: value.slice(0, Math.min(most, LIMITS.inputText)) }),
  };
}

function choiceOf({ name, options }: ChoiceInput): APIStringSelectComponent {
  return {
    type: ComponentType.StringSelect,
    custom_id: name,
    required: false,
    min_values: 0,
    max_values: 1,
    options: options
      .slice(0, LIMITS.menuOptions)
      .map(({ label, value, isChosen }) => ({ label: clamp(label, LIMITS.menuLabel), value, default: isChosen })),
  };
}
