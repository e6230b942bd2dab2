import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { ANYWHERE, type FeatureCommand } from '../../../commands/shared.ts';
import { placeOfPerson } from '../../deals/person.ts';
import { noticeCard } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { MY_DATA_TABLE } from './actions.ts';
import { deleteDataCard, exportCard } from './my-data-card.ts';
import { WORDS } from './words/index.ts';

const { described, named } = commandWords(WORDS);

const { Subcommand } = ApplicationCommandOptionType;

/** A person's records: shown to them as a file, or deleted once they confirm. */
export const myData: FeatureCommand<typeof MY_DATA_TABLE> = {
  table: MY_DATA_TABLE,
  data: {
    ...named('command.my-data.name'),
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
