import type { AppearanceOf } from '../../src/announcements/deliver/parts.ts';
import { type AppearanceLayer, appearanceFrom } from '../../src/deals/appearance.ts';
import type { Subscription } from '../../src/deals/subscription.ts';

/** Settings of a subscription, with an appearance of its posts' own, as a feature may store it. */
export interface Dressed extends Partial<Subscription> {
  appearance?: AppearanceLayer;
}

/** The appearance of posts: the server's, below that of a `Dressed` subscription. */
export const appearancesIn =
  (server: AppearanceLayer = {}): AppearanceOf =>
  (_, subscription: Dressed | undefined) =>
    appearanceFrom(server, subscription?.appearance);
