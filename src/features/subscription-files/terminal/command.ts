import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { preview } from '../../../announcements/explain/dry-run.ts';
import type { Arguments, OperatorCommand, OperatorSurroundings } from '../../../app/feature.ts';
import { amount } from '../../../shared/amount.ts';
import { StateInUseError, StoreError, UsageError, UserError } from '../../../shared/errors.ts';
import { createLog } from '../../../shared/log.ts';
import { systemProblem } from '../../../shared/system-errors.ts';
import { OFFER, openKnown, openResources } from '../../../store/catalog-records.ts';
import { STATE_VERSION } from '../../../store/migrations.ts';
import { openState, readAbout } from '../../../store/open-state.ts';
import { openStore, openSubscriptionsOf, type Store } from '../../../store/store.ts';
import { stored } from '../../../store/table/records.ts';
import { isOnServer, isThere, OWNERS_FILE, placeOf } from '../../../store/table/state-place.ts';
import { type FileFormat, readFile, writeFile } from '../document.ts';
import { type ChannelForecast, forecast } from '../forecast.ts';
import { changesOf, channelsOf, isEmpty, type Plan, planOf } from '../plan.ts';
import type { WantedServer } from '../schema.ts';
import { ENGLISH } from './english.ts';
import { convertFile } from './foreign.ts';
import { planJson, planText, problemsText } from './plan-text.ts';
import { type ApplyReply, CHECKED, JOB, REPLY } from './protocol.ts';

/** The parts of the state that plans are made of. */
type PlannedState = Pick<Store, 'subscriptions' | 'resources' | 'known' | 'offers'>;

/** The largest file with subscriptions, in bytes. */
const MOST_FILE_BYTES = 64 * 1024 * 1024;
/** The exit status of `plan --json` where the file changes something; without a change it is 0. */
const EXIT_CHANGES = 2;

const HELP = `Usage: npm run subscriptions -- export [file]
       npm run subscriptions -- plan <file> [--json]
       npm run subscriptions -- apply <file> [--yes]
       npm run subscriptions -- convert <file>

export   prints all subscriptions as YAML, or writes them into a new file (JSON where its name ends with .json)
plan     says what a file would add, change and remove, and what the last seven days would have posted
apply    shows the plan, asks, and does exactly that, all or nothing
convert  prints what carries over from a backup of MonitoRSS or FeedCord's appsettings.json

--json   with plan: prints JSON
--yes    with apply: doesn't ask

Exit code: 0 done (plan --json: the file changes nothing), 2 wrong arguments, settings or file (plan --json: the file
changes something), 3 a running Dealbell can't be reached, 1 another error (plan --json: any error).

The form of the file: docs/subscriptions-as-code.md`;
const SEE_HELP = 'Use --help for the list.';

/** `subscriptions export|plan|apply|convert`. */
export const SUBSCRIPTIONS: OperatorCommand = {
  name: 'subscriptions',
  help: HELP,
  options: ['yes', 'json'],
  most: 2,
  run: operateSubscriptions,
  // There, 2 says that the file changes something.
  failsWith: (args) => (args[0] === 'plan' && args.includes('--json') ? 1 : undefined),
};

/**
 * Resolves with the exit status.
 * @throws UsageError where the arguments or the file are wrong
 * @throws StateInUseError where `apply` finds a Dealbell that uses the state and can't be reached
 */
async function operateSubscriptions(
  { given: [job, path], options }: Arguments,
  around: OperatorSurroundings,
): Promise<number> {
  const [isSure, isJson] = [options.has('yes'), options.has('json')];
  if (job === undefined) throw new UsageError(`Say what to do: export, plan, apply or convert. ${SEE_HELP}`);
  if (isSure && job !== 'apply') throw new UsageError('--yes goes with apply only.');
  if (isJson && job !== 'plan') throw new UsageError('--json goes with plan only.');
  if (job === 'export') {
    await exportTo(path, around);
    return 0;
  }
  if (job !== 'plan' && job !== 'apply' && job !== 'convert') {
    throw new UsageError(`"${job}" is none of export, plan, apply, convert. ${SEE_HELP}`);
  }
  if (path === undefined) throw new UsageError(`Name the file: npm run subscriptions -- ${job} <file>.`);
  if (job === 'convert') {
    printConverted(path, around);
    return 0;
  }
  const wanted = readWanted(path, around);
  if (job === 'plan') return showPlan(wanted, isJson, around);
  await apply(wanted, isSure, around);
  return 0;
}

