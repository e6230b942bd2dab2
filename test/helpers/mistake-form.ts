import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import { customIdsOf } from './discord-form.ts';
import type { House } from './house.ts';
import { adaUses } from './panel.ts';

const FIX = /^(add:|subscription:edit-again:|[a-z]+-again\b)/;

/** The form that *Fix it* opens on the card of a mistake. */
export async function fixForm(house: House, mistake: PageMessage) {
  const customId = customIdsOf(mistake).find((id) => FIX.test(id)) ?? 'fix';
  const { modal } = await adaUses(house, mistake, customId);
  if (!modal) throw new Error('No form opened.');
  return modal;
}

/** Opens that form and sends it. Inputs that are not given are sent as they are shown. */
export async function fix(house: House, mistake: PageMessage, values: Record<string, string>): Promise<PageMessage> {
  const modal = await fixForm(house, mistake);
  const shown = Object.fromEntries(inputsOf(modal).map(({ name, value }) => [name, value]));
  const { message } = await house.discord.submitModal({
    personId: house.discord.people.ada.id,
    channelId: mistake.channel_id,
    customId: modal.custom_id,
    values: { ...shown, ...values },
  });
  if (!message) throw new Error('The form was answered without a message.');
  return message;
}

interface Component {
  custom_id: string;
  value?: string;
  options?: { value: string; default?: boolean }[];
  default_values?: { id: string }[];
}

export function inputsOf({ components }: { components: unknown[] }): { name: string; value: string }[] {
  return components.map((label) => {
    const { component } = label as { component: Component };
    const chosen = component.options?.find((option) => option.default)?.value ?? component.default_values?.[0]?.id;
    return { name: component.custom_id, value: component.value ?? chosen ?? '' };
  });
}
