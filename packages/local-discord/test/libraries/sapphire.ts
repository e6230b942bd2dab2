import { SapphireClient } from '@sapphire/framework';
import { logInWith, optionsOf } from './discordjs.ts';
import type { Library } from './library.ts';

export const sapphire: Library = {
  name: '@sapphire/framework',
  logIn: (discord) =>
    logInWith(new SapphireClient({ ...optionsOf(discord), baseUserDirectory: null, logger: { level: 100 } }), discord),
};
