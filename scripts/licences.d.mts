export function disallowed(
  packages: Readonly<Record<string, { dev?: boolean; link?: boolean; license?: string }>>,
): string[];
