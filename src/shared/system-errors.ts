/** The sentences for errors of the file system by their code, each with what to do. `path` is the file's or folder's. */
const SENTENCES = new Map<string, (path: string) => string>([
  ['ENOSPC', (path) => `There is no space left for ${path}. Free some, and run this again.`],
  ['EDQUOT', (path) => `This user's share of the disk has no space left for ${path}. Free some, and run this again.`],
  ['EROFS', (path) => `${path} can't be written: its file system is read-only. Name another place.`],
  [
    'EACCES',
    (path) => `This user may not use ${path}. Run this as the user who runs Dealbell, or let that user use it.`,
  ],
  ['EPERM', (path) => `This user may not change ${path}. Run this as the user who runs Dealbell.`],
  ['ENOENT', (path) => `${path} does not exist. Check the path.`],
  ['ENOTDIR', (path) => `A part of the path ${path} is no folder. Check the path.`],
  ['EISDIR', (path) => `${path} is a folder. Name a file.`],
  ['EEXIST', (path) => `${path} exists already. Name another one.`],
  ['ENAMETOOLONG', (path) => `The path ${path} is too long. Name a shorter one.`],
  ['ELOOP', (path) => `${path} is a link that leads to itself. Delete it.`],
  ['EIO', (path) => `The disk with ${path} fails. Check the disk.`],
]);

/**
 * The sentence for an error of the file system; null for any other error.
 * @param place the path for errors that name none, as those of reading and writing
 * @see https://nodejs.org/api/errors.html#common-system-errors
 */
export function systemProblem(error: unknown, place = 'a file'): string | null {
  const { code, syscall, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code === undefined || syscall === undefined) return null;
  return SENTENCES.get(code)?.(path ?? place) ?? null;
}
