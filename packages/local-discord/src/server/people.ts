import type { APIApplicationCommand, APIAttachment, APIUser } from 'discord-api-types/v10';
import { type AttachmentStore, describeAttachment } from './attachments.ts';
import {
  type GivenOption,
  type Lookups,
  type ParsedCommand,
  parseCommandLine,
  parseUnfinished,
} from './command-line/parse.ts';
import {
  type Asked,
  commandData,
  componentData,
  interactionBase,
  messageCommandData,
  userCommandData,
} from './interaction-data.ts';
import { type Answer, InteractionFailed, type Interactions } from './interactions.ts';
import { asApiMessage } from './messages.ts';
import { requireChoices, requireInputs, submittedModal } from './modal-form.ts';
import { COMMAND, COMPONENT, INTERACTION, isInMenu, isUsableIn, namesOfPermissions, PERMISSION } from './numbers.ts';
import type {
  Autocomplete,
  PageMessage,
  RunCommand,
  RunMessageCommand,
  RunUserCommand,
  SubmitModal,
  UseComponent,
} from './page-api.ts';
import { isAllowed, permissionsIn } from './permissions.ts';
import { withChildren } from './publish-components.ts';
import { ADA, BEN, CLEO, type WorldChannel } from './seed.ts';
import type { Snowflakes } from './snowflake.ts';
import { isDirect, type World } from './world.ts';

/** An interaction that was started. `answer` rejects with an InteractionFailed. */
export interface Begun {
  id: string;
  answer: Promise<Answer>;
}

/**
 * The actions that a person can take with the bot. Each throws an InteractionFailed when it can't be started at all.
 */
export interface People {
  runCommand(what: RunCommand): Begun;
  autocomplete(what: Autocomplete): Begun;
  runMessageCommand(what: RunMessageCommand): Begun;
  runUserCommand(what: RunUserCommand): Begun;
  useComponent(what: UseComponent): Begun;
  submitModal(what: SubmitModal): Begun;
}

export const PEOPLE: readonly APIUser[] = [ADA, BEN, CLEO];

interface Dependencies {
  world: World;
  interactions: Interactions;
  snowflakes: Snowflakes;
  attachments: AttachmentStore;
  /** The server's own URL, from which it serves the files. */
  url: () => string;
}

export function createPeople(dependencies: Dependencies): People {
  const { world, interactions } = dependencies;
  const slashCommands = () => world.allCommands().filter(({ type }) => type === COMMAND.chatInput);
  /** The command of that name in the menu of a message or a person, which that person may use there. */
  function commandInMenu({ personId, channel }: Asked, type: number, name: string): APIApplicationCommand {
    const command = world.allCommands().find((one) => Number(one.type) === type && one.name === name);
    if (!command) throw new InteractionFailed(`There is no command "${name}" in that menu.`);
    requireUse(world, command, personId, channel);
    return command;
  }

  return {
    runCommand(what) {
      const files = attach(what, dependencies);
      const parsed = parseCommandLine(what.text, slashCommands(), lookups(world, what.channelId, files));
      return commandInteraction(world, interactions, what, INTERACTION.command, parsed, files);
    },

    autocomplete(what) {
      const parsed = parseUnfinished(what.text, what.focused, slashCommands(), lookups(world, what.channelId, []));
      return commandInteraction(world, interactions, what, INTERACTION.autocomplete, parsed, []);
    },

    runMessageCommand({ personId, channelId, messageId, name }) {
      const channel = placeOf(world, { personId, channelId });
      const message = seenMessage(world, personId, channel, messageId);
      const command = commandInMenu({ personId, channel }, COMMAND.message, name);
      return interactions.start({
        type: INTERACTION.command,
        personId,
        channelId,
        name,
        target: messageId,
        payload: { ...interactionBase(world, personId, channel), data: messageCommandData(command, message) },
      });
    },

    runUserCommand({ personId, channelId, userId, name }) {
      const channel = placeOf(world, { personId, channelId });
      if (!world.guildAt(channel).members.has(userId))
        throw new InteractionFailed(`There is no person ${userId} here.`);
      const command = commandInMenu({ personId, channel }, COMMAND.user, name);
      return interactions.start({
        type: INTERACTION.command,
        personId,
        channelId,
        name,
        targetUser: userId,
        payload: {
          ...interactionBase(world, personId, channel),
          data: userCommandData(world, { personId, channel }, command, userId),
        },
      });
    },

    useComponent({ personId, channelId, messageId, customId, values = [] }) {
      const channel = placeOf(world, { personId, channelId });
      const message = seenMessage(world, personId, channel, messageId);
      const component = message.components?.flatMap(withChildren).find((one) => one['custom_id'] === customId);
      if (!component)
        throw new InteractionFailed(`The message has no button or menu "${customId}"; it may have been edited.`);
      if (component['disabled'] === true) throw new InteractionFailed(`"${customId}" is disabled.`);
      if (component['type'] !== COMPONENT.button) requireChoices(customId, component, values);
      return interactions.start({
        type: INTERACTION.component,
        personId,
        channelId,
        name: customId,
        source: { channelId, messageId },
        payload: {
          ...interactionBase(world, personId, channel),
          message: asApiMessage(message),
          data: componentData(world, { personId, channel }, component, values),
        },
      });
    },

    submitModal({ personId, channelId, customId, values }) {
      const channel = placeOf(world, { personId, channelId });
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
          data: submittedModal(world, { personId, channel }, open.modal, values),
        },
      });
    },
  };
}

