import type { APIUser } from 'discord-api-types/v10';
import {
  type GivenOption,
  type Lookups,
  type ParsedCommand,
  parseCommandLine,
  parseUnfinished,
} from './command-line/parse.ts';
import { commandData, componentData, interactionBase } from './interaction-data.ts';
import { type Answer, InteractionFailed, type Interactions } from './interactions.ts';
import { asApiMessage } from './messages.ts';
import { COMPONENT, INTERACTION, PERMISSION } from './numbers.ts';
import type { Autocomplete, PageModal, RunCommand, SubmitModal, UseComponent } from './page-api.ts';
import { isAllowed, permissionsIn } from './permissions.ts';
import { withChildren } from './publish-components.ts';
import { ADA, BEN } from './seed.ts';
import type { World, WorldChannel } from './world.ts';

/** What was begun, and what will come of it: a promise that rejects with an InteractionFailed. */
export interface Begun {
  id: string;
  answer: Promise<Answer>;
}

/** What people can do with the bot. Each throws an InteractionFailed when it can't be done at all. */
export interface People {
  runCommand(what: RunCommand): Begun;
  autocomplete(what: Autocomplete): Begun;
  useComponent(what: UseComponent): Begun;
  submitModal(what: SubmitModal): Begun;
}

export const PEOPLE: readonly APIUser[] = [ADA, BEN];

export function createPeople(world: World, interactions: Interactions): People {
  function at(personId: string, channelId: string): WorldChannel {
    if (!PEOPLE.some(({ id }) => id === personId)) {
      throw new InteractionFailed(
        `There is no person ${personId}; use the id of ${PEOPLE.map(({ username }) => username).join(' or ')}.`,
      );
    }
    const channel = world.findChannel(channelId);
    if (!channel) throw new InteractionFailed(`There is no channel ${channelId}; choose one of the server's channels.`);
    if (!isAllowed(world, personId, channel, 0n)) {
      throw new InteractionFailed(`#${channel.name} can't be seen by that person; choose another channel.`);
    }
    return channel;
  }

  function commandInteraction(what: RunCommand, type: number, parsed: ParsedCommand): Begun {
    const channel = at(what.personId, what.channelId);
    if (!parsed.ok) throw new InteractionFailed(parsed.problem);
    const { command, options } = parsed;
    const needed = BigInt(command.default_member_permissions ?? 0);
    if (!isAllowed(world, what.personId, channel, PERMISSION.useApplicationCommands)) {
      throw new InteractionFailed(`Commands can't be used in #${channel.name} by that person; choose another channel.`);
    }
    if ((permissionsIn(world, what.personId, channel) & needed) !== needed) {
      throw new InteractionFailed(`/${command.name} is not for that person: it needs a permission that they lack.`);
    }
    const focused = findFocused(options);
    return interactions.start({
      type,
      personId: what.personId,
      channelId: channel.id,
      name: [command.name, ...nestedNames(options)].join(' '),
      ...(focused && { choiceType: focused.type }),
      payload: {
        ...interactionBase(world, what.personId, channel),
        data: commandData(world, what.personId, command, options),
      },
    });
  }

  function lookups(): Lookups {
    return { channels: world.channels(), people: [...PEOPLE], roles: [...world.roles.values()] };
  }

  return {
    runCommand: (what) =>
      commandInteraction(what, INTERACTION.command, parseCommandLine(what.text, world.allCommands(), lookups())),

    autocomplete: (what) =>
      commandInteraction(
        what,
        INTERACTION.autocomplete,
        parseUnfinished(what.text, what.focused, world.allCommands(), lookups()),
      ),

    useComponent({ personId, channelId, messageId, customId, values = [] }) {
      const channel = at(personId, channelId);
      const message = world.findMessage(channelId, messageId);
      if (!message || (message.visible_to !== null && message.visible_to !== personId)) {
        throw new InteractionFailed(`There is no message ${messageId} in #${channel.name} for that person.`);
      }
      const component = message.components?.flatMap(withChildren).find((one) => one['custom_id'] === customId);
      if (!component)
        throw new InteractionFailed(`The message has no button or menu "${customId}"; it may have been edited.`);
      if (component['disabled'] === true) throw new InteractionFailed(`"${customId}" is disabled.`);
      requireValues(component, values);
      return interactions.start({
        type: INTERACTION.component,
        personId,
        channelId,
        name: customId,
        source: { channelId, messageId },
        payload: {
          ...interactionBase(world, personId, channel),
          message: asApiMessage(message),
          data: componentData(world, personId, component, values),
        },
      });
    },

    submitModal({ personId, channelId, customId, values }) {
      const channel = at(personId, channelId);
      const open = interactions.openModal(personId, customId);
      if (!open) throw new InteractionFailed(`That person has no open form "${customId}"; open it again.`);
      requireInputs(open.modal, values);
      interactions.closeModal(personId, customId);
      const message = open.source && world.findMessage(open.source.channelId, open.source.messageId);
      return interactions.start({
        type: INTERACTION.modalSubmit,
        personId,
        channelId,
        name: customId,
        source: message ? open.source : null,
        payload: {
          ...interactionBase(world, personId, channel),
          ...(message && { message: asApiMessage(message) }),
          data: { custom_id: customId, components: open.modal.components.map((row) => submitted(row, values)) },
        },
      });
    },
  };
}

