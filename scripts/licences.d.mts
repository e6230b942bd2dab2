export function disallowed(packages: Readonly<Record<string, { dev?: boolean; license?: string }>>): string[];
