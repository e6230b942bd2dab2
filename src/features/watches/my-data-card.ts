import { ComponentType } from 'discord-api-types/v10';
import { ACCENT } from '../../discord/cards/accent.ts';
import { buttons, type Card, type CardContext, card, dangerButton } from '../../discord/cards/parts.ts';
import { actOnMyData } from './actions.ts';

const FILE = 'my-data.json';

/** A person's records, as a file. */
export function exportCard(data: object, { translator, nowMs }: CardContext): Card {
  const json = JSON.stringify({ exportedAt: new Date(nowMs).toISOString(), ...data }, null, 2);
  return {
    ...card(ACCENT.notice, [
      translator.t('myData.exported'),
      { type: ComponentType.File, file: { url: `attachment://${FILE}` } },
    ]),
    files: [{ name: FILE, content: Buffer.from(json) }],
  };
}

/** Asks whether to delete what is kept of a person. */
export function deleteDataCard({ translator }: CardContext): Card {
  return card(ACCENT.warning, [
    [`**${translator.t('myData.ask')}**`, translator.t('myData.kept')],
    buttons([dangerButton(translator.t('button.deleteData'), actOnMyData({ do: 'my-data-delete' }))]),
  ]);
}
