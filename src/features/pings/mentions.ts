import type { MentionFacts, Mentions } from '../../announcements/deliver/mentions.ts';
import type { MentionOutcome } from '../../deals/decision.ts';
import { explain, parseFilter, subjectOfOffer } from '../../deals/filter/index.ts';
import type { Timing } from '../../deals/settings.ts';
import { openFrom } from '../../deals/timing.ts';
import { message } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { inlineCode } from '../../discord/markdown.ts';
import type { Ping } from './ping.ts';
import { Ringing } from './ringing.ts';

/** The characters of a filter that /why shows. */
const MOST_FILTER = 60;

/** The roles that the pings of subscriptions ring. */
export const MENTIONS: Mentions = {
  begin() {
    const ringing = new Ringing();
    return ({ pings = [] }, announcement, sight) => ringing.rolesFor(pings, announcement, sight);
  },
  has: ({ pings = [] }, roleId) => pings.some((ping) => ping.roleId === roleId),
  explain: ({ pings = [], timing }, facts) => pings.map((ping) => outcomeOf(ping, timing, facts)),
};

/** What a ping did with a post, or will do. */
function outcomeOf(ping: Ping, timing: Timing, facts: MentionFacts): MentionOutcome {
  const { roleId } = ping;
  const { postedAtMs, decided, mentioned } = facts;
  const rang = { roleId, isMentioned: true, because: message('why.ping.rang'), terms: [] };
  if (mentioned?.includes(roleId)) return rang;
  if (!decided.includes(roleId)) return { roleId, isMentioned: false, ...silenceOf(ping, facts) };
  if (postedAtMs === null) return { ...rang, because: message('why.ping.rings') };
  if (openFrom(timing, postedAtMs) > postedAtMs) {
    return { ...rang, isMentioned: false, because: message('why.ping.quiet') };
  }
  return mentioned ? { ...rang, isMentioned: false, because: message('why.ping.stopped') } : rang;
}

/** Why a ping is not for what happened. */
function silenceOf(
  { filter: text, kinds }: Ping,
  { announcement, offer, atMs }: MentionFacts,
): Pick<MentionOutcome, 'because' | 'terms'> {
  if (kinds.length > 0 && !kinds.includes(announcement.kind)) return { because: message('why.ping.kind'), terms: [] };
  const parsed = parseFilter(text);
  if (!parsed.ok) return { because: message('why.ping.unreadable'), terms: [] };
  const { holds, terms } = explain(parsed.filter, subjectOfOffer(offer), atMs);
  if (holds) return { because: message('why.ping.since'), terms: [] };
  return {
    because: message('why.ping.filter', { filter: inlineCode(clamp(text, MOST_FILTER)) }),
    terms: terms.filter((term) => !term.holds && term.isDecisive),
  };
}
