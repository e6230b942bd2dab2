/** The files that hold the types of sentences, with the text that each should have. */
export function written(): [file: URL, text: string][];
