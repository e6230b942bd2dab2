import type { Arguments, OperatorCommand, OperatorSurroundings } from '../../../app/feature.ts';
import { amount } from '../../../shared/amount.ts';
import { UserError } from '../../../shared/errors.ts';
import { MINUTE_MS } from '../../../shared/time.ts';
import { type RepairStep, stepFor } from '../repair.ts';
import {
  AUDIT_REPLY,
  type AuditReply,
  type AuditRequest,
  READING,
  type ReadingProgress,
  type ReportedFinding,
} from './protocol.ts';

/** The parts that this command uses. */
type Surroundings = Pick<OperatorSurroundings, 'clock' | 'say' | 'showProgress' | 'ask' | 'askBot'>;

type Audited = Extract<AuditReply, { result: 'audited' }>;
type Repaired = Extract<AuditReply, { result: 'repaired' }>;

/** The exit statuses besides 0, as those of `plan --json`. */
const EXIT_ERROR = 1;
const EXIT_FOUND = 2;

const HELP = `Usage: npm run audit -- [--repair [--deleted] [--yes]] [--json]

Has the running Dealbell read every channel that it posts in, one after another, and compare what
stands there with what has to: eight days, until an hour ago. Posts go on meanwhile.

--repair   posts what is owed, edits what is untrue, deletes what is there twice, and records what
           the ledger lacks; asks first
--deleted  with --repair: also posts again what somebody has deleted, where the deal is still on
--yes      with --repair: doesn't ask
--json     prints JSON

missing     posted, and somebody has deleted it since
unposted    owed, and there is no trace of it
twice       another message of the same announcement
copy        a message that tells the same as a post, without its buttons
untrue      an outdated post
unrecorded  a post that the ledger doesn't know

Exit code: 0 nothing was found (with --repair: all of it is being repaired), 2 something was found
(with --repair: some of it was left), 1 an error, or a channel could not be read.`;

/** `audit`. */
export const AUDIT: OperatorCommand = {
  name: 'audit',
  help: HELP,
  options: ['repair', 'deleted', 'yes', 'json'],
  most: 0,
  run: operateAudit,
  failsWith: () => EXIT_ERROR,
};

/**
 * Makes an audit through the running bot, and repairs what it finds. Resolves with the exit status.
 * @throws UserError where an option goes with another, nobody can be asked, no bot runs, or it has not answered to the end
 */
export async function operateAudit({ options }: Pick<Arguments, 'options'>, around: Surroundings): Promise<number> {
  const { say, ask } = around;
  const [isRepair, isSure, isJson] = [options.has('repair'), options.has('yes'), options.has('json')];
  const withDeleted = options.has('deleted');
  if (!isRepair && (withDeleted || isSure)) {
    throw new UserError(`--${withDeleted ? 'deleted' : 'yes'} goes with --repair only.`);
  }
  if (isRepair && !isSure && (!ask || isJson)) {
    throw new UserError('Nobody can be asked here. Add --yes to repair what is found. Nothing was changed.');
  }
  const audited = await asking<Audited>({ repair: null }, 'audited', around);
  if (!isJson) say(auditText(audited));
  const wanted = audited.findings.filter(({ what }) => stepFor(what, withDeleted) !== null);
  if (!isJson && audited.findings.length > 0) say(planText(audited.findings, withDeleted, isRepair));
  if (!isRepair || wanted.length === 0) {
    if (isJson) say(jsonOf(audited));
    return exitOf(audited.findings.length, audited);
  }
  if (!isSure && !(await ask?.('Repair this? [y/N] '))) {
    say('Nothing was changed.');
    return EXIT_FOUND;
  }
  // What is left without --deleted is not asked for at all.
  const repaired = await asking<Repaired>({ repair: { findings: wanted, withDeleted } }, 'repaired', around);
  say(isJson ? jsonOf(audited, repaired) : repairText(audited, repaired));
  return exitOf(audited.findings.length - repaired.steps.length, audited);
}

/** Asks the running bot, and shows how far it is. @throws UserError where it refuses */
async function asking<R extends Audited | Repaired>(
  asked: AuditRequest,
  result: R['result'],
  { clock, showProgress, askBot }: Surroundings,
): Promise<R> {
  const startedMs = clock.monotonicMs();
  try {
    const reply = await answerOf(askBot('audit', [asked], SENTENCES), (progress) =>
      showProgress(progressText(progress, clock.monotonicMs() - startedMs)),
    );
    if (reply.result === 'refused') throw new UserError(reply.problems.join('\n'));
    if (reply.result !== result) throw new UserError('The running Dealbell has answered something else.');
    return reply as R;
  } finally {
    showProgress(null);
  }
}

const SENTENCES = {
  notRunning:
    'No running Dealbell uses this state on this machine. Start it first: it makes the audit, because it alone may post. In a container, run this inside it.',
  cutOff: 'Dealbell ended before it answered. Run this again: nothing is done twice.',
};

