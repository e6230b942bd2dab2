import { linkedPlace, pathOf } from './address.ts';
import type { Context } from './context.ts';

/** A link to a channel or message of this server: its path here, and what opens it. Undefined for every other link. */
export function placeLink(
  href: string,
  { server, actions }: Context,
): { path: string; open: (event: MouseEvent) => void } | undefined {
  const place = linkedPlace(href, server.guild.id);
  if (!place) return undefined;
  return {
    path: pathOf(server.guild.id, place),
    open(event) {
      // A click with a key opens a tab or window of its own, as everywhere.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      actions.openChannel(place.channelId, place.messageId);
    },
  };
}
