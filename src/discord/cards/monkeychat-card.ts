import type { APIComponentInContainer } from 'discord-api-types/v10';
import { type Monkeychat, type MonkeychatParts, monkeychatParts, monkeychatSubject } from '../../deals/monkeychat.ts';
import { timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, escapeLine, link, markdownOf } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { type AnnouncementContext, announced, type Happened, matchedPart } from './announced.ts';
import { type ListView, pagedCard } from './paged-card.ts';
import { actionButton, buttons, type Card, type CardContext, card, linkButton, pictured, smallLine } from './parts.ts';

const MOST_TITLE = 150;
const MOST_ANNOUNCED = 800;
const MOST_TEXT = 2500;

/** A monkeychat in a list, or as the body of its card; at most `most` characters of dialogue. */
function monkeychatEntry(monkeychat: Monkeychat, most: number, { translator }: CardContext): APIComponentInContainer {
  const parts = monkeychatParts(monkeychat);
  return pictured(
    [...headLines(parts, most, translator), smallLine([translator.t('monkeychat.kind'), ...factsOf(parts)])],
    parts.photo,
    titleOf(parts, translator),
  );
}

function titleOf({ title }: MonkeychatParts, translator: Translator): string {
  return clamp(title ?? translator.t('monkeychat.kind'), MOST_TITLE);
}

function headLines(parts: MonkeychatParts, most: number, translator: Translator): (string | null)[] {
  return [`### ${link(titleOf(parts, translator), parts.url)}`, clampMarkdown(said(parts), most) || null];
}

function factsOf({ site, startDateMs }: MonkeychatParts): (string | null)[] {
  return [site && escapeLine(clamp(site, 80)), startDateMs === null ? null : timestamp(startDateMs, 'D')];
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
  const parts = monkeychatParts(item);
  return announced(
    {
      happened,
      lines: headLines(parts, MOST_ANNOUNCED, translator),
      picture: { url: parts.photo, description: titleOf(parts, translator) },
      smallPrint: [...factsOf(parts), matchedPart(context)],
      buttons: [
        actionButton(translator.t('button.details'), { do: 'monkeychat', subject, deliveryId }),
        linkButton(translator.t('button.discussion'), parts.url),
      ],
    },
    context,
  );
}

/** A monkeychat with its whole dialogue. */
export function monkeychatDetailCard(monkeychat: Monkeychat, context: CardContext): Card {
  return card(ACCENT.monkeychat, [
    monkeychatEntry(monkeychat, MOST_TEXT, context),
    buttons([linkButton(context.translator.t('button.discussion'), monkeychatParts(monkeychat).url)]),
  ]);
}

export interface MonkeychatsView extends ListView {
  monkeychats: readonly Monkeychat[];
}

/** A page of the monkeychats. */
export function monkeychatsCard({ monkeychats, page, age }: MonkeychatsView, context: CardContext): Card {
  const { translator } = context;
  return pagedCard(
    {
      accentColor: ACCENT.monkeychat,
      title: translator.t('monkeychats.title'),
      things: monkeychats,
      page,
      count: translator.t('list.monkeychats', { count: monkeychats.length }),
      empty: translator.t('monkeychats.none'),
      age,
      entry: (monkeychat) => monkeychatEntry(monkeychat, 300, context),
      pageAction: (to) => ({ do: 'monkeychats', page: to }),
      open: {
        button: translator.t('button.details'),
        choice: (monkeychat) => ({
          label: monkeychatParts(monkeychat).title ?? translator.t('monkeychat.kind'),
          action: { do: 'monkeychat', subject: monkeychatSubject(monkeychat), deliveryId: null },
        }),
      },
    },
    context,
  );
}
