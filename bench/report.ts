import { cpus, totalmem } from 'node:os';
import type { Claim, Section } from './measure.ts';

/** The circumstances on which the numbers depend besides the code. */
export function machine(): string {
  const [cpu] = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${memoryGb} GiB of memory, ${process.platform} ${process.arch}, Node.js ${process.version}, ${date}`;
}

/** A section as Markdown. */
export function sectionText({ title, how, head, rows, claims }: Section): string {
  return `## ${title}\n\n${how}\n\n${table(head, rows)}\n\n${claims.map(claimLine).join('\n')}\n`;
}

function claimLine({ promise, measured, isKept, reason }: Claim): string {
  const verdict = isKept ? 'kept' : '**not kept**';
  return `- ${promise}: ${measured}, ${verdict}.${!isKept && reason ? ` ${reason}` : ''}`;
}

/** A Markdown table that reads well as plain text too. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
