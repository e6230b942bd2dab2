import { ComponentType, TextInputStyle } from 'discord-api-types/v10';
import type { Modal } from '../command.ts';
import { type Action, encodeAction } from '../custom-id.ts';
import { clamp, LIMITS } from '../limits.ts';

/** A line or more for a person to fill in. */
export interface Input {
  /** What the filled in form calls it. */
  name: string;
  label: string;
  /** Shown while nothing is typed. */
  example: string;
  /** What stands there already. */
  value: string;
  most: number;
  isLong?: boolean;
}

/**
 * A form of at most five inputs, any of which may stay empty; the action takes what was filled in.
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
