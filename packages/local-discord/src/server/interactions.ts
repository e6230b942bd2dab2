import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { APIApplicationCommandOptionChoice, APIMessageInteractionMetadata } from 'discord-api-types/v10';
import type { Clock } from '../clock.ts';
import { DiscordError } from './discord-error.ts';
import { INTERACTION, MESSAGE_FLAG } from './numbers.ts';
import type { PageMessage, PageModal, PageUpdate } from './page-api.ts';
import { IDS } from './seed.ts';
import type { Snowflakes } from './snowflake.ts';
import type { World } from './world.ts';

/** Milliseconds within which the bot must first answer, and within which its token stays valid. */
const ANSWER_MS = 3000;
const TOKEN_MS = 15 * 60_000;

/** The result of a person's action. */
export interface Answer {
  interactionId: string;
  /** The message that answers it or that it changed; null for a modal, choices, or nothing to show. */
  message: PageMessage | null;
  modal: PageModal | null;
  choices: APIApplicationCommandOptionChoice[];
}

/** A person's action, from its dispatch to the bot's answer. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly personId: string;
  readonly channelId: string;
  readonly startedMs: number;
  /** The message whose component was used, or whose component opened the modal. */
  readonly source: { channelId: string; messageId: string } | null;
  /** The command's name with its subcommands, or the custom_id. */
  readonly name: string;
  /** Id of the message that a message command was used on. */
  readonly target?: string;
  /** Id of the person whom a user command was used on. */
  readonly targetUser?: string;
  /** Type of the option that is being completed. */
  readonly choiceType?: number;
  state: 'waiting' | 'deferred' | 'answered' | 'failed';
  /** The message that `@original` refers to. */
  original: { channelId: string; messageId: string } | null;
}

interface NewInteraction {
  type: number;
  personId: string;
  channelId: string;
  name: string;
  choiceType?: number;
  target?: string;
  targetUser?: string;
  source?: { channelId: string; messageId: string } | null;
  /** The fields of INTERACTION_CREATE that depend on its type and channel. */
  payload: Record<string, unknown>;
}

/** Holds one sentence for the person whose interaction failed. */
export class InteractionFailed extends Error {}

export interface Interactions {
  /** Dispatches an interaction to the bot. `answer` rejects with an InteractionFailed; a caller may ignore it. */
  start(interaction: NewInteraction): { id: string; answer: Promise<Answer> };
  /** Finds an interaction that may be answered now. @throws DiscordError 10062, 40060 */
  toAnswer(id: string, token: string): Interaction;
  /** Finds the answered interaction of a token. @throws DiscordError 10015, 50027 */
  byToken(applicationId: string, token: string): Interaction;
  /** Marks an interaction as deferred, or as answered for good. */
  settle(interaction: Interaction, state: 'deferred' | 'answered', answer?: Partial<Answer>): void;
  /** Finds the modal with this custom_id that the person has open. */
  openModal(personId: string, customId: string): { modal: PageModal; source: Interaction['source'] } | undefined;
  closeModal(personId: string, customId: string): void;
  showModal(interaction: Interaction, modal: PageModal): void;
  stop(): void;
}

interface Dependencies {
  snowflakes: Snowflakes;
  clock: Clock;
  dispatch: (payload: Record<string, unknown>) => void;
  isBotThere: () => boolean;
  emit: (update: PageUpdate) => void;
}

interface Waiting {
  interaction: Interaction;
  resolve: (answer: Answer) => void;
  reject: (error: InteractionFailed) => void;
}

