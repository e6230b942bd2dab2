import { test } from 'vitest';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { message } from '../../../src/discord/i18n/translator.ts';
import { pingsCard } from '../../../src/features/pings/cards.ts';
import { MOST_PINGS } from '../../../src/features/pings/ping.ts';
import { expectTakenByDiscord } from '../../helpers/discord-form.ts';
import { aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

test.each(['en-US', 'de', 'fr', 'es-ES'])('Discord takes the card of pings, however many and long: %s', (locale) => {
  const context = { translator: translatorFor(locale), nowMs: NOW_MS };
  const kinds = [...KINDS_OF.feed.all];
  const pings = Array.from({ length: MOST_PINGS }, (_, index) => {
    return { roleId: `${index}`.repeat(19), filter: '`*_'.repeat(333), kinds };
  });
  const subscription = aSubscription(uuid(1), { source: { kind: 'feed', feed: 'Home' }, kinds: [], pings });
  const roleIds = pings.map(({ roleId }) => roleId);
  const view = {
    subscription,
    rings: new Map(roleIds.map((roleId) => [roleId, 1_000])),
    troubles: new Map(roleIds.map((roleId) => [roleId, message('role.above', { role: `<@&${roleId}>` })])),
  };
  expectTakenByDiscord(pingsCard(view, 'x'.repeat(300), context));
  expectTakenByDiscord(pingsCard({ ...view, subscription: { ...subscription, pings: [] } }, '', context));
  expectTakenByDiscord(pingsCard({ ...view, rings: null, troubles: new Map() }, '', context));
});
