import { ComponentType, TextInputStyle } from 'discord-api-types/v10';
import type { Modal } from '../command.ts';
import { type Action, encodeAction } from '../custom-id.ts';
import { clamp, LIMITS } from '../limits.ts';

/** A text input of one or more lines. */
export interface Input {
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
export function form(action: Action, title: string, inputs: readonly Input[]): Modal {
  return {
    modal: {
      custom_id: encodeAction(action),
      title: clamp(title, LIMITS.formLabel),
      components: inputs.slice(0, LIMITS.formInputs).map(({ name, label, example, value, most, isLong }) => ({
        type: ComponentType.Label,
        label: clamp(label, LIMITS.formLabel),
        component: {
          type: ComponentType.TextInput,
          custom_id: name,
          style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
          placeholder: clamp(example, LIMITS.inputPlaceholder),
          max_length: Math.min(most, LIMITS.inputText),
          required: false,
          ...(value !== '' && { value: value.slice(0, Math.min(most, LIMITS.inputText)) }),
        },
      })),
    },
  };
}