/** The interactions by their tokens, with which the bot answers them. */
class IssuedTokens {
  readonly #clock: Clock;
  readonly #interactions = new Map<string, Interaction>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  #ageMs({ startedMs }: Interaction): number {
    return this.#clock.monotonicMs() - startedMs;
  }

  add(interaction: Interaction): void {
    for (const [token, old] of this.#interactions) {
      if (this.#ageMs(old) <= 2 * TOKEN_MS) break;
      this.#interactions.delete(token);
    }
    this.#interactions.set(interaction.token, interaction);
  }

  toAnswer(id: string, token: string): Interaction {
    const interaction = this.#interactions.get(token);
    if (interaction?.id !== id) throw new DiscordError('unknownInteraction');
    if (interaction.state === 'answered' || interaction.state === 'deferred')
      throw new DiscordError('alreadyAcknowledged');
    if (interaction.state === 'failed' || this.#ageMs(interaction) > ANSWER_MS)
      throw new DiscordError('unknownInteraction');
    return interaction;
  }

  byToken(applicationId: string, token: string): Interaction {
    const interaction = this.#interactions.get(token);
    if (!interaction || applicationId !== IDS.application) throw new DiscordError('unknownWebhook');
    if (this.#ageMs(interaction) > TOKEN_MS) throw new DiscordError('invalidWebhookToken');
    if (interaction.state === 'waiting' || interaction.state === 'failed') throw new DiscordError('unknownWebhook');
    return interaction;
  }
}

/**
 * Tracks each interaction and whether the bot answered it:
 * https://discord.com/developers/docs/interactions/receiving-and-responding
 */
export function createInteractions({ snowflakes, clock, dispatch, isBotThere, emit }: Dependencies): Interactions {
  const issued = new IssuedTokens(clock);
  const waiting = new Map<string, Waiting>();
  const openModals = new Map<string, { modal: PageModal; source: Interaction['source'] }>();
  const stopped = new AbortController();
  // Every waiting interaction listens to the signal, so their number has no limit.
  setMaxListeners(0, stopped.signal);

  function fail(interaction: Interaction, problem: string): void {
    interaction.state = 'failed';
    emit({ type: 'interaction', interactionId: interaction.id, state: 'failed', problem });
    waiting.get(interaction.id)?.reject(new InteractionFailed(problem));
    waiting.delete(interaction.id);
  }

  async function watch(interaction: Interaction): Promise<void> {
    await clock.sleep(ANSWER_MS, stopped.signal);
    if (interaction.state === 'waiting') fail(interaction, 'The application did not respond within 3 seconds.');
    if (interaction.state !== 'deferred') return;
    await clock.sleep(TOKEN_MS - ANSWER_MS, stopped.signal);
    if (waiting.has(interaction.id)) fail(interaction, 'The application did not finish its answer within 15 minutes.');
  }

  return {
    start({ payload, source = null, ...what }) {
      if (!isBotThere())
        throw new InteractionFailed('The bot is not connected, so nobody can answer; start it and try again.');
      const interaction: Interaction = {
        ...what,
        id: snowflakes.next(),
        token: randomBytes(32).toString('base64url'),
        source,
        startedMs: clock.monotonicMs(),
        state: 'waiting',
        original: null,
      };
      issued.add(interaction);
      const answer = new Promise<Answer>((resolve, reject) => {
        waiting.set(interaction.id, { interaction, resolve, reject });
      });
      // The failure is also emitted as an update, so a caller may ignore the promise.
      answer.catch(() => undefined);
      dispatch({ ...payload, id: interaction.id, token: interaction.token, type: what.type });
      // The watch rejects only when the server stops.
      watch(interaction).catch(() => undefined);
      return { id: interaction.id, answer };
    },

    toAnswer: (id, token) => issued.toAnswer(id, token),
    byToken: (applicationId, token) => issued.byToken(applicationId, token),

    settle(interaction, state, answer = {}) {
      if (interaction.state !== state) {
        interaction.state = state;
        emit({ type: 'interaction', interactionId: interaction.id, state });
      }
      if (state === 'deferred') return;
      const nothing = { interactionId: interaction.id, message: null, modal: null, choices: [] };
      waiting.get(interaction.id)?.resolve({ ...nothing, ...answer });
      waiting.delete(interaction.id);
    },

    openModal: (personId, customId) => openModals.get(`${personId}:${customId}`),

    closeModal: (personId, customId) => void openModals.delete(`${personId}:${customId}`),
    showModal(interaction, modal) {
      openModals.set(`${interaction.personId}:${modal.custom_id}`, { modal, source: interaction.source });
      emit({ type: 'modal', interactionId: interaction.id, personId: interaction.personId, modal });
    },

    stop() {
      stopped.abort();
      for (const { interaction, reject } of waiting.values()) {
        interaction.state = 'failed';
        reject(new InteractionFailed('Local Discord was stopped before the bot answered.'));
      }
      waiting.clear();
    },
  };
}

/** The id of the only person who can see an answer with these flags; null for everyone. */
export function visibleTo(interaction: Interaction, flags: number | undefined): string | null {
  return (flags ?? 0) & MESSAGE_FLAG.ephemeral ? interaction.personId : null;
}

/** The fields of an answer that Discord calls deprecated and still sends: older libraries read them. */
export function deprecatedFields(world: World, { id, type, name, personId }: Interaction) {
  if (type !== INTERACTION.command) return {};
  return { interaction: { id, type, name, user: world.members.get(personId)?.user ?? world.bot } };
}

/** The metadata that a message carries about the interaction it answers. */
export function interactionMetadata(world: World, interaction: Interaction): APIMessageInteractionMetadata {
  const { id, type, name, personId, channelId, target, targetUser, source } = interaction;
  return {
    id,
    type,
    user: world.members.get(personId)?.user ?? world.bot,
    authorizing_integration_owners: { 0: world.guildOf(channelId).guild_id ?? '0' },
    ...(type === INTERACTION.component
      ? { interacted_message_id: source?.messageId }
      : {
          name,
          ...(target && { target_message_id: target }),
          ...(targetUser && { target_user: world.members.get(targetUser)?.user ?? world.bot }),
        }),
  } as APIMessageInteractionMetadata;
}
