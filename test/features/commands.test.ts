import { InteractionContextType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { FEATURES } from '../../src/features/index.ts';

const commands = FEATURES.flatMap((feature) => feature.commands ?? []);

test.runIf(commands.length > 0)(
  'every command of a feature says where it works, in all languages, and is typed by one name',
  () => {
    const languages = ['de', 'fr', 'es-ES', 'es-419'];
    for (const { data } of commands) {
      expect(data.contexts, data.name).toContain(InteractionContextType.Guild);
      const isTyped = 'description' in data;
      expect(Object.keys(data.name_localizations ?? {}), data.name).toEqual(isTyped ? [] : languages);
      if (isTyped) expect(Object.keys(data.description_localizations ?? {}), data.name).toEqual(languages);
    }
  },
);
