import { randomUUID } from 'node:crypto';
import { connectShards } from '../bot/discord/gateway/connect-shards.ts';
import { relayShards } from '../bot/discord/gateway/relayed-shards.ts';
import { createShardHolder } from '../bot/discord/gateway/shard-holder.ts';
import type { Sharding } from '../bot/discord/gateway/sharding.ts';
import { openGatewayTables } from '../shared/storage/gateway-tables.ts';
import type { AppContext } from './context.ts';
import type { DiscordSide } from './discord-side.ts';
import { answerLookups, type Lookups } from './lookups.ts';
import { COPIED_TABLES } from './state-copy.ts';

/**
 * Holds this process's shards for whichever process leads. Goes on in the background, whether or not this one leads.
 * Resolves with what answers lookups until this one does; null where all shards are held by the process that leads.
 */
export async function holdShards(context: AppContext, discordSide: DiscordSide): Promise<Lookups | null> {
  const { token, api } = discordSide;
  const { config, clock, log, signal, problems, onStop, fail } = context;
  const { shards } = config.discord;
  if (shards === null) return null;
  const tables = await openGatewayTables(config.stateUrl, { count: shards.count, holder: randomUUID(), log });
  onStop(() => tables.close());
  const lookups = await answerLookups(context, discordSide, shards.count);
  const holder = createShardHolder({
    ...shards,
    writer: tables.writer,
    commands: lookups,
    clock,
    log,
    signal,
    onLost: fail,
  });

  async function hold(): Promise<void> {
    await holder.claim();
    const disconnect = await connectShards({
      token,
      api,
      clock,
      log,
      signal,
      sharding: holder.sharding,
      onProblem: (problem) => problems.report('shards', problem),
      onRefused: fail,
    });
    log.info({ shards: shards?.ids, of: shards?.count }, 'holding shards');
    onStop(async () => {
      await disconnect();
      await holder.written();
    });
  }
  const holding = hold().catch((error: Error) => {
    if (!signal.aborted) fail(error);
  });
  onStop(() => holding);
  return lookups;
}

/** The gateway connections of the process that leads, where others hold them; undefined where it makes them itself. */
export async function leadersSharding(context: AppContext): Promise<Sharding | undefined> {
  const { config, clock, log, signal, onStop } = context;
  const { shards } = config.discord;
  if (shards === null) return undefined;
  const { count } = shards;
  const tables = await openGatewayTables(config.stateUrl, {
    count,
    holder: randomUUID(),
    log,
    onChange: (shard) => relayed.look(shard),
  });
  onStop(() => tables.close());
  await tables.changes.follow(COPIED_TABLES);
  const relayed = relayShards({ reader: tables.reader, count, clock, log, signal });
  return relayed.sharding;
}
