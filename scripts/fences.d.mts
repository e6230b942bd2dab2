/** Why a file may not import something; null where it may. */
export function forbiddenImport(file: string, specifier: string, isOfTypes?: boolean): string | null;
