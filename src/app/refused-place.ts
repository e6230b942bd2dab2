import { ConfigError } from '../shared/errors.ts';
import type { Config } from './config.ts';

/** The reasons why a server can't listen, by error code, in terms of the settings. */
const REFUSALS = new Map([
  ['EADDRINUSE', 'something else listens there already. Set another one.'],
  ['EACCES', 'this user may not listen there. Set one above 1023.'],
  ['EADDRNOTAVAIL', 'this machine has no such address. Set HOST to one that it has.'],
  ['ENOTFOUND', 'there is no such host. Set HOST to an address of this machine.'],
]);

/** Turns the error of a server that can't listen into one that names the setting to change. */
export function refusedPlace(
  { host, port }: Pick<Config, 'host' | 'port'>,
  setting: 'PORT' | 'METRICS_PORT' = 'PORT',
): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REFUSALS.get(code);
    if (reason === undefined) throw error;
    throw new ConfigError([`${setting} ${port} on HOST ${host} isn't available: ${reason}`], { cause: error });
  };
}
