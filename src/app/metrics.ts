import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DoubtFigures } from '../announcements/poll/doubt-figures.ts';
import { DOUBT_ENDS } from '../catalog/doubt-counts.ts';
import type { ResourceDrift } from '../catalog/drift.ts';
import { ageMs } from '../shared/clock.ts';
import { type Away, DEPENDENCIES } from '../shared/reachability.ts';
import { createHttpServer } from './http.ts';

/** The facts that are read for each scrape. Reading them makes no request. */
export interface MetricFacts {
  outbox: { deliveries: number; oldestDueAtMs: number | null; stalledForMs: number };
  /** Since when the application's owner has paused all posting: epoch milliseconds; null where that is not so. */
  pausedSinceMs: number | null;
  interfaces: readonly { name: string; quotaLeft: number; quotaLeftForPolls: number; isAway: boolean }[];
  /** The followed resources. `readAtMs` is null for one that was never read. */
  resources: readonly { resource: string; readAtMs: number | null; longestIntervalMs: number }[];
  /** What can't be read of the last answers, by resource. */
  drift: ReadonlyMap<string, ResourceDrift>;
  doubts: Pick<DoubtFigures, 'sinceStart' | 'waiting'>;
  shards: readonly { shard: number; isUp: boolean }[];
  subscriptions: Readonly<Record<SubscriptionState, number>>;
  /** By their aim; empty aims included, so that their series stay. */
  /** The figures of features' gauges. */
  ofFeatures: readonly Figures[];
}

export const SUBSCRIPTION_STATES = ['active', 'paused', 'problem'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** `closed`: the person takes no direct messages from the bot. */

/** Seconds: from instant to the next day. */
const DELAY_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];
const STORE_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];
const INTERACTION_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 15];

/**
 * A metric with one value, or one for each value of its labels.
 * @example
 * gauges: [{ name: 'greetings', help: 'Greetings so far, by outcome.', labels: ['outcome'] }]
 * @see https://prometheus.io/docs/practices/naming/
 */
export interface FeatureGauge {
  /** Without `dealbell_`. */
  name: string;
  help: string;
  /** Absent for one value. They hold no id, so that the series are bounded. */
  labels?: readonly string[];
}

/** The present figures of gauges, by name; those of a label's values by these, one label after the other. */
export type Figures = Readonly<Record<string, Figure>>;

type Figure = number | { readonly [value: string]: Figure };

