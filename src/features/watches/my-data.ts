import { ApplicationCommandOptionType, ComponentType } from 'discord-api-types/v10';
import { ANYWHERE, type FeatureCommand } from '../../../commands/shared.ts';
import { placeOfPerson } from '../../deals/person.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { buttons, type Card, type CardContext, card, dangerButton, noticeCard } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { actOnMyData, MY_DATA_TABLE } from './actions.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const { Subcommand } = ApplicationCommandOptionType;

const FILE = 'my-data.json';

/** A person's records: shown to them as a file, or deleted once they confirm. */
export const myData: FeatureCommand<typeof MY_DATA_TABLE> = {
  table: MY_DATA_TABLE,
  data: {
    name: 'my-data',
    ...described('command.my-data'),
    ...ANYWHERE,
    options: [
      { type: Subcommand, name: 'export', ...described('command.my-data.export') },
      { type: Subcommand, name: 'delete', ...described('command.my-data.delete') },
    ],
  },
  answer: 'private',
  async execute({ options, person, services, cardContext }) {
    if (options.getSubcommand() === 'delete') return deleteDataCard(cardContext);
    return exportCard(await services.personalData.of(person.id), cardContext);
  },
  actions: {
    'my-data-delete': {
      answer: 'update',
      async run(_, { person, services, t }) {
        const { personalData, people, subscriptions, deliverer } = services;
        // Without its watches, nothing new is sent to the person; what is under way ends before it is forgotten.
        for (const { id } of subscriptions.ofGuild(placeOfPerson(person.id))) await subscriptions.remove(id);
        const channelId = people.get(person.id)?.channelId;
        if (channelId !== undefined) await deliverer.abandon(channelId);
        await personalData.forget(person.id);
        return noticeCard(t('myData.deleted'));
      },
    },
  },
};

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
