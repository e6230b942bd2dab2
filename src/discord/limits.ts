/**
 * Discord's limits by name, in characters (UTF-16 units) or pieces.
 * @see https://discord.com/developers/docs/components/reference
 */
export const LIMITS = {
  /** Text of all components of a message together. */
  messageText: 4000,
  /** Our own limit for a card, which leaves room for a few mentions above it. */
  cardText: 3850,
  /** Roles that one message can ring. */
  mentions: 100,
  threadName: 100,
  /** Tags of a forum post. */
  appliedTags: 5,
  buttonLabel: 80,
  buttonUrl: 512,
  /** Our own limit: a link counts toward the text's length. */
  textUrl: 400,
  mediaUrl: 2048,
  customId: 100,
  mediaDescription: 1024,
  galleryItems: 10,
  menuOptions: 25,
  menuLabel: 100,
  menuPlaceholder: 150,
  /** Title of a form, and label of its inputs. */
  formLabel: 45,
  formInputs: 5,
  inputPlaceholder: 100,
  inputText: 4000,
  autocompleteChoices: 25,
  /** Of an entry of a server's Events list. */
  scheduledEventName: 100,
  scheduledEventDescription: 1000,
  scheduledEventLocation: 100,
  choiceName: 100,
  choiceValue: 100,
} as const;

/** Cuts `text` to at most `most` characters, after a word where one ends nearby, and appends an ellipsis. */
export function clamp(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const lastSpace = cut.lastIndexOf(' ');
  const end = lastSpace > most * 0.8 ? cut.slice(0, lastSpace) : cut;
  // Drops half of a surrogate pair at the end.
  return `${end.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}
