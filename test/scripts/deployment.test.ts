import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { CORE_SCHEMA, load, loadAll, mergeTag } from 'js-yaml';
import { expect, test } from 'vitest';
import { DEMO_SETTINGS } from '../../packages/demo/src/settings.ts';
import { disallowed } from '../../scripts/licences.mjs';
import { variablesOf } from '../../src/app/config.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const textOf = (file: string) => readFileSync(file, 'utf8');
const dockerfile = textOf('Dockerfile');
/** The stages of the image by their names, each with the lines after its FROM. */
const stages = new Map(
  dockerfile
    .split(/^FROM /m)
    .slice(1)
    .map((text) => [/ AS (\S+)/.exec(text)?.[1] ?? '', text]),
);
const stage = (name: string) => stages.get(name) ?? '';
const runStage = stage('run');
const compose = textOf('compose.yaml');
const unit = textOf('deploy/dealbell.service');
const manifest = textOf('deploy/kubernetes.yaml');
const settings: string[] = [...variablesOf([]), ...DEMO_SETTINGS];
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Compose reads `<<` as a merge. */
const MERGING = { schema: CORE_SCHEMA.withTags(mergeTag) };

/** The command of a stage of the image: Node, its options and the program. */
const commandOf = (name: string): string[] => JSON.parse(/^CMD (\[.+\])$/m.exec(stage(name))?.[1] ?? '[]') as string[];

test('whichever way the bot is started, Node gets the same options', () => {
  const options = commandOf('bot').slice(1, -1);
  expect(options).toContain('--enable-source-maps');
  expect(commandOf('everything').slice(1, -1)).toEqual(options);
  const command = `node ${options.join(' ')} `;
  for (const file of ['deploy/dealbell.service', 'docs/install.md']) expect(textOf(file), file).toContain(command);
  const listed = ['node', ...options].map((word) => `"${word}", `).join('');
  for (const file of ['deploy/compose.postgres.yaml', 'deploy/kubernetes.postgres.yaml']) {
    expect(textOf(file), file).toContain(`[${listed}`);
  }
});

