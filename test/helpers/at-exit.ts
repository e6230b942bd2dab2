const clearings = new Set<() => void>();

process.on('exit', () => {
  for (const clear of clearings) clear();
});
// Ctrl-C signals the process too; where only the process that runs the tests was ended, the connection to it closes.
for (const end of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(end, () => process.exit());

/**
 * Has `clear` called where this process is ended before its tests are, so that nothing of theirs is left.
 * @returns calls that off
 */
export function atExit(clear: () => void): () => void {
  clearings.add(clear);
  return () => clearings.delete(clear);
}