function nestedNames(options: readonly GivenOption[]): string[] {
  const nested = options.find((option) => option.options);
  return nested ? [nested.name, ...nestedNames(nested.options ?? [])] : [];
}

function findFocused(options: readonly GivenOption[]): GivenOption | undefined {
  for (const option of options) {
    const found = option.focused ? option : findFocused(option.options ?? []);
    if (found) return found;
  }
  return undefined;
}

function requireValues(component: Record<string, unknown>, values: readonly string[]): void {
  if (component['type'] === COMPONENT.button) return;
  const min = Number(component['min_values'] ?? 1);
  const max = Number(component['max_values'] ?? 1);
  if (values.length < min || values.length > max) {
    throw new InteractionFailed(
      `The menu takes ${min === max ? min : `${min} to ${max}`} choices, not ${values.length}.`,
    );
  }
  const options = component['options'];
  if (!Array.isArray(options)) return;
  const unknown = values.find((value) => !options.some((option: { value?: unknown }) => option.value === value));
  if (unknown !== undefined) throw new InteractionFailed(`The menu has no choice "${unknown}".`);
}

/** The inputs of a modal, whether in rows or in labels. */
function inputsOf(modal: PageModal): Record<string, unknown>[] {
  return modal.components.flatMap(withChildren).filter((component) => typeof component['custom_id'] === 'string');
}

function requireInputs(modal: PageModal, values: Record<string, string>): void {
  for (const input of inputsOf(modal)) {
    const id = String(input['custom_id']);
    const length = values[id]?.length ?? 0;
    const isText = input['type'] === COMPONENT.textInput;
    if (input['required'] !== false && length === 0) throw new InteractionFailed(`The form needs a value for "${id}".`);
    const min = Number(input['min_length'] ?? 0);
    const max = Number(input['max_length'] ?? 4000);
    if (isText && length > 0 && (length < min || length > max)) {
      throw new InteractionFailed(`"${id}" has ${length} characters; the form takes ${min} to ${max}.`);
    }
  }
}

/** A modal's row as it travels when it is sent: types, ids and values only. */
function submitted(row: unknown, values: Record<string, string>): Record<string, unknown> {
  const component = withChildren(row)[0] ?? {};
  const { type, id, custom_id: customId, components, component: inside } = component;
  const value = typeof customId === 'string' ? (values[customId] ?? '') : undefined;
  const given = type === COMPONENT.textInput ? { value } : { values: value ? [value] : [] };
  return {
    type,
    ...(id !== undefined && { id }),
    ...(customId !== undefined && { custom_id: customId, ...given }),
    ...(Array.isArray(components) && { components: components.map((child: unknown) => submitted(child, values)) }),
    ...(inside !== undefined && { component: submitted(inside, values) }),
  };
}