test('the images copy what is there, and run what is built', () => {
  const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((names) => names.split(' '));
  expect(copied.length).toBeGreaterThan(4);
  for (const name of copied) expect(existsSync(name), name).toBe(true);
  const built = all(textOf('scripts/build.mjs'), /out: '(.+)'/g).map((name) => `dist/${name}.js`);
  const programOf = (name: string) => commandOf(name).at(-1);
  expect(built).toContain(programOf('bot'));
  expect(stage('everything')).toContain(
    `COPY --from=build /app/${programOf('everything')} ${programOf('everything')}\n`,
  );
  const started = all(textOf(programOf('everything') ?? ''), /new URL\('\.\.\/(dist.+?)'/g);
  expect(started).toHaveLength(3);
  for (const program of started) expect(built).toContain(program);
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  const run = Object.values(scripts).flatMap((script) => all(script, /run\.mjs (dist\S+)/g));
  for (const program of run) expect(built).toContain(program);
});

test('the image of the bot alone takes nothing of the packages, and is not the one that is built by default', () => {
  expect(stage('build-bot')).not.toContain('packages/');
  expect(stage('bot')).not.toMatch(/--from=build /);
  expect([...stages.keys()].at(-1)).toBe('everything');
});

test('all stages are the same full version of Node, a line that the checks run on', () => {
  const tags = all(dockerfile, /^FROM node:([^\s@]+)/gm);
  expect(tags).toHaveLength(1);
  for (const from of all(dockerfile, /^FROM (\S+)/gm).slice(1)) expect([...stages.keys()], from).toContain(from);
  expect(tags[0]).toMatch(/^\d+\.\d+\.\d+-[a-z]+-slim$/);
  const lines = /node: \[(.+)\]/.exec(textOf('.github/workflows/ci.yml'))?.[1] ?? '';
  expect(lines).toContain(`${tags[0]?.split('.')[0]}.x`);
  const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
  expect(lines).toContain(`${engines.node.replace('>=', '')}.x`);
});

test.runIf(process.platform === 'linux')('the workflow pins the base of the image by its digest, and renews it', () => {
  interface Workflow {
    jobs: { renew: { steps: { name?: string; run?: string }[] } };
  }
  const { jobs } = load(textOf('.github/workflows/base-image.yml')) as Workflow;
  const script = jobs.renew.steps.find(({ name }) => name?.startsWith('Pin'))?.run ?? '';
  const folder = temporaryFolder();
  const file = join(folder, 'Dockerfile');
  writeFileSync(file, dockerfile);
  /** Runs the step where the registry says this. */
  function renew(said: string): number | null {
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho '${said}'\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    return spawnSync('bash', ['-e', '-c', script], { cwd: folder, env }).status;
  }
  const [tag = ''] = all(dockerfile, /^FROM (node:[^\s@]+)/gm);
  for (const digit of ['a', 'b', 'b']) {
    expect(renew(`sha256:${digit.repeat(64)}`)).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(`\nFROM ${tag}@sha256:${digit.repeat(64)} AS base\n`);
  }
  const pinned = readFileSync(file, 'utf8');
  expect(renew('error: no such image')).not.toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(pinned);
});

test('the image is built without a compiler, and neither image nor orchestrator runs it as root', () => {
  expect(dockerfile).not.toMatch(/apt-get|g\+\+|python3/);
  for (const name of ['run', 'bot', 'everything']) expect(stage(name)).not.toContain('npm');
  const uid = /^USER (\d+):\1$/m.exec(runStage)?.[1];
  expect(Number(uid)).toBeGreaterThan(0);
  expect(runStage).toContain(`chown ${uid}:${uid} /data`);
  expect(compose).toContain(`user: "${uid}:${uid}"`);
  for (const who of ['runAsUser', 'runAsGroup', 'fsGroup']) expect(manifest).toContain(`${who}: ${uid}`);
});

test('every setting in the files of deployment is one', () => {
  const named = [
    ...all(/ENV ((?:.|\n)+?[^\\]\n)/.exec(runStage)?.[1] ?? '', /(\w+)=/g),
    ...all(/ {4}environment:\n((?: {6}.*\n)+)/.exec(compose)?.[1] ?? '', /^ {6}([A-Z_]+):/gm),
    ...all(unit, /^Environment=(.+)$/gm).flatMap((line) => all(line, /(\w+)=/g)),
    ...all(manifest, /\{ name: ([A-Z_]+), value/g),
  ].filter((name) => name !== 'NODE_ENV');
  expect(named.length).toBeGreaterThan(7);
  for (const name of named) expect(settings, name).toContain(name);
});

test('both bots on PostgreSQL stand by, are started again, and have settings and limits as the single one', () => {
  const two = textOf('deploy/compose.postgres.yaml');
  const [, bot = ''] = /x-bot: &bot\n([\s\S]+?)\nservices:/.exec(two) ?? [];
  expect(two).toMatch(/bot-1: \*bot\n {2}bot-2: \*bot/);
  expect(bot).toContain('"--standby"]');
  expect(bot).toContain('restart: always');
  const named = all(/environment:\n((?: {4}.*\n)+)/.exec(bot)?.[1] ?? '', /^ {4}([A-Z_]+):/gm);
  expect(named).toContain('STATE_PASSWORD_FILE');
  for (const name of named) expect(settings, name).toContain(name);
  for (const line of ['user: "1000:1000"', 'read_only: true', '- ALL', '- no-new-privileges:true', 'mem_limit:']) {
    expect(bot, line).toContain(line);
  }
  const password = /STATE_PASSWORD_FILE: (.+)/.exec(bot)?.[1];
  expect(two).toContain(`POSTGRES_PASSWORD_FILE: ${password}`);
});

test("Unraid's template is well formed, names settings only, masks the secrets and has the limits of Compose", () => {
  const template = textOf('deploy/unraid.xml');
  const unclosed: string[] = [];
  new Parser({ onclosetag: (name, isImplied) => isImplied && unclosed.push(name) }, { xmlMode: true }).end(template);
  expect(unclosed).toEqual([]);
  const variables = [...template.matchAll(/Target="([A-Z][A-Z0-9_]+)".*Mask="(true|false)"/g)];
  expect(variables.length).toBeGreaterThan(5);
  for (const [, name = '', masked] of variables) {
    expect(settings, name).toContain(name);
    expect(masked, name).toBe(String(/TOKEN|KEY|PASSWORD/.test(name)));
  }
  for (const limit of ['--read-only', '--cap-drop ALL', '--security-opt no-new-privileges:true', '--memory 768m']) {
    expect(template, limit).toContain(limit);
  }
});

interface Deployment {
  kind: string;
  spec: {
    replicas: number;
    strategy: { type: string; rollingUpdate: { maxSurge: number; maxUnavailable: number } };
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        terminationGracePeriodSeconds: number;
        containers: {
          args: string[];
          env: { name: string; value: string }[];
          envFrom: { secretRef: { name: string } }[];
          readinessProbe: { httpGet: { path: string }; timeoutSeconds: number };
          livenessProbe: { httpGet: { path: string } };
          startupProbe: { httpGet: { path: string } };
          securityContext: Record<string, unknown>;
        }[];
      };
    };
  };
}

