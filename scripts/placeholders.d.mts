export function placeholderTypes(sentences: Readonly<Record<string, string>>): string;
