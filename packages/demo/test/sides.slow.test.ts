import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../../../test/helpers/built-program.ts';
import { startSimulatedSides } from '../../../test/helpers/simulated-sides.ts';
import { temporaryState } from '../../../test/helpers/temporary-folder.ts';
import { DEMO_PROGRAMS, startDemo, WITHIN_MS } from './running-demo.ts';

const PROGRAM = builtProgram(...DEMO_PROGRAMS);
const OPTIONS = { timeout: WITHIN_MS };

const isOfDiscord = (name: string) => name.startsWith('DISCORD_');

/** The settings of a bot on these sides, of which one is left out. */
async function connected(isKept: (name: string) => boolean) {
  const { discord, environment, stop } = await startSimulatedSides();
  onTestFinished(stop);
  const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
  return { discord, environment: { ...kept, STATE_URL: temporaryState() } };
}

test('a bot on another Discord gets a simulated catalog, and posts from it', OPTIONS, async () => {
  const { discord, environment } = await connected(isOfDiscord);
  const demo = startDemo(PROGRAM, environment);
  const health = await demo.address;
  const output = demo.output();
  expect(output).toContain('Discord  real, connected');
  expect(output).toContain('Catalog  simulated');
  expect(await (await fetch(`${health}/healthz`)).json()).toMatchObject({ gateway: 'connected' });
  const channelId = discord.channel('deals').id;
  await discord.runCommand({
    personId: discord.people.ada.id,
    channelId,
    text: '/subscription add feed feed:Electronics',
  });
  const post = await discord.waitFor(() =>
    discord.messages(channelId).find(({ author, interaction }) => author.bot === true && !interaction),
  );
  expect(post.components).not.toEqual([]);
  demo.process.kill('SIGTERM');
  expect(await demo.ended).toMatchObject({ status: 0, errors: '' });
});

test('a bot on another catalog gets a local Discord, whose port serves its health too', OPTIONS, async () => {
  const { environment } = await connected((name) => !isOfDiscord(name));
  const demo = startDemo(PROGRAM, environment);
  const page = await demo.address;
  expect(demo.output()).toMatch(/Open .*\n {2}Discord {2}simulated, on this machine.*\n {2}Catalog {2}portal 127/);
  expect(await (await fetch(`${page}/healthz`)).json()).toMatchObject({ gateway: 'connected' });
  const { demo: stage } = await demo.state();
  expect(stage, 'what is real has no levers').toBeNull();
});

test('a bot that Discord refuses ends the whole with its own sentence and status 4', OPTIONS, async () => {
  const { environment } = await connected(isOfDiscord);
  const { status, errors } = await startDemo(PROGRAM, { ...environment, DISCORD_TOKEN: 'not.taken' }).ended;
  // Nobody reads it in a terminal: it is a line of the log.
  expect(JSON.parse(errors)).toMatchObject({
    msg: 'exiting',
    problems: ['Discord rejected DISCORD_TOKEN. Copy the token again from the developer portal.'],
  });
  expect(status).toBe(4);
});

test.each([
  ['an invalid setting', { PORT: 'x' }, [], 'PORT must be a port number.'],
  ['an unknown option', {}, ['--port'], "--port isn't an option. Use --help for the list."],
  ['a page that everybody could open', { HOST: '0.0.0.0' }, [], 'LOCAL_DISCORD_FOR_EVERYONE=yes'],
  ['standing by for local Discord', {}, ['--standby'], '--standby needs DISCORD_TOKEN'],
] as const)(
  '%s ends both processes with status 2, and starts nothing',
  OPTIONS,
  async (_, settings, options, sentence) => {
    const { status, errors } = await startDemo(PROGRAM, { STATE_URL: temporaryState(), ...settings }, { options })
      .ended;
    expect(errors).toContain(sentence);
    expect(errors, 'and no stack').not.toContain('    at ');
    expect(status).toBe(2);
  },
);
