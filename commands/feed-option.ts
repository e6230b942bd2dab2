import { message } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';

/**
 * Finds the feed that a person typed, in the catalog's spelling.
 * @throws UserError that lists the available feeds
 */
export function requireFeed(typed: string, feeds: readonly string[]): string {
  const feed = feedNamed(typed, feeds);
  if (feed === undefined) throw new UserError(message('feed.unknown', { feeds: feeds.join(', ') }));
  return feed;
}

/** The same, undefined where there is no such feed. */
export function feedNamed(typed: string, feeds: readonly string[]): string | undefined {
  return feeds.find((name) => name.toLowerCase() === typed.trim().toLowerCase());
}

/** The feeds whose names contain the input; those that begin with it come first. */
export function feedChoices(typed: string, feeds: readonly string[]): { name: string; value: string }[] {
  const wanted = typed.trim().toLowerCase();
  return feeds
    .filter((name) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)))
    .map((name) => ({ name, value: name }));
}
