/**
 * Discord's limits by name, in characters (UTF-16 units) or pieces.
 * @see https://discord.com/developers/docs/components/reference
 */
export const LIMITS = {
  /** Text of all the components of a card together. Discord's 4,000 for a message leave room for mentions above it. */
  cardText: 3850,
  /** Ours: roles that one message calls, each at most 25 characters. */
  mentions: 5,
  threadName: 100,
  /** Tags of a post in a forum. */
  appliedTags: 5,
  buttonLabel: 80,
  buttonUrl: 512,
  /** Ours: a link in a text takes its length from the text's room. */
  textUrl: 400,
  mediaUrl: 2048,
  customId: 100,
  mediaDescription: 1024,
  galleryItems: 10,
  menuOptions: 25,
  menuLabel: 100,
  menuPlaceholder: 150,
  /** Title of a form, and label of one of its inputs. */
  formLabel: 45,
  formInputs: 5,
  inputPlaceholder: 100,
  inputText: 4000,
  autocompleteChoices: 25,
  choiceName: 100,
  choiceValue: 100,
} as const;

/** Cuts `text` to at most `most` characters, at a word where there is one near, and says so with an ellipsis. */
export function clamp(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const lastSpace = cut.lastIndexOf(' ');
  const end = lastSpace > most * 0.8 ? cut.slice(0, lastSpace) : cut;
  // Half of a surrogate pair is no character.
  return `${end.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}
