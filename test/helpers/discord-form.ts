import { MessageCreateRequestSchema } from 'discord-api-spec/zod';
import { type APIStringSelectComponent, ComponentType, MessageFlags } from 'discord-api-types/v10';
import { expect } from 'vitest';
import type { Card } from '../../src/discord/cards/parts.ts';

/** Every object of a card that is a component, however deep. */
function componentsOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(componentsOf);
  if (typeof value !== 'object' || value === null) return [];
  const own = value as Record<string, unknown>;
  return [...('type' in own ? [own] : []), ...Object.values(own).flatMap(componentsOf)];
}

/** The texts that a card shows, one after another. */
export function textOf(card: { components?: unknown }): string {
  return componentsOf(card.components)
    .flatMap((component) => (typeof component['content'] === 'string' ? [component['content']] : []))
    .join('\n');
}

/** The `custom_id`s of a card's buttons. */
export function customIdsOf(card: { components?: unknown }): string[] {
  return componentsOf(card.components).flatMap((component) =>
    typeof component['custom_id'] === 'string' ? [component['custom_id']] : [],
  );
}

/** A card's buttons, in reading order. */
export function buttonsOf(card: { components?: unknown }): { label?: string; disabled?: boolean }[] {
  return componentsOf(card.components).filter(({ type }) => type === ComponentType.Button);
}

/** A card's menus, in reading order. */
export function menusOf(card: { components?: unknown }): APIStringSelectComponent[] {
  const menus: unknown = componentsOf(card.components).filter(({ type }) => type === ComponentType.StringSelect);
  return menus as APIStringSelectComponent[];
}

/** The addresses that a card's link buttons open. */
export function buttonUrlsOf(card: { components?: unknown }): string[] {
  return componentsOf(card.components).flatMap((component) =>
    typeof component['url'] === 'string' ? [component['url']] : [],
  );
}

/** Holds a card against Discord's own schema, and against the limits that the schema doesn't state. */
export function expectTakenByDiscord(card: Card): void {
  const message = { flags: MessageFlags.IsComponentsV2, components: card.components, allowed_mentions: { parse: [] } };
  const { error } = MessageCreateRequestSchema.safeParse(message);
  expect(error?.issues ?? []).toEqual([]);
  const components = componentsOf(card.components);
  expect(components.length).toBeLessThanOrEqual(40);
  expect(textOf(card).length).toBeLessThanOrEqual(4000);
  expect(components.filter(({ content }) => content === '')).toEqual([]);
  const ids = customIdsOf(card);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => id.length > 100)).toEqual([]);
}

/** Holds a card that Discord takes against mentions that would be shown as one, and links that are none of http(s). */
export function expectHarmless(card: Card): void {
  expectTakenByDiscord(card);
  expect(textOf(card)).not.toMatch(/(?<!\\)(?:\\\\)*<(?:@|#|:|a:|\/)/);
  expect(buttonUrlsOf(card).filter((url) => !/^https?:\/\//.test(url))).toEqual([]);
}