/** @param onReading called before each channel is read */
async function answerOf(
  lines: AsyncIterable<unknown>,
  onReading: (progress: ReadingProgress) => void,
): Promise<AuditReply> {
  for await (const said of lines) {
    const reading = READING.safeParse(said).data;
    if (reading) {
      onReading(reading);
      continue;
    }
    const { data } = AUDIT_REPLY.safeParse(said);
    if (data) return data;
    throw new UserError("The running Dealbell's answer can't be read: is this program of the same version?");
  }
  throw new UserError(SENTENCES.cutOff);
}

/** @param tookMs for the channels before this one */
function progressText({ channel, number, of }: ReadingProgress, tookMs: number): string {
  const leftMs = (tookMs / (number - 1)) * (of - number + 1);
  const left =
    number === 1
      ? ''
      : `, about ${leftMs < 90_000 ? `${Math.ceil(leftMs / 1000)} s` : `${Math.ceil(leftMs / MINUTE_MS)} min`} left`;
  return plain(`Reading ${channel} (${number} of ${of}${left})`);
}

/** What a program reads: all but the name of the reply. */
const jsonOf = (audited: Audited, repaired?: Repaired) =>
  JSON.stringify({ ...audited, ...repaired, result: undefined });

function exitOf(left: number, { unread }: Pick<Audited, 'unread'>): number {
  if (left > 0) return EXIT_FOUND;
  return unread.length > 0 ? EXIT_ERROR : 0;
}

function auditText({ channels, unread, findings }: Audited): string {
  const rows = findings.map(({ what, server, channel, deal, deliveryId, link }) => [
    what,
    `${server} ${channel}`,
    clamped(deal ?? ''),
    deliveryId ?? '',
    link ?? '',
  ]);
  const table = rows.length > 0 ? [...tableOf([['what', 'channel', 'deal', 'delivery', 'message'], ...rows]), ''] : [];
  const unreadText = `Could not be read: ${unread.join(', ')}. "npm run check-setup" says what is missing there.`;
  return [
    ...table,
    `${findings.length === 0 ? 'Nothing was found' : amount(findings.length, 'finding')} in ${amount(channels - unread.length, 'channel')}.`,
    ...(unread.length > 0 ? [plain(unreadText)] : []),
  ].join('\n');
}

const DOES: Readonly<Record<RepairStep, string>> = {
  post: 'posted',
  edit: 'brought up to date',
  delete: 'deleted',
  record: 'recorded in the ledger',
};

function planText(findings: readonly ReportedFinding[], withDeleted: boolean, isRepair: boolean): string {
  const steps = findings.map(({ what }) => stepFor(what, withDeleted));
  const deleted = steps.filter((step) => step === null).length;
  const counts = countsOf(steps.filter((step) => step !== null));
  return [
    ...(counts === '' ? [] : [`${isRepair ? 'Will be' : '"npm run audit -- --repair" repairs it:'} ${counts}.`]),
    ...(deleted > 0
      ? [
          `Left as they are: ${deleted} that somebody has deleted. "--repair --deleted" posts those again whose deal is still on.`,
        ]
      : []),
  ].join('\n');
}

/** `1 posted, 2 deleted` */
function countsOf(steps: readonly RepairStep[]): string {
  const kinds = Object.keys(DOES) as RepairStep[];
  const counted = kinds.map((kind) => [steps.filter((step) => step === kind).length, DOES[kind]] as const);
  return counted.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : [])).join(', ');
}

const LEFT: Readonly<Record<Repaired['left'][number]['because'], string>> = {
  deleted: 'somebody has deleted it',
  over: 'the deal is over',
  unwanted: 'no active subscription wants it any more',
  unknown: 'nothing is recorded of what it told',
  changed: 'it has changed meanwhile',
};

function repairText({ findings }: Audited, { steps, left, isPaused }: Repaired): string {
  const counts = countsOf(steps.map(({ step }) => step));
  const titleOf = (id: string | null) => findings.find(({ deliveryId }) => deliveryId === id)?.deal ?? id ?? 'a copy';
  const when = isPaused ? 'once posting is resumed' : "as the channels' limits allow";
  return [
    counts === '' ? 'Nothing is left to repair.' : `On its way: ${counts}, ${when}. Run the audit again after that.`,
    ...left.map(({ what, deliveryId, because }) => plain(`Left: ${what} ${titleOf(deliveryId)}: ${LEFT[because]}.`)),
  ].join('\n');
}

const MOST_OF_DEAL = 40;
const clamped = (text: string) => (text.length > MOST_OF_DEAL ? `${text.slice(0, MOST_OF_DEAL - 1)}…` : text);

function tableOf(rows: readonly string[][]): string[] {
  const shown = rows.map((row) => row.map(plain));
  const widths = shown[0]?.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0))) ?? [];
  return shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Foreign text can't send control sequences to the terminal. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
