import type { AnyThingKind, ThingItem } from '../../announcements/kinds/kind.ts';
import type { ThingView } from '../../announcements/kinds/thing-view.ts';
import type { Action } from '../custom-id.ts';
import { type AnnouncementContext, announced, type Happened, matchedPart } from './announced.ts';
import { type Age, ageText, type ListView, pagedCard } from './paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  linkButton,
  pictured,
  separator,
  smallLine,
} from './parts.ts';

/** The action that opens a thing's own card. */
export function openingOf({ entity }: AnyThingKind, subject: string, deliveryId: string | null): Action {
  return { do: entity, subject, deliveryId };
}

/** The card that announces a thing. */
export function thingPostCard(
  thing: AnyThingKind,
  { item, subject }: { item: ThingItem; subject: string },
  happened: Happened,
  context: AnnouncementContext,
): Card {
  const { translator, deliveryId } = context;
  const { lines, picture, facts } = thing.view(item, 'post', translator);
  return announced(
    {
      happened,
      lines,
      picture,
      smallPrint: [...facts, matchedPart(context)],
      buttons: thing
        .postButtons(item)
        .map((button) =>
          button === 'opening'
            ? actionButton(translator.t(thing.opening), openingOf(thing, subject, deliveryId))
            : linkButton(translator.t(button.label), button.url),
        ),
    },
    context,
  );
}

/** A thing's own card, with all that is known of it. */
export function thingDetailCard(
  thing: AnyThingKind,
  { item, age }: { item: ThingItem; age: Age },
  { translator }: CardContext,
): Card {
  const view = thing.view(item, 'card', translator);
  return card(thing.accent, [
    thingEntry(thing.statesAge ? { ...view, facts: [...view.facts, ageText(age, translator)] } : view),
    view.body ? separator() : null,
    view.body,
    buttons(thing.cardButtons(item).map(({ label, url }) => linkButton(translator.t(label), url))),
  ]);
}

/** A thing in a list, with an optional last line. */
export function thingEntry({ lines, facts, picture }: ThingView, lastLine: string | null = null) {
  const small = facts.some((fact) => fact !== null) ? smallLine(facts) : null;
  return pictured([...lines, small, lastLine], picture.url, picture.description);
}

export interface ThingsView extends ListView {
  /** In the catalog's order. */
  items: readonly ThingItem[];
}

/** A page of all things of a kind. */
export function thingsCard(thing: AnyThingKind, { items, page, age }: ThingsView, context: CardContext): Card {
  const { source } = thing;
  const { translator } = context;
  return pagedCard(
    {
      accentColor: thing.accent,
      title: translator.t(`${source}.title`),
      things: thing.inOrder?.(items) ?? items,
      page,
      count: translator.t(`list.${source}`, { count: items.length }),
      empty: translator.t(`${source}.none`),
      age,
      entry: (item) => thingEntry(thing.view(item, 'list', translator)),
      pageAction: (to): Action => ({ do: source, page: to }),
      open: {
        button: translator.t(thing.opening),
        choice(item) {
          const { title, hint } = thing.view(item, 'list', translator);
          return {
            label: title,
            ...(hint !== null && { description: hint }),
            action: openingOf(thing, thing.announce(item).subject, null),
          };
        },
      },
    },
    context,
  );
}
