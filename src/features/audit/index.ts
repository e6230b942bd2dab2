import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { AddedSubcommand } from '../../../commands/shared.ts';
import type { Core, Feature, Need, Running } from '../../app/feature.ts';
import { noticeCard } from '../../discord/cards/parts.ts';
import { timestamp } from '../../discord/format.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { nameOf } from '../../discord/inspect.ts';
import { requireOperator } from '../../discord/permissions.ts';
import { Audit, type AuditProgress } from './audit.ts';
import type { AuditFigures } from './compare.ts';
import { figuresOf, GAUGES } from './metrics.ts';
import { RECORDS } from './records.ts';
import { Repair } from './repair.ts';
import { AUDIT } from './terminal/command.ts';
import { auditForOperator } from './terminal/in-bot.ts';
import { WORDS } from './words/index.ts';

/** When channels are compared with what was owed: six times a day, others each time. */
const AUDIT_CRON = '43 */4 * * *';

const { described } = commandWords(WORDS);

/** Makes an audit now, for the bot's owner. */
const ownerAudit: AddedSubcommand = {
  to: 'owner',
  after: 'backup',
  data: { type: ApplicationCommandOptionType.Subcommand, name: 'audit', ...described('command.owner.audit') },
  async execute(request) {
    await requireOperator(request, 'act');
    const { findings, ...audited } = await request.services.audit.runNow();
    const repair = findings.length > 0 ? [request.t('owner.auditRepair')] : [];
    return noticeCard([request.t('owner.audited', audited), ...repair].join('\n'));
  },
};

/** Compares what stands in the channels with what has to, and repairs what it finds. */
export const audit: Feature = {
  name: 'audit',
  words: WORDS,
  records: RECORDS,
  subcommands: [ownerAudit],
  gauges: GAUGES,
  // 2 says that something was found.
  operatorCommands: [AUDIT],
  start,
};

function start(core: Core): Running {
  const { client, deliverer } = core;
  const made = new Audit(core);
  const repair = new Repair({ ...core, audit: made });
  return {
    services: { audit: made },
    jobs: [{ name: 'audit', cron: AUDIT_CRON, run: () => made.run().then(() => undefined) }],
    needs: [needOf(made)],
    status: {
      ofServer(guildId, translator) {
        const last = made.last();
        const figures = last?.byServer.get(guildId);
        return last && figures ? statusLine({ ...figures, atMs: last.atMs }, translator) : null;
      },
      ofBot(translator) {
        const last = made.last();
        return last ? statusLine(last, translator) : translator.t('owner.noAudit');
      },
    },
    figures: () => figuresOf(made.last()),
    operatorJobs: [
      {
        name: 'audit',
        run: (asked, waiting) =>
          auditForOperator(asked, waiting, { audit: made, repair, deliverer, nameOf: (id) => nameOf(client, id) }),
      },
    ],
  };
}

function needOf(made: Audit): Need {
  return {
    name: 'audit',
    title: (translator) => translator.t('alert.audit'),
    means(translator) {
      const last = made.last();
      return last && last.twice + last.missing + last.untrue > 0 ? translator.t('alert.audit.means', last) : null;
    },
  };
}

/** What was found, and how many of all channels were read in the last seven days. */
export function statusLine(
  { atMs, ...figures }: AuditFigures & AuditProgress & { atMs: number },
  translator: Translator,
): string {
  return translator.t('status.audit', { ...figures, at: timestamp(atMs, 'R') });
}

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    audit: Audit;
  }
}
