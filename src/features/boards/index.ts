import type { Feature } from '../../app/feature.ts';
import { BOARD } from './flag.ts';
import { createOwedBoards } from './owed.ts';
import { Boards } from './posts.ts';
import { WORDS } from './words/index.ts';

/** Posts of events that always show what is on now, and are pinned. */
export const boards: Feature = {
  name: 'boards',
  words: WORDS,
  flags: [BOARD],
  start({ store, client, translators, ...core }) {
    const translatorOf = (guildId: string) => translators(client.guilds.cache.get(guildId)?.preferredLocale);
    return { post: { kept: new Boards({ ...core, store, translatorOf }), owed: createOwedBoards(store) } };
  },
};