/** Collects what names in a command can refer to: channels, people and roles of the server in which it is typed, and its files. */
function lookups(world: World, channelId: string, files: readonly APIAttachment[]): Lookups {
  const channel = world.findChannel(channelId);
  if (!channel) return { channels: [], people: PEOPLE, roles: [], files };
  const { guild, roles } = world.guildAt(channel);
  return { channels: world.guildChannels(guild.id), people: PEOPLE, roles: [...roles.values()], files };
}

/** Keeps the files that a person gives with a command. */
function attach(
  { channelId, files = [] }: RunCommand,
  { snowflakes, attachments, url }: Dependencies,
): APIAttachment[] {
  return files.map(({ name, contentType, base64 }, index) => {
    const id = snowflakes.next();
    attachments.save(id, { name, contentType, base64 });
    const file = { index, name, contentType, bytes: Buffer.from(base64, 'base64') };
    return describeAttachment(file, id, `${url()}/attachments/${channelId}/${id}/${encodeURIComponent(name)}`, null);
  });
}

/** Sends a typed command to the bot, to be carried out or to be completed. */
function commandInteraction(
  world: World,
  interactions: Interactions,
  what: RunCommand,
  type: number,
  parsed: ParsedCommand,
  files: readonly APIAttachment[],
): Begun {
  const channel = placeOf(world, what);
  if (!parsed.ok) throw new InteractionFailed(parsed.problem);
  const { command, options } = parsed;
  requireUse(world, command, what.personId, channel);
  const focused = findFocused(options);
  return interactions.start({
    type,
    personId: what.personId,
    channelId: channel.id,
    name: [command.name, ...nestedNames(options)].join(' '),
    ...(focused && { choiceType: focused.type }),
    payload: {
      ...interactionBase(world, what.personId, channel),
      data: commandData(world, { personId: what.personId, channel }, command, options, files),
    },
  });
}

/** The channel that the person names, if they can see it. */
function placeOf(world: World, { personId, channelId }: { personId: string; channelId: string }): WorldChannel {
  if (!PEOPLE.some(({ id }) => id === personId)) {
    throw new InteractionFailed(
      `There is no person ${personId}; use the id of ${PEOPLE.map(({ username }) => username).join(' or ')}.`,
    );
  }
  const channel = world.findChannel(channelId);
  if (!channel) throw new InteractionFailed(`There is no channel ${channelId}; choose one of the server's channels.`);
  if (!isAllowed(world, personId, channel, 0n)) {
    throw new InteractionFailed(`${nameOf(channel)} can't be seen by that person; choose another channel.`);
  }
  return channel;
}

/** The message, if the person can see it. */
function seenMessage(world: World, personId: string, channel: WorldChannel, messageId: string): PageMessage {
  const message = world.findMessage(channel.id, messageId);
  if (!message || (message.visible_to !== null && message.visible_to !== personId)) {
    throw new InteractionFailed(`There is no message ${messageId} in ${nameOf(channel)} for that person.`);
  }
  return message;
}

function requireUse(world: World, command: APIApplicationCommand, personId: string, channel: WorldChannel): void {
  const shown = isInMenu(command.type) ? `"${command.name}"` : `/${command.name}`;
  if (!isAllowed(world, personId, channel, PERMISSION.useApplicationCommands)) {
    throw new InteractionFailed(`Commands can't be used in ${nameOf(channel)} by that person; choose another channel.`);
  }
  if (!isUsableIn(command, isDirect(channel) ? 'direct' : 'guild')) {
    throw new InteractionFailed(`${shown} can't be used in ${nameOf(channel)}; choose another channel.`);
  }
  // In direct messages nobody lacks a permission.
  const needed = isDirect(channel) ? 0n : neededFor(command);
  const lacking = needed & ~permissionsIn(world, personId, channel);
  if (lacking !== 0n) {
    throw new InteractionFailed(`${shown} is not for that person: it needs ${namesOfPermissions(lacking)}.`);
  }
}

/** A command for which no permission is enough is for administrators alone. */
function neededFor({ default_member_permissions: needed }: APIApplicationCommand): bigint {
  return needed === '0' ? PERMISSION.administrator : BigInt(needed ?? 0);
}

function nameOf(channel: WorldChannel): string {
  return isDirect(channel) ? 'the direct messages' : `#${channel.name}`;
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
