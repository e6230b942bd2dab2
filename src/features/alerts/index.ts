import { z } from 'zod';
import type { Core, Feature, ScheduledJob } from '../../app/feature.ts';
import { webAddress } from '../../shared/web-address.ts';
import { OwnerAlerts } from './alerts.ts';
import { Heartbeat } from './heartbeat.ts';
import { tellOfNewerState } from './newer-state.ts';
import { createOwnerMessages } from './owner-messages.ts';
import { RECORDS } from './records.ts';
import { WORDS } from './words/index.ts';

/** When it is looked whether something needs the owner, and the heartbeat is sent. */
const ALERTS_CRON = '* * * * *';

/** Tells the application's owner what needs a person, and a monitor that the bot is well. */
export const alerts: Feature = {
  name: 'alerts',
  words: WORDS,
  environment: {
    alertChannel: {
      variable: 'ALERT_CHANNEL',
      schema: z
        .string()
        .regex(/^\d{17,20}$/, { error: "must be a channel's ID" })
        .nullable()
        .default(null),
    },
    heartbeatUrl: { variable: 'HEARTBEAT_URL', schema: webAddress.nullable().default(null), isSecret: true },
  },
  records: RECORDS,
  start: (core) => ({ jobs: [ownerAlerts(core), ...heartbeat(core)] }),
  startFailed: tellOfNewerState,
};

function ownerAlerts({
  config,
  client,
  store,
  translators,
  conditions,
  needs,
  clock,
  log,
  signal,
}: Core): ScheduledJob {
  const messages = createOwnerMessages(client, config.alertChannel, signal);
  const owner = new OwnerAlerts({
    conditions,
    needs,
    store: store.alerts,
    translator: () => translators(store.people.get(messages.ownerId() ?? '')?.locale),
    messages,
    clock,
    log,
  });
  return { name: 'alerts', cron: ALERTS_CRON, run: () => owner.tick() };
}

function heartbeat({ config: { heartbeatUrl: url }, health, networkClock: clock, log }: Core): ScheduledJob[] {
  if (url === null) return [];
  const sent = new Heartbeat({ url, isWell: () => health().status === 'ok', clock, log });
  return [{ name: 'heartbeat', cron: ALERTS_CRON, run: () => sent.beat() }];
}

declare module '../../app/config.ts' {
  interface FeatureConfig {
    /** The channel for messages to the bot's owner; null for direct messages. */
    alertChannel: string | null;
    /** A secret in itself. null: none. */
    heartbeatUrl: string | null;
  }
}
