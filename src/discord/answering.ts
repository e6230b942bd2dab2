import { randomUUID } from 'node:crypto';
import { DiscordAPIError, DiscordjsErrorCodes, type Message, MessageFlagsBitField } from 'discord.js';
import { MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { CatalogError, CatalogHttpError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../catalog/errors.ts';
import { type Clock, wallMsOf } from '../shared/clock.ts';
import { StoreError, UserError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { MINUTE_MS } from '../shared/time.ts';
import { type Card, noticeCard, type OfferButtons } from './cards/parts.ts';
import {
  type AnswerParts,
  type Audience,
  FixableError,
  type Modal,
  type RepliableInteraction,
  type Reply,
} from './command.ts';
import { timestamp } from './format.ts';
import { message, type Translator, type Translators } from './i18n/translator.ts';

/** Slower answers are deferred: Discord gives up after 3 s. */
const DEFER_AFTER_MS = 800;
/** The wait after deferral until the person gets a progress message. */
const REASSURE_AFTER_MS = 4_000;

/** Discord's errors for interactions that came too late or twice, or whose channel is gone: nobody can be notified. */
const NOBODY_WAITS = new Set<number | string>([
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  RESTJSONErrorCodes.UnknownChannel,
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
]);

/**
 * The answer to one interaction. The answers given so far decide the next call: reply, edit, update or follow-up. An
 * answer never pings anybody.
 * @see https://discord.com/developers/docs/interactions/receiving-and-responding
 */
interface InteractionResponse {
  /** Tells Discord that the answer comes later; further calls do nothing. A failure surfaces when the answer is given. */
  defer(): void;
  /** Shows the progress meanwhile: privately, or in the place of the answer. */
  progress(card: Card): Promise<void>;
  finish(card: Card): Promise<void>;
  /** Shows why there is no answer; privately where a public card would otherwise be replaced. */
  refuse(card: Card): Promise<void>;
  open(modal: Modal): Promise<void>;
  /** Adds a private message to the answer. */
  followUp(card: Card): Promise<unknown>;
}

/** @param translator for the person */
function createInteractionResponse(
  interaction: RepliableInteraction,
  audience: Audience | 'update',
  translator: Translator,
): InteractionResponse {
  const updatable = audience === 'update' ? updatableOf(interaction) : null;
  const isPrivate = audience !== 'public';
  let deferred: Promise<unknown> | null = null;
  let interim: Promise<Message> | null = null;

  function followUp(card: Card): Promise<unknown> {
    const body = bodyOf(card, true);
    return interaction.deferred || interaction.replied ? interaction.followUp(body) : interaction.reply(body);
  }

  async function edit(card: Card): Promise<void> {
    try {
      if (updatable && !deferred) await updatable.update(bodyOf(card));
      else await interaction.editReply(bodyOf(card));
    } catch (error) {
      if (!(error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage)) throw error;
      await followUp(noticeCard(translator.t('failure.messageDeleted')));
    }
  }

  return {
    defer() {
      deferred ??= updatable
        ? updatable.deferUpdate()
        : interaction.deferReply(isPrivate ? { flags: MessageFlags.Ephemeral } : {});
      deferred.catch(() => undefined);
    },
    async progress(card) {
      await deferred;
      interim = updatable ? interaction.followUp(bodyOf(card, true)) : interaction.editReply(bodyOf(card));
      interim.catch(() => undefined);
      await interim;
    },
    async finish(card) {
      await deferred;
      const said = await interim?.catch(() => null);
      if (updatable || deferred) await edit(card);
      else await interaction.reply(bodyOf(card, isPrivate));
      if (updatable && said) await interaction.deleteReply(said);
    },
    async refuse(card) {
      await deferred;
      const said = await interim?.catch(() => null);
      if (updatable && said) await interaction.editReply({ ...bodyOf(card), message: said });
      else if (deferred && !updatable) await edit(card);
      else await followUp(card);
    },
    async open(modal) {
      if (deferred || interaction.isModalSubmit()) {
        throw new Error('A form opens at once or not at all, and none from another.');
      }
      await interaction.showModal(modal.modal);
    },
    followUp,
  };
}

/** The interaction, where it has a message that it can update; else null. */
function updatableOf(interaction: RepliableInteraction) {
  if (interaction.isMessageComponent()) return interaction;
  return interaction.isModalSubmit() && interaction.isFromMessage() ? interaction : null;
}

function bodyOf({ components, files = [] }: Card, isPrivate = false) {
  const flags = isPrivate ? MessageFlags.IsComponentsV2 | MessageFlags.Ephemeral : MessageFlags.IsComponentsV2;
  return {
    components,
    allowedMentions: { parse: [] },
    flags,
    ...(files.length > 0 && { files: files.map(({ name, content: attachment }) => ({ name, attachment })) }),
  } as const;
}

export interface ResponderParts<S> {
  /** The services that commands share. */
  services: S;
  translators: Translators;
  /** A card that a person gets privately beside an answer; null where there is none. */
  alsoTell?: ((personId: string, translator: Translator) => Promise<Card | null>) | undefined;
  /** As in `CardContext`. */
  offerButtons?: readonly OfferButtons[];
  clock: Clock;
  log: Log;
}

/** Answers a person with the result of some work, or with the reason why it failed. */
export function createResponder<S>({
  services,
  translators,
  alsoTell,
  offerButtons = [],
  clock,
  log,
}: ResponderParts<S>) {
  const userRateLimiter = createUserRateLimiter(clock);

  return async function respond(
    interaction: RepliableInteraction,
    audience: Audience | 'update',
    work: (parts: AnswerParts<S>) => Promise<Reply>,
  ): Promise<void> {
    const { locale, guildLocale, user } = interaction;
    const ownTranslator = translators(locale);
    const translator = isForOne(interaction, audience) ? ownTranslator : translators(guildLocale ?? locale);
    const response = createInteractionResponse(interaction, audience, ownTranslator);
    function spend(): void {
      userRateLimiter.spend(user.id);
      response.defer();
    }
    const refuse = (error: unknown) =>
      response.refuse(
        error instanceof FixableError
          ? error.cardFor(ownTranslator)
          : noticeCard(sentenceFor(error, ownTranslator, log)),
      );
    async function finish(card: Card): Promise<void> {
      await response.finish(card);
      try {
        const more = await alsoTell?.(user.id, ownTranslator);
        if (more) await response.followUp(more);
      } catch (error) {
        log.warn({ err: error, interaction: interaction.id }, 'an answer could not be followed up');
      }
    }
    let callOff = clock.after(DEFER_AFTER_MS, () => {
      response.defer();
      callOff = clock.after(REASSURE_AFTER_MS, () => {
        const asking = noticeCard(ownTranslator.t('progress.asking'));
        response.progress(asking).catch((error: unknown) => {
          log.warn({ err: error, interaction: interaction.id }, 'could not defer an answer');
        });
      });
    });
    let reply: Reply;
    try {
      reply = await work({ services, translator, offerButtons, clock, spend });
    } catch (error) {
      callOff();
      return refuse(error);
    }
    callOff();
    try {
      // A form is the whole answer: nothing can follow it.
      await ('modal' in reply ? response.open(reply) : finish(reply));
    } catch (error) {
      if (isNobodyWaiting(error)) throw error;
      await refuse(error);
    }
  };
}

/** Whether an answer failed because nobody waits for it any more. */
export function isNobodyWaiting(error: unknown): boolean {
  return error instanceof DiscordAPIError && NOBODY_WAITS.has(error.code);
}

/** Whether only the person reads the answer. Updating a private card stays private. */
function isForOne(interaction: RepliableInteraction, audience: Audience | 'update'): boolean {
  if (audience !== 'update') return audience === 'private';
  return (
    'message' in interaction && new MessageFlagsBitField(interaction.message?.flags ?? 0).has(MessageFlags.Ephemeral)
  );
}

/** Requests that one person may cause at once, and how often one more after that: at most 300 of a day's 1,000. */
const AT_ONCE = 12;
const ONE_MORE_MS = 5 * MINUTE_MS;
/** Above this many people, those with a full allowance are dropped. */
const MOST_KEPT = 1_000;

/** Limits the catalog requests of each person, so that nobody spends everybody's daily quota. */
interface UserRateLimiter {
  /** Counts one request. @throws UserError that names the time of the next one, where none is left */
  spend(personId: string): void;
}

function createUserRateLimiter(clock: Clock): UserRateLimiter {
  /** When each person's allowance is full again, on the monotonic clock: a token bucket stored as one number. */
  const fullAgainMs = new Map<string, number>();

  function forgetFull(nowMs: number): void {
    for (const [personId, atMs] of fullAgainMs) if (atMs <= nowMs) fullAgainMs.delete(personId);
  }

  return {
    spend(personId) {
      const nowMs = clock.monotonicMs();
      const afterMs = Math.max(nowMs, fullAgainMs.get(personId) ?? nowMs) + ONE_MORE_MS;
      const nextMs = afterMs - AT_ONCE * ONE_MORE_MS;
      if (nextMs > nowMs) {
        throw new UserError(message('failure.askedALot', { at: timestamp(wallMsOf(nextMs, clock), 'R') }));
      }
      fullAgainMs.set(personId, afterMs);
      if (fullAgainMs.size > MOST_KEPT) forgetFull(nowMs);
    },
  };
}

/**
 * One plain sentence about a failure for the person; the cause goes to the log. Unexpected errors get a reference that
 * appears in both.
 */
function sentenceFor(error: unknown, translator: Translator, log: Log): string {
  const sentence = expectedSentence(error, translator);
  if (sentence === null) {
    const reference = randomUUID().slice(0, 8);
    log.error({ err: error, reference }, 'an interaction failed');
    return translator.t('failure.unexpected', { reference });
  }
  if (error instanceof CatalogError) log.warn({ err: error }, "the catalog failed a user's request");
  else if (error instanceof Error && (error.cause !== undefined || isIncomplete(error))) {
    log.warn({ err: error }, 'a user was shown an error');
  }
  return sentence;
}

/** The sentence for an expected failure; null for any other. */
export function expectedSentence(error: unknown, translator: Translator): string | null {
  if (error instanceof StoreError && error.problem) return translator.t(`status.state.${error.problem}`);
  if (error instanceof UserError) return error.localized ? translator.translate(error.localized) : error.message;
  if (error instanceof CatalogError) return catalogSentence(error, translator);
  return isIncomplete(error) ? translator.t('failure.incomplete') : null;
}

/** The library's errors for a command without an option that it needs, and a form without a field: an old client's, or forged. */
const INCOMPLETE: readonly unknown[] = [
  DiscordjsErrorCodes.CommandInteractionOptionNotFound,
  DiscordjsErrorCodes.CommandInteractionOptionType,
  DiscordjsErrorCodes.CommandInteractionOptionEmpty,
  DiscordjsErrorCodes.CommandInteractionOptionNoSubcommand,
  DiscordjsErrorCodes.CommandInteractionOptionNoSubcommandGroup,
  DiscordjsErrorCodes.ModalSubmitInteractionFieldNotFound,
  DiscordjsErrorCodes.ModalSubmitInteractionFieldType,
  DiscordjsErrorCodes.ModalSubmitInteractionFieldEmpty,
  DiscordjsErrorCodes.ModalSubmitInteractionFieldInvalidChannelType,
];

function isIncomplete(error: unknown): boolean {
  return error instanceof Error && 'code' in error && INCOMPLETE.includes(error.code);
}

function catalogSentence(error: CatalogError, translator: Translator): string {
  if (error instanceof CatalogQuotaSpentError) {
    return translator.t('catalog.quotaSpent', { at: timestamp(error.resetsAtMs, 'R') });
  }
  if (error instanceof CatalogRateLimitedError) return translator.t('catalog.busy');
  if (error instanceof CatalogHttpError && (error.status === 401 || error.status === 403)) {
    return translator.t('catalog.refusesKey');
  }
  if (error instanceof CatalogHttpError && !error.retryable) return translator.t('catalog.doesNotKnow');
  return translator.t('catalog.silent');
}