const formatOf = (path: string): FileFormat => (path.endsWith('.json') ? 'json' : 'yaml');

async function exportTo(path: string | undefined, around: OperatorSurroundings): Promise<void> {
  const { settings, say } = around;
  if (path !== undefined && isThere(path)) {
    throw new UsageError(`${path} exists already. Name a file that does not.`);
  }
  const text = await readState(around, async ({ subscriptions }) =>
    writeFile(subscriptions.ofServers(), path === undefined ? 'yaml' : formatOf(path), settings),
  );
  if (path === undefined) return say(text.trimEnd());
  writeFileSync(path, text, { flag: 'wx', mode: OWNERS_FILE });
  say(`Exported to ${path}.`);
}

/** Prints a draft that takes over what another program's file says. */
function printConverted(path: string, { config, settings, say }: OperatorSurroundings): void {
  const converted = convertFile(textOf(path), config.catalog.feeds, settings);
  if (converted === null)
    throw new UserError(`${path} is neither a backup of MonitoRSS nor FeedCord's appsettings.json.`);
  say(converted.trimEnd());
}

/** @throws UsageError where there is no such file, or it is too large */
function textOf(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new UsageError(systemProblem(cause, path) ?? `${path} can't be read.`, { cause });
  }
  if (bytes.length > MOST_FILE_BYTES) throw new UsageError(`${path} is larger than 64 MiB.`);
  return bytes.toString();
}

function readWanted(path: string, { config, settings, showProgress }: OperatorSurroundings): WantedServer[] {
  const { catalog, mostSubscriptionsPerServer: most } = config;
  showProgress(`Reading ${path}`);
  const read = readFile(textOf(path), formatOf(path), { feeds: catalog.feeds, most, settings });
  showProgress(null);
  if (!read.ok) throw refused(`${path} can't be used:`, problemsText(read.problems, ENGLISH));
  return read.servers;
}

const refused = (title: string, problems: readonly string[]) => new UserError([title, ...problems].join('\n  - '));

function showPlan(servers: readonly WantedServer[], isJson: boolean, around: OperatorSurroundings): Promise<number> {
  const { say } = around;
  return readState(around, async (state) => {
    const plan = planFor(servers, state, around);
    say((isJson ? planJson : planText)(plan, await forecastOf(plan, state, around), ENGLISH));
    return isJson && !isEmpty(plan) ? EXIT_CHANGES : 0;
  });
}

/** Applies a file through the bot that uses the state, or where none does, by itself. */
async function apply(wanted: readonly WantedServer[], isSure: boolean, around: OperatorSurroundings): Promise<void> {
  if (await around.isBotListening()) return applyThroughBot(wanted, isSure, around);
  const stopping = new AbortController();
  const { config, records, clock, dealbell, socket, say } = around;
  const owner = {
    dealbell,
    clock,
    log: createLog('silent'),
    signal: stopping.signal,
    onLost: (error: Error) => stopping.abort(error),
  };
  const store = await openStore(config.stateUrl, clock, owner, records).catch((error: unknown) => {
    if (!(error instanceof StateInUseError)) throw error;
    throw new StateInUseError(`${error.message} ${unreachable(socket)}`);
  });
  try {
    const plan = await confirmed(wanted, isSure, store, around);
    if (!plan) return;
    // Nobody else writes meanwhile: this process holds the lease.
    await store.subscriptions.apply(() => changesOf(plan));
    if (store.isNew) await store.commit((changes) => store.markSetUp(changes));
    say('Applied. The next start posts accordingly.');
  } finally {
    await store.close();
  }
}

const unreachable = (socket: string) =>
  `It is starting, or can't be reached from here (${socket}): then run this on the machine or in the container where it runs. Or use /subscription import in Discord.`;

