import { fileURLToPath } from 'node:url';
import { systemClock } from '../shared/clock.ts';
import { runProgram } from '../shared/command-line.ts';
import { createLog } from '../shared/log.ts';
import { HELP, parseArguments } from './arguments.ts';
import { createLocalDiscord, type LocalDiscord } from './server/local-discord.ts';

/** The folder where the build puts the page, relative to the built program. */
const PAGE_DIRECTORY = fileURLToPath(new URL('../../page', import.meta.url));

runProgram(async () => {
  const { help, ...options } = parseArguments(process.argv.slice(2));
  if (help) return { greeting: HELP };
  const discord = createLocalDiscord({
    ...options,
    clock: systemClock,
    log: createLog('warn'),
    pageDirectory: PAGE_DIRECTORY,
  });
  await discord.start();
  return { greeting: greeting(discord), stop: () => discord.stop() };
});

function greeting({ url, api, token }: LocalDiscord): string {
  return `Local Discord is at ${url}
A bot logs in with the REST base ${api} and the token ${token}

Ctrl-C stops it.
`;
}
