import { execFileSync } from 'node:child_process';

/** The ways out of a host: to the database, and to Discord and the catalog. */
const WAYS = ['database', 'discord'] as const;
export type Way = (typeof WAYS)[number];

/** A process's own host: a network namespace, with a pair of network interfaces for each way out. */
export interface Host {
  /** The namespace's name. */
  namespace: string;
  /** This machine's address at the end of each way. */
  addresses: Record<Way, string>;
  /** Drops each packet of a way from now on, in both directions and with no word to either side. */
  cut(way: Way): void;
  heal(way: Way): void;
  remove(): void;
}

/** Makes so many hosts; null where this machine does not permit it, as where this is not root. */
export function createHosts(count: number): Host[] | null {
  const hosts: Host[] = [];
  try {
    for (let index = 0; index < count; index += 1) hosts.push(createHost(index));
    return hosts;
  } catch {
    for (const host of hosts) host.remove();
    return null;
  }
}

function createHost(index: number): Host {
  const namespace = `dealbell-${process.pid}-${index}`;
  const addresses = { database: addressOf(index, 'database', 1), discord: addressOf(index, 'discord', 1) };
  run('ip', 'netns', 'add', namespace);
  const remove = () => run('ip', 'netns', 'del', namespace);
  try {
    run('ip', '-n', namespace, 'link', 'set', 'lo', 'up');
    for (const way of WAYS) {
      const near = interfaceOf(index, way);
      run('ip', 'link', 'add', near, 'type', 'veth', 'peer', 'name', way, 'netns', namespace);
      run('ip', 'addr', 'add', `${addresses[way]}/30`, 'dev', near);
      run('ip', 'link', 'set', near, 'up');
      run('ip', '-n', namespace, 'addr', 'add', `${addressOf(index, way, 2)}/30`, 'dev', way);
      run('ip', '-n', namespace, 'link', 'set', way, 'up');
    }
    for (const way of WAYS) heal(way);
  } catch (error) {
    remove();
    throw error;
  }

  function cut(way: Way): void {
    // No packet fits into a queue of one byte.
    run('tc', 'qdisc', 'replace', 'dev', interfaceOf(index, way), 'root', 'bfifo', 'limit', '1');
    run('tc', '-n', namespace, 'qdisc', 'replace', 'dev', way, 'root', 'bfifo', 'limit', '1');
  }

  function heal(way: Way): void {
    run('tc', 'qdisc', 'replace', 'dev', interfaceOf(index, way), 'root', 'noqueue');
    run('tc', '-n', namespace, 'qdisc', 'replace', 'dev', way, 'root', 'noqueue');
  }

  return { namespace, addresses, cut, heal, remove };
}

/** At most 15 characters, as Linux demands. */
const interfaceOf = (index: number, way: Way) => `db${process.pid}-${index}-${WAYS.indexOf(way)}`;

/** An end's address: each way is a network of four. They are private, and differ between runs side by side. */
function addressOf(index: number, way: Way, end: 1 | 2): string {
  return `10.${100 + (process.pid % 150)}.${index}.${4 * WAYS.indexOf(way) + end}`;
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}