async function applyThroughBot(
  wanted: readonly WantedServer[],
  isSure: boolean,
  around: OperatorSurroundings,
): Promise<void> {
  const plan = await readState(around, (state) => confirmed(wanted, isSure, state, around));
  if (!plan) return;
  const reply = await applyByRunningBot(plan, wanted, around);
  switch (reply.result) {
    case 'applied':
      return around.say('Applied. The running Dealbell posts accordingly from now on.');
    case 'outdated':
      throw new UserError('The subscriptions have changed meanwhile. Nothing was applied: run this again.');
    case 'refused':
      throw refused('The running Dealbell has not applied it:', reply.problems);
  }
}

const SENTENCES = {
  notRunning: 'Dealbell has stopped meanwhile. Nothing was changed: run this again.',
  cutOff: 'Dealbell ended before it answered. "plan" tells whether it has applied the file.',
};

/** @throws UserError where it has not answered: then it may have applied the file */
async function applyByRunningBot(
  plan: Plan,
  wanted: readonly WantedServer[],
  { askBot, showProgress }: OperatorSurroundings,
): Promise<ApplyReply> {
  const changed = new Set(channelsOf(plan).values());
  const sent = wanted.filter(({ guildId }) => changed.has(guildId));
  const lines = [{ digest: plan.digest, servers: sent.length }, ...sent.map(({ at, written }) => ({ at, written }))];
  try {
    for await (const said of askBot(JOB, lines, SENTENCES)) {
      const { data: checked } = CHECKED.safeParse(said);
      if (checked) {
        showProgress(`Dealbell has checked ${checked.servers} of ${amount(sent.length, 'server')}`);
        continue;
      }
      const { data } = REPLY.safeParse(said);
      if (data) return data;
      throw new UserError("The running Dealbell's answer can't be read: is this program of the same version?");
    }
  } finally {
    showProgress(null);
  }
  throw new UserError(SENTENCES.cutOff);
}

/** Shows the plan, and asks for it. Resolves with null where nothing is to be done. */
async function confirmed(
  servers: readonly WantedServer[],
  isSure: boolean,
  state: PlannedState,
  around: OperatorSurroundings,
): Promise<Plan | null> {
  const { say, ask } = around;
  const plan = planFor(servers, state, around);
  say(planText(plan, await forecastOf(plan, state, around), ENGLISH));
  if (isEmpty(plan)) return null;
  if (isSure) return plan;
  if (!ask) throw new UsageError('Nobody can be asked here. Add --yes to apply the plan. Nothing was changed.');
  if (await ask('Apply this plan? [y/N] ')) return plan;
  say('Nothing was changed.');
  return null;
}

function planFor(
  servers: readonly WantedServer[],
  { subscriptions: stored }: PlannedState,
  { clock, settings }: OperatorSurroundings,
): Plan {
  return planOf(servers, { nowMs: clock.now(), createdBy: '', newId: randomUUID, settings, stored });
}

async function forecastOf(
  plan: Plan,
  state: PlannedState,
  { settings, clock, showProgress }: OperatorSurroundings,
): Promise<ChannelForecast[]> {
  const offers = await state.offers.all();
  const parts = {
    store: state,
    offers: { all: () => offers.values() },
    // Only a running Dealbell knows the catalog's present offers.
    currentState: { seen: () => null },
    settings,
    clock,
  };
  try {
    return await forecast(
      plan,
      state.subscriptions,
      (one) => preview(one, parts),
      (number, of) => showProgress(`Counting the posts of the last seven days (channel ${number} of ${of})`),
    );
  } finally {
    showProgress(null);
  }
}

/** Reads a state that a Dealbell may be using; changes nothing. */
async function readState<R>(
  { config: { stateUrl }, records }: OperatorSurroundings,
  run: (state: PlannedState) => Promise<R>,
): Promise<R> {
  if (!isOnServer(stateUrl) && !isThere(placeOf(stateUrl))) {
    throw new StoreError(`There is no state at ${stateUrl} yet. Start Dealbell once, or apply a file.`);
  }
  const opened = openState(stateUrl);
  const { backend, state } = opened;
  try {
    const about = await readAbout(opened);
    if (about && about.version !== STATE_VERSION) {
      throw new StoreError('This state is of an older version. Start Dealbell once, which converts it.');
    }
    return await run({
      subscriptions: await openSubscriptionsOf(state, records),
      resources: await openResources(state),
      known: openKnown(state),
      offers: stored(state, OFFER),
    });
  } finally {
    await backend.close();
  }
}