test('on Kubernetes with PostgreSQL, two processes stand by for each other, are asked whether they are ready, and get their secrets', () => {
  const [deployment, budget] = loadAll(textOf('deploy/kubernetes.postgres.yaml')) as Deployment[];
  const { spec } = deployment as Deployment;
  expect([deployment?.kind, budget?.kind]).toEqual(['Deployment', 'PodDisruptionBudget']);
  expect(spec.replicas).toBe(2);
  expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } });
  const { labels } = spec.template.metadata;
  expect([spec.selector.matchLabels, budget?.spec.selector.matchLabels]).toEqual([labels, labels]);
  const { containers, terminationGracePeriodSeconds } = spec.template.spec;
  expect(terminationGracePeriodSeconds).toBe(5);
  expect(containers).toHaveLength(1);
  const [{ args, env, envFrom, readinessProbe, livenessProbe, startupProbe, securityContext }] = containers as [
    Deployment['spec']['template']['spec']['containers'][0],
  ];
  const command = /^CMD (.+)$/m.exec(stage('bot'))?.[1] ?? '[]';
  expect(args).toEqual([...(JSON.parse(command) as string[]), '--standby']);
  expect(readinessProbe).toMatchObject({ httpGet: { path: '/readyz' } });
  expect(readinessProbe.timeoutSeconds, 'it answers within 2 s').toBeGreaterThan(2);
  for (const probe of [livenessProbe, startupProbe]) expect(probe).toMatchObject({ httpGet: { path: '/livez' } });
  expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
  for (const { name } of env) expect(settings, name).toContain(name);
  expect(envFrom).toEqual([{ secretRef: { name: 'dealbell' } }]);
  const stateUrl = new URL(env.find(({ name }) => name === 'STATE_URL')?.value ?? '');
  expect([stateUrl.protocol, stateUrl.password]).toEqual(['postgres:', '']);
  expect(env.map(({ name }) => name).filter((name) => /TOKEN|KEY|PASSWORD/.test(name))).toEqual([]);
});

test.each([
  'compose.yaml',
  'deploy/compose.postgres.yaml',
  'deploy/kubernetes.yaml',
  'deploy/kubernetes.postgres.yaml',
  'deploy/alerts.yml',
])('%s is YAML without an error or a key twice', (file) => {
  expect(loadAll(textOf(file), MERGING).length).toBeGreaterThan(0);
});

test('the files for Compose hold no secret', () => {
  for (const file of ['compose.yaml', 'deploy/compose.postgres.yaml']) {
    const { services } = load(textOf(file), MERGING) as {
      services: Record<string, { environment?: Record<string, string> }>;
    };
    for (const [name, { environment = {} }] of Object.entries(services)) {
      const secrets = Object.keys(environment).filter((variable) => /(TOKEN|KEY|PASSWORD)$/.test(variable));
      expect(secrets, `${file}: ${name}`).toEqual([]);
      expect(environment['STATE_URL'] ?? '', `${file}: ${name}`).not.toMatch(/:\/\/[^/@]*:[^/@]*@/);
    }
  }
});

