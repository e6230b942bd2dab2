import type { APIAttachment, APIMessageTopLevelComponent } from 'discord-api-types/v10';
import { locatedAt } from './attachments.ts';
import { COMPONENT } from './numbers.ts';
import type { Snowflakes } from './snowflake.ts';
import { isRecord } from './validate/form.ts';

type Component = Record<string, unknown>;

/** Values that Discord fills in for absent fields: https://discord.com/developers/docs/components/reference */
const DEFAULTS: Readonly<Record<number, Component>> = {
  [COMPONENT.stringSelect]: { min_values: 1, max_values: 1 },
  [COMPONENT.userSelect]: { min_values: 1, max_values: 1 },
  [COMPONENT.roleSelect]: { min_values: 1, max_values: 1 },
  [COMPONENT.mentionableSelect]: { min_values: 1, max_values: 1 },
  [COMPONENT.channelSelect]: { min_values: 1, max_values: 1 },
  [COMPONENT.thumbnail]: { description: null, spoiler: false },
  [COMPONENT.file]: { spoiler: false },
  [COMPONENT.separator]: { divider: true, spacing: 1 },
  [COMPONENT.container]: { accent_color: null, spoiler: false },
};

/**
 * Completes validated components for a message: with ids, defaults and the URLs of their media.
 * @param components changed in place and returned; they are the body of a request, which nobody reads again
 * @param attachments the files that `attachment://name` may refer to
 */
export function publishComponents(
  components: APIMessageTopLevelComponent[],
  attachments: readonly APIAttachment[],
  snowflakes: Snowflakes,
): APIMessageTopLevelComponent[] {
  const locate = ({ media, file }: Component) => {
    const source = media ?? file;
    if (!isRecord(source)) return;
    const url = locatedAt(String(source['url']), attachments);
    Object.assign(source, { id: snowflakes.next(), url, proxy_url: url });
  };
  const all = components.flatMap(withChildren);
  numberAll(all);
  for (const component of all) {
    const defaults = DEFAULTS[Number(component['type'])];
    for (const key in defaults) component[key] ??= defaults[key];
    locate(component);
    if (!Array.isArray(component['items'])) continue;
    for (const item of component['items'].filter(isRecord)) {
      item['description'] ??= null;
      item['spoiler'] ??= false;
      locate(item);
    }
  }
  return components;
}

/** Gives components without an `id` the free numbers, depth first. */
function numberAll(components: readonly Component[]): void {
  const isNumbered = ({ id }: Component) => typeof id === 'number' && id > 0;
  const taken = new Set(components.filter(isNumbered).map(({ id }) => id));
  let next = 1;
  for (const component of components) {
    if (isNumbered(component)) continue;
    while (taken.has(next)) next += 1;
    component['id'] = next;
    next += 1;
  }
}

/** Lists the component itself and everything inside it. */
export function withChildren(component: unknown): Component[] {
  const all: Component[] = [];
  const gather = (candidate: unknown): void => {
    if (!isRecord(candidate)) return;
    all.push(candidate);
    if (Array.isArray(candidate['components'])) candidate['components'].forEach(gather);
    gather(candidate['accessory']);
    gather(candidate['component']);
  };
  gather(component);
  return all;
}
