// Fails where a package of the lock file has a licence that is not listed here, or none.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Licences under which what runs may be passed on together with Dealbell (SPDX). */
const RUNS = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  // Fonts: their files are passed on as they are.
  'MIT AND OFL-1.1',
  'OFL-1.1',
  // Python's own, permissive: argparse, which js-yaml brings along, is passed on as it is, with its notice.
  'PSF-2.0',
  // Licences of single files, which are passed on as they are.
  'MPL-2.0',
];
/** Development tools are not passed on. */
const DEVELOPS = [...RUNS, 'CC0-1.0'];

/**
 * The packages whose licence is not allowed, each as "name: licence".
 * @param {Record<string, { dev?: boolean, link?: boolean, license?: string }>} packages as in a lock file, by their paths
 * @returns {string[]}
 */
export function disallowed(packages) {
  return Object.entries(packages).flatMap(([path, { dev, link, license = 'none' }]) => {
    const allowed = dev ? DEVELOPS : RUNS;
    // One licence of a choice is enough; a conjunction needs each, and has to be listed as it stands.
    const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
    // Our own packages, and the links to them.
    const isAllowed = !path.includes('node_modules/') || link || choices.some((choice) => allowed.includes(choice));
    return isAllowed ? [] : [`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}: ${license}`];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const bad = disallowed(packages);
  for (const line of bad) process.stderr.write(`A licence that is not listed in scripts/licences.mjs: ${line}\n`);
  if (bad.length > 0) process.exit(1);
  process.stdout.write(`The licences of ${Object.keys(packages).length - 1} packages are allowed.\n`);
}