test('no limit of starts gives a process up that waits for its database', () => {
  expect(unit).toContain('\nStartLimitIntervalSec=0\n');
  // It counts as started once the program runs, so no time limit of a start applies.
  expect(unit).toContain('\nType=exec\n');
  expect(unit).not.toContain('TimeoutStartSec');
  expect(all(textOf('deploy/compose.postgres.yaml'), /^ {2}(restart: always)$/gm)).toHaveLength(1);
});

test('only the data can be written, nothing can be gained, and what is used is bounded', () => {
  for (const line of ['read_only: true', '- ALL', '- no-new-privileges:true', 'tmpfs:', 'mem_limit:', 'max-size:']) {
    expect(compose).toContain(line);
  }
  for (const line of [
    'readOnlyRootFilesystem: true',
    'allowPrivilegeEscalation: false',
    'runAsNonRoot: true',
    'memory: 768Mi',
  ]) {
    expect(manifest).toContain(line);
  }
  for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'StateDirectory=dealbell']) {
    expect(unit).toContain(line);
  }
});

test('a stop has longer than the program takes, and what a start can not fix is not started again', () => {
  const stopMs = Number(/STOP_WITHIN_MS = ([\d_]+);/.exec(textOf('src/app/process.ts'))?.[1]?.replace('_', ''));
  const graces = [
    /stop_grace_period: (\d+)s/.exec(compose),
    /TimeoutStopSec=(\d+)/.exec(unit),
    /terminationGracePeriodSeconds: (\d+)/.exec(manifest),
  ].map((match) => Number(match?.[1]) * 1000);
  for (const graceMs of graces) expect(graceMs).toBeGreaterThanOrEqual(2 * stopMs);
  const never = /systemd: `(RestartPreventExitStatus=[\d ]+)`/.exec(textOf('docs/settings.md'))?.[1] ?? 'nothing';
  expect(unit).toContain(`\n${never}\n`);
  expect(manifest).toContain('type: Recreate');
});

test('the workflows take no rights that they do not need, and run what is checked here', () => {
  const folder = '.github/workflows';
  for (const file of readdirSync(folder)) {
    const workflow = textOf(join(folder, file));
    expect(workflow, file).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(workflow, file).toContain('timeout-minutes:');
    // A tag can be moved to other code, a commit can't.
    for (const action of all(workflow, /uses: (.+)/g)) {
      expect(action, file).toMatch(/^(actions|docker|sigstore)\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    // A name or a title that somebody chose must not become a part of a script.
    for (const script of all(workflow, /run: (.+)/g)) expect(script, file).not.toContain('${{');
  }
});

test('what is released is signed by its digest, with a list of what is in it', () => {
  const workflow = textOf('.github/workflows/image.yml');
  expect(workflow).toMatch(/^ {2}id-token: write$/m);
  expect(workflow).toContain('sbom: true');
  expect(workflow).toMatch(/@\$\{\{ steps\.build\.outputs\.digest \}\}/);
  expect(workflow).toContain('cosign sign --yes --recursive');
});

test('each package of the lock has an integrity, those for other machines, too', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { integrity?: string; link?: true }>;
  };
  const without = Object.entries(packages).flatMap(([path, { integrity, link }]) =>
    path.includes('node_modules/') && !link && !integrity?.startsWith('sha512-') ? [path] : [],
  );
  expect(without, 'npm view NAME@VERSION dist.integrity tells it').toEqual([]);
});

test.each<[about: { license?: string; dev?: boolean }, isAllowed: boolean]>([
  [{ license: 'MIT' }, true],
  [{ license: '(MIT OR GPL-3.0)' }, true],
  [{ license: 'GPL-3.0 OR AGPL-3.0' }, false],
  [{ license: 'MIT AND GPL-3.0' }, false],
  [{}, false],
  [{ license: 'MPL-2.0' }, true],
  [{ license: 'MIT AND OFL-1.1' }, true],
  [{ license: 'CC0-1.0', dev: true }, true],
  [{ license: 'CC0-1.0' }, false],
])('a package with %j is allowed: %s', (about, isAllowed) => {
  const lines = disallowed({ '': { license: 'none of these' }, 'node_modules/a/node_modules/@b/c': about });
  expect(lines).toEqual(isAllowed ? [] : [`@b/c: ${about.license ?? 'none'}`]);
});
