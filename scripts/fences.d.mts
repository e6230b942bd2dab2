/** Why a file may not import something; null where it may. */
export function forbiddenImport(file: string, specifier: string, isOfTypes?: boolean): string | null;

/** What a feature may import of another one, with the reason. */
export const FEATURE_IMPORTS: readonly { from: string; to: string; because: string }[];
