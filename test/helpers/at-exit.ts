const clearings = new Set<() => void>();

/** Ends the process by a signal, because Vitest lets no test call `process.exit`. */
function end(): void {
  for (const clear of clearings) clear();
  process.kill(process.pid, 'SIGKILL');
}

// Ctrl-C signals this process too; where only the process that runs the tests was ended, the connection to it closes.
for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(event, end);

/**
 * Has `clear` called where this process is ended before its tests are, so that nothing of theirs is left.
 * @returns calls that off
 */
export function atExit(clear: () => void): () => void {
  clearings.add(clear);
  return () => clearings.delete(clear);
}
