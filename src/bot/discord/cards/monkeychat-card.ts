import type { APIComponentInContainer } from 'discord-api-types/v10';
import { type Monkeychat, type MonkeychatParts, monkeychatParts } from '../../deals/monkeychat.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, link, markdownOf } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { AnnouncementContext, CardContext, Happened } from './context.ts';
import { matchedPart } from './matched.ts';
import { actionButton, buttons, type Card, card, linkButton, pictured, smallLine } from './parts.ts';

const MOST_TITLE = 150;
const MOST_ANNOUNCED = 800;
const MOST_TEXT = 2500;

/** A monkeychat in a list, or as the body of its card; at most `most` characters of dialogue. */
export function monkeychatEntry(
  monkeychat: Monkeychat,
  most: number,
  context: CardContext,
  matched: string | null = null,
): APIComponentInContainer {
  const parts = monkeychatParts(monkeychat);
  const title = clamp(parts.title ?? context.translator.t('monkeychat.kind'), MOST_TITLE);
  return pictured(
    [
      `### ${link(title, parts.url)}`,
      clampMarkdown(said(parts), most) || null,
      smallLine([
        context.translator.t('monkeychat.kind'),
        parts.site && escapeLine(clamp(parts.site, 80)),
        parts.startDateMs !== null ? timestamp(parts.startDateMs, 'D') : null,
        matched,
      ]),
    ],
    parts.photo,
    title,
  );
}

/** The dialogue line by line; the text where there is none. */
function said({ lines, text, url }: MonkeychatParts): string {
  if (lines.length === 0) return markdownOf(text ?? '', url);
  return lines
    .map(({ character, text }) => {
      const sentence = escapeLine(text);
      return character === null ? sentence : `**${escapeLine(clamp(character, 40))}** ${sentence}`;
    })
    .join('\n');
}

/** The card that announces a monkeychat. */
export function newMonkeychatCard(
  { item, subject }: { item: Monkeychat; subject: string },
  happened: Happened,
  context: AnnouncementContext,
): Card {
  const { translator, deliveryId } = context;
  return card(happened.accent, [
    monkeychatEntry(item, MOST_ANNOUNCED, context, matchedPart(context)),
    buttons([
      linkButton(translator.t('button.discussion'), monkeychatParts(item).url),
      actionButton(translator.t('button.details'), { do: 'monkeychat', subject, deliveryId }),
    ]),
  ]);
}

/** A monkeychat with its whole dialogue. */
export function monkeychatDetailCard(monkeychat: Monkeychat, context: CardContext): Card {
  return card(ACCENT.monkeychat, [
    monkeychatEntry(monkeychat, MOST_TEXT, context),
    buttons([linkButton(context.translator.t('button.discussion'), monkeychatParts(monkeychat).url)]),
  ]);
}
