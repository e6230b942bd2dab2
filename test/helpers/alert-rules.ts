import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dump, load } from 'js-yaml';
import { MINUTE_MS } from '../../src/shared/time.ts';
import type { ManualClock } from './manual-clock.ts';
import { findPromtool } from './optional-parts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const RULES = 'deploy/alerts.yml';
/** promtool's time begins at 0, which stands for "never" in a metric of a moment: a recording begins this much later. */
const BEGINS_AT = 60;

interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

const rules = (): Rule[] =>
  (load(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);

export const alertNames = (): string[] => [...new Set(rules().map(({ alert }) => alert))];

/** A process whose figures are recorded. */
export interface Target {
  job: string;
  instance: string;
  address: string;
}

/** An alert that fires, with its labels apart from `alertname`. */
export interface Firing {
  alert: string;
  [label: string]: string;
}

/** Scrapes processes as Prometheus does, and asks promtool which alerts what they showed sets off, and when. */
export class AlertRecording {
  readonly #clock: ManualClock;
  readonly #startMs: number;
  /** By series, its values by minute since the start. */
  readonly #series = new Map<string, Map<number, string>>();
  readonly #scrapes: number[] = [];

  constructor(clock: ManualClock) {
    this.#clock = clock;
    this.#startMs = clock.now();
  }

  /** Minutes since the recording began. */
  get minute(): number {
    return Math.round((this.#clock.now() - this.#startMs) / MINUTE_MS);
  }

  /** Scrapes once. What is found stands until the next scrape; a target that doesn't answer is down. */
  async scrape(targets: readonly Target[]): Promise<void> {
    this.#scrapes.push(this.minute);
    for (const { job, instance, address } of targets) {
      const text = await fetch(address).then(
        (response) => response.text(),
        () => null,
      );
      const own = `instance="${instance}",job="${job}"`;
      this.#note(`up{${own}}`, text === null ? '0' : '1');
      for (const [, name = '', labels = '', value = ''] of (text ?? '').matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
        this.#note(`${name}{${[labels, own].filter((part) => part !== '').join(',')}}`, this.#shifted(name, value));
      }
    }
  }

  /**
   * Fails, with promtool's report, unless exactly these alerts fire at these minutes.
   * @param stepMinutes how often the rules are evaluated; each scrape has to be at a multiple of it
   */
  expectFiring(atMinutes: Readonly<Record<number, readonly Firing[]>>, stepMinutes = 1): void {
    const folder = temporaryFolder();
    const file = join(folder, 'test.yml');
    const step = `${stepMinutes}m`;
    const begin = Math.ceil(BEGINS_AT / stepMinutes);
    const last = Math.max(...Object.keys(atMinutes).map(Number));
    const asked = new Set(rules().flatMap(({ expr }) => expr.match(/\b(dealbell_\w+|up)\b/g) ?? []));
    const series = [...this.#series].filter(([name]) => asked.has(name.slice(0, name.indexOf('{'))));
    const test = {
      interval: step,
      input_series: series.map(([name, values]) => ({
        series: name,
        values: `_x${begin} ${this.#valuesOf(values, last, stepMinutes)}`,
      })),
      alert_rule_test: Object.entries(atMinutes).flatMap(([minute, firing]) =>
        alertNames().map((alertname) => ({
          eval_time: `${begin * stepMinutes + Number(minute)}m`,
          alertname,
          exp_alerts: firing.filter(({ alert }) => alert === alertname).map(expected),
        })),
      ),
    };
    writeFileSync(file, dump({ rule_files: [resolve(RULES)], evaluation_interval: step, tests: [test] }));
    const { status, stdout, stderr } = spawnSync(findPromtool() ?? 'promtool', ['test', 'rules', file], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`promtool:\n${stdout}${stderr}`);
  }

  #note(series: string, value: string): void {
    const values = this.#series.get(series) ?? new Map<number, string>();
    this.#series.set(series, values.set(this.minute, value));
  }

  /** Moments are counted from promtool's beginning of time. */
  #shifted(name: string, value: string): string {
    const isMoment = name.endsWith('_timestamp_seconds') && Number(value) > 0;
    return isMoment ? String(Number(value) - this.#startMs / 1000 + BEGINS_AT * 60) : value;
  }

  /** In promtool's notation: each scrape's value until the next one. */
  #valuesOf(values: ReadonlyMap<number, string>, last: number, stepMinutes: number): string {
    const shown = [...this.#scrapes, last + stepMinutes].map((minute, index, all) => {
      const steps = Math.round(((all[index + 1] ?? minute) - minute) / stepMinutes);
      const value = values.get(minute);
      if (steps <= 0) return '';
      if (value === undefined) return steps === 1 ? 'stale' : `stale _x${steps - 1}`;
      return steps === 1 ? value : `${value}+0x${steps - 1}`;
    });
    return shown.filter((part) => part !== '').join(' ');
  }
}

/** As promtool expects an alert: with all labels, and its annotations with them filled in. */
function expected({ alert, ...labels }: Firing) {
  const rule = rules().find((one) => one.alert === alert && one.labels['severity'] === labels['severity']);
  if (!rule) throw new Error(`There is no rule ${alert} of severity ${labels['severity']}.`);
  const filled = Object.entries(rule.annotations).map(([name, text]) => [
    name,
    text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? ''),
  ]);
  return { exp_labels: labels, exp_annotations: Object.fromEntries(filled) as Record<string, string> };
}
