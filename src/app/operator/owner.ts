import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isOnServer, placeOf } from '../../store/table/state-place.ts';

/**
 * Makes a process of root one of the user whose the state is, for good: what it makes there would be root's otherwise, and the
 * bot could neither read nor write it. A state on a database server is nobody's here.
 */
export function becomeOwnerOf(stateUrl: string): void {
  if (process.getuid?.() !== 0 || isOnServer(stateUrl)) return;
  let path = resolve(placeOf(stateUrl));
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  const { uid, gid } = statSync(path);
  if (uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
