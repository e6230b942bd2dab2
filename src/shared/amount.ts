/** `1 poll`, `2 polls`: English, for terminals. */
export const amount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
