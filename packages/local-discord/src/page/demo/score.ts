import type { DemoState } from '../../server/demo-api.ts';

/** `312 due, 312 posted, none twice, none lost. You killed the bot 3 times.` */
export function scoreOf({ counters, bot }: Pick<DemoState, 'counters' | 'bot'>): string {
  const { owed, posted, twice, lost } = counters;
  const numbers = `${formatNumber(owed)} due, ${formatNumber(posted)} posted, ${countOf(twice)} twice, ${countOf(lost)} lost.`;
  if (bot.kills === 0) return numbers;
  return `${numbers} You killed the bot ${bot.kills === 1 ? 'once' : `${formatNumber(bot.kills)} times`}.`;
}

function countOf(value: number): string {
  return value === 0 ? 'none' : formatNumber(value);
}

/** `12,400` */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}