/** Default metrics that break Prometheus' naming rules: gauges named as totals. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Dealbell's metrics for Prometheus. No label contains an id, so the number of series is bounded.
 * @param read null while the bot is starting
 * @param away what has not answered for 30 seconds
 * @param gauges those of features
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createMetrics(
  version: string,
  nowMs: () => number,
  read: () => MetricFacts | null,
  away: () => readonly Away[],
  gauges: readonly FeatureGauge[] = [],
) {
  const registry = new Registry();
  const registers = [registry];
  const common = <L extends string>(name: string, help: string, ...labelNames: L[]) => ({
    name: `dealbell_${name}`,
    help,
    labelNames,
    registers,
  });
  const counter = <L extends string>(...about: [name: string, help: string, ...labels: L[]]) =>
    new Counter(common(...about));
  const histogram = <L extends string>(buckets: number[], ...about: [name: string, help: string, ...labels: L[]]) =>
    new Histogram({ ...common(...about), buckets });
  const gauge = <L extends string>(...about: [name: string, help: string, ...labels: L[]]) =>
    new Gauge(common(...about));

  gauge('build_info', 'Always 1; the labels have the versions.', 'version', 'node').set(
    { version, node: process.versions.node },
    1,
  );
  const refresh = createRefresh({ counter, gauge }, nowMs, read, gauges);
  const dependency = gauge(
    'dependency_up',
    '0 where it has not answered in time for 30 seconds, else 1.',
    'dependency',
  );

  const lastBackup = gauge(
    'last_backup_timestamp_seconds',
    'When the newest backup was made. 0 where there is none; absent where none are scheduled.',
  );
  // prom-client gives a gauge without labels the value 0, which says that a backup is missing.
  lastBackup.remove();

  return {
    /**
     * Makes a counter of a feature's.
     * @example
     * const greetings = metrics.counter('greetings_total', 'Greetings, by language.', 'language');
     */
    counter,
    announcementDelay: histogram(
      DELAY_BUCKETS,
      'announcement_delay_seconds',
      "Time from an item's start in the catalog to its message.",
      'kind',
    ),
    deliveries: counter('deliveries_total', 'Finished deliveries by outcome.', 'outcome'),
    reconciled: counter(
      'reconciled_deliveries_total',
      'Deliveries of unknown outcome whose message was found in the channel.',
    ),
    catalogRequests: counter(
      'catalog_requests_total',
      'Catalog requests by response status; "none" without a response.',
      'interface',
      'status',
    ),
    discordRequests: counter('discord_requests_total', "Requests to Discord's REST API, by status.", 'status'),
    rateLimits: counter('discord_rate_limits_total', "Answers that say that a limit of Discord's is reached.", 'scope'),
    storeOperation: histogram(
      STORE_BUCKETS,
      'store_operation_seconds',
      'Duration of reads and writes of the state.',
      'operation',
    ),
    interaction: histogram(
      INTERACTION_BUCKETS,
      'interaction_duration_seconds',
      'Time from the arrival of a command, button or form to its answer.',
      'command',
    ),
    leading: gauge('leading', '1 while this process holds the state, 0 while it waits for it.'),
    lastBackup,
    /** Also measures the process: its memory, garbage collection and event loop delay. */
    watchProcess() {
      collectDefaultMetrics({ register: registry });
      for (const name of MISNAMED) registry.removeSingleMetric(name);
    },
    /** All metrics in Prometheus' text format. */
    async exposition(): Promise<string> {
      refresh();
      const absent = new Set(away().map((one) => one.dependency));
      for (const one of DEPENDENCIES) dependency.set({ dependency: one }, absent.has(one) ? 0 : 1);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

export interface MetricsServer {
  /** Resolves with the listening address. */
  start(): Promise<string>;
  stop(): Promise<void>;
}

interface Make {
  counter: <L extends string>(...about: [name: string, help: string, ...labels: L[]]) => Counter<L>;
  gauge: <L extends string>(...about: [name: string, help: string, ...labels: L[]]) => Gauge<L>;
}

/** Makes the function that updates the metrics of facts for a scrape. */
function createRefresh(
  make: Make,
  nowMs: () => number,
  read: () => MetricFacts | null,
  gauges: readonly FeatureGauge[],
): () => void {
  const { gauge } = make;
  const outbox = gauge('outbox_deliveries', 'Announcements waiting to be posted.');
  const oldest = gauge('outbox_oldest_seconds', 'How long the oldest waiting announcement has been due.');
  const stalled = gauge(
    'posting_stalled_seconds',
    'How long nothing has been posted although an announcement is due that nothing holds back.',
  );
  const paused = gauge('posting_paused_seconds', "How long the application's owner has paused all posting.");
  const quotaLeft = gauge('catalog_quota_left_requests', "What is left of an interface's day.", 'interface');
  const quotaLeftForPolls = gauge(
    'catalog_quota_left_for_polls_requests',
    "What polling may still spend of an interface's day: the rest is for people.",
    'interface',
  );
  const circuit = gauge(
    'catalog_circuit_open',
    '1 from the moment at which requests to a failing interface are paused until it answers.',
    'interface',
  );
  const readAt = gauge(
    'feed_last_success_timestamp_seconds',
    'When a followed feed, or the events and so on, was last read. 0 for never.',
    'resource',
  );
  const interval = gauge(
    'feed_longest_interval_seconds',
    "The longest time that today's plan leaves between two reads.",
    'resource',
  );
  const unreadable = gauge(
    'catalog_unreadable_fields',
    'Items of the last answer in which a field could not be read; without a field, whole items.',
    'resource',
    'field',
  );
  const unknown = gauge('catalog_unknown_fields', "Fields of the last answer that aren't known.", 'resource');
  const refreshDoubts = createDoubtsRefresh(make);
  const gateway = gauge('gateway_up', '1 while a shard is connected to the gateway.', 'shard');
  const subscriptions = gauge('subscriptions', 'Subscriptions by state.', 'state');

  const refreshFeatures = createFeaturesRefresh(make, gauges);

  return () => {
    const facts = read();
    for (const gone of [gateway, unreadable, readAt, interval]) gone.reset();
    if (!facts) return;
    outbox.set(facts.outbox.deliveries);
    const { oldestDueAtMs } = facts.outbox;
    oldest.set(oldestDueAtMs === null ? 0 : Math.max(0, nowMs() - oldestDueAtMs) / 1000);
    stalled.set(facts.outbox.stalledForMs / 1000);
    paused.set(facts.pausedSinceMs === null ? 0 : ageMs(facts.pausedSinceMs, nowMs()) / 1000);
    for (const { name, quotaLeft: left, quotaLeftForPolls: leftForPolls, isAway } of facts.interfaces) {
      quotaLeft.set({ interface: name }, left);
      quotaLeftForPolls.set({ interface: name }, leftForPolls);
      circuit.set({ interface: name }, isAway ? 1 : 0);
    }
    for (const { resource, readAtMs, longestIntervalMs } of facts.resources) {
      readAt.set({ resource }, (readAtMs ?? 0) / 1000);
      interval.set({ resource }, longestIntervalMs / 1000);
    }
    for (const [resource, { fields, unknown: unknownFields }] of facts.drift) {
      unknown.set({ resource }, unknownFields?.names.length ?? 0);
      for (const { field, items } of fields) unreadable.set({ resource, field: field ?? '' }, items);
    }
    refreshDoubts(facts.doubts);
    for (const { shard, isUp } of facts.shards) gateway.set({ shard }, isUp ? 1 : 0);
    for (const state of SUBSCRIPTION_STATES) subscriptions.set({ state }, facts.subscriptions[state]);
    for (const figures of facts.ofFeatures) refreshFeatures(figures);
  };
}

function createFeaturesRefresh({ gauge }: Make, gauges: readonly FeatureGauge[]): (figures: Figures) => void {
  const made = gauges.map(({ name, help, labels = [] }) => {
    const one = gauge<string>(name, help, ...labels);
    return { name, set: (figure: Figure) => setFigure(one, figure, labels, {}) };
  });
  return (figures) => {
    for (const { name, set } of made) set(figures[name] ?? {});
  };
}

/** @param named the values of the labels before these */
function setFigure(
  gauge: Gauge,
  figure: Figure,
  [label, ...others]: readonly string[],
  named: Record<string, string>,
): void {
  if (typeof figure === 'number') gauge.set(named, figure);
  else if (label !== undefined)
    for (const [value, one] of Object.entries(figure)) setFigure(gauge, one, others, { ...named, [label]: value });
}

function createDoubtsRefresh({ counter, gauge }: Make): (doubts: MetricFacts['doubts']) => void {
  const contradicted = counter(
    'catalog_contradicted_fields_total',
    'Changes of a field that one answer claimed, and that were not believed at once.',
    'resource',
    'field',
  );
  const confirmed = counter(
    'catalog_confirmed_fields_total',
    'Such changes that were believed after a second answer, or because the offer itself was asked.',
    'resource',
    'field',
  );
  const ended = counter(
    'doubts_total',
    'How such changes ended: believed after a second answer, or because the offer was asked, or refuted.',
    'end',
  );
  const waiting = gauge('doubts_waiting', 'Such changes that are not decided yet.');

  return ({ sinceStart, waiting: undecided }) => {
    for (const total of [contradicted, confirmed, ended]) total.reset();
    for (const { resource, field, ...numbers } of sinceStart.fields) {
      contradicted.inc({ resource, field }, numbers.contradicted);
      confirmed.inc({ resource, field }, numbers.confirmed);
    }
    for (const end of DOUBT_ENDS) ended.inc({ end }, sinceStart.ended[end]);
    waiting.set(undecided);
  };
}

/** `GET /metrics`, on a port of its own. */
export function createMetricsServer(options: { host: string; port: number; metrics: Metrics }): MetricsServer {
  const { host, port, metrics } = options;
  metrics.watchProcess();
  const server = createHttpServer();
  server.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.exposition()));
  return { start: () => server.listen({ host, port }), stop: () => server.close() };
}
