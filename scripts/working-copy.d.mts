/** The files below a folder of the working tree that are, or may be, committed. */
export function filesOf(folder: string): string[];
/** Makes a copy, which is deleted when this process ends. It uses the libraries of the working tree. */
export function copyWorkingTree(): { copy: string; renew: (files: readonly string[]) => void };
