import { Pool } from 'undici';
import { KEY } from './limits.ts';

export interface Load {
  connections: number;
  requests: number;
}

/** Gets one URL again and again over connections that are kept alive; resolves with the bytes of the bodies. */
export async function load(url: string, { connections, requests }: Load): Promise<number> {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const path = pathname + search;
  let left = requests;
  let bytes = 0;

  // The leanest way that undici has: the one who asks is not to be what is measured.
  const get = () =>
    new Promise<void>((resolve, reject) => {
      pool.dispatch(
        { path, method: 'GET', headers: { 'x-api-key': KEY } },
        {
          onRequestStart() {},
          onResponseStart(_controller, statusCode) {
            if (statusCode !== 200) reject(new Error(`${url} answered ${statusCode}.`));
          },
          onResponseData(_controller, chunk) {
            bytes += chunk.length;
          },
          onResponseEnd: () => resolve(),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await get();
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.close();
  return bytes;
}
