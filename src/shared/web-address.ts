import { z } from 'zod';

/** A setting that is the address of a web server, without slashes at its end. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((value) => value.replace(/\/+$/, ''));
