// Simulates what the settings don't connect, and runs the bot beside it, as a process of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { banner } from './banner.ts';
import { createBotProcess } from './bot-process.ts';
import { endWith } from './endings.ts';
import { botHealth } from './health.ts';
import { createLog } from './log.ts';
import type { BotSettings } from './protocol.ts';
import { checkSettings, isOpenToEveryone } from './settings.ts';
import { createSides } from './sides.ts';
import { createStage } from './stage.ts';
import type { Surroundings } from './surroundings.ts';

/** The bot's program, and the folder of the built page: the build puts them there, seen from this program's own place. */
const BOT_PROGRAM = fileURLToPath(new URL('../../../src/driven.js', import.meta.url));
const PAGE_DIRECTORY = fileURLToPath(new URL('../../local-discord/src/page', import.meta.url));

/** The first posts are made by then: milliseconds after the start. */
const FIRST_POSTS_MS = 10_000;
/** The longest stop; a longer one is cut short, which all states survive at any point. */
const STOP_WITHIN_MS = 1_800;

/** The parts that are made once the bot has read its settings. */
interface Surrounded {
  settings: BotSettings;
  log: Logger;
  surroundings: Surroundings;
}

async function main(): Promise<void> {
  // Only the owner of this process can read the files that it makes, and those of the bot that it starts.
  process.umask(0o077);
  let known: Surrounded | null = null;

  const bot = createBotProcess({
    program: BOT_PROGRAM,
    args: process.argv.slice(2),
    begin(settings) {
      known ??= surround(settings);
      return known.surroundings.time();
    },
    complete: async () => known?.surroundings.complete(),
    onPlan: (plan) => known?.surroundings.onPlan(plan),
    onChange: () => known?.surroundings.onBot(),
  });

  function surround(settings: BotSettings): Surrounded {
    checkSettings(settings, process.env);
    const log = createLog(settings.logLevel);
    if (isOpenToEveryone(settings)) log.warn('anyone who can reach HOST can use local Discord');
    const parts = { settings, log, pageDirectory: PAGE_DIRECTORY, health: botHealth(() => bot.health()) };
    const surroundings = settings.missing.length === 3 ? createStage({ ...parts, bot }) : createSides(parts);
    return { settings, log, surroundings };
  }

  async function stopAll(): Promise<void> {
    await (known ? known.surroundings.stop(() => bot.stop()) : bot.stop());
  }

  let isStopping = false;
  function stop(): void {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => {
      known?.log.warn('stopping took too long and was cut short');
      process.exit(0);
    }, STOP_WITHIN_MS).unref();
    void stopAll().then(() => process.exit(0));
  }
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  try {
    const started = await bot.start();
    if (known) greet(known, started);
    throw await bot.failed;
  } catch (error) {
    // A start that was cancelled is no failure: `stop` ends the process.
    if (isStopping) return;
    await Promise.race([stopAll(), sleep(STOP_WITHIN_MS)]);
    throw error;
  }
}

function greet(known: Surrounded, started: Parameters<typeof banner>[0]['bot']): void {
  const text = `${bannerOf(known, started)}\n`;
  process.stdout.write(text);
  if (known.surroundings.page() === null) return;
  // By then the log of the first posts has pushed it away.
  setTimeout(() => process.stdout.write(text), FIRST_POSTS_MS).unref();
}

function bannerOf({ settings, surroundings }: Surrounded, bot: Parameters<typeof banner>[0]['bot']): string {
  const page = surroundings.page();
  const isElsewhere = page !== null && !settings.isPortSet && new URL(page).port !== String(settings.port);
  return banner({
    bot,
    missing: settings.missing,
    page,
    takenPort: isElsewhere ? settings.port : null,
    isOpenToEveryone: isOpenToEveryone(settings),
  });
}

main().catch(endWith);
