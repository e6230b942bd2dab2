import type { House } from './house.ts';

/** What the bot of a house exports, in Prometheus' text format. */
export async function metricsOf({ logLines }: House): Promise<string> {
  const line = logLines.find((text) => text.includes('serving metrics')) ?? '{}';
  const { address } = JSON.parse(line) as { address: string };
  return (await fetch(address)).text();
}
