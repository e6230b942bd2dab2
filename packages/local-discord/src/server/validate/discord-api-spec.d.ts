/** Types for the package's schemas, which come without any: only those that local Discord and its tests use. */
declare module 'discord-api-spec/zod' {
  export type Schema = import('zod/mini').ZodMiniType;
  export const ApplicationCommandCreateRequestSchema: Schema;
  export const ApplicationCommandPatchRequestPartialSchema: Schema;
  export const ExternalScheduledEventCreateRequestSchema: Schema;
  export const ExternalScheduledEventPatchRequestPartialSchema: Schema;
  export const InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema: Schema;
  export const InteractionApplicationCommandAutocompleteCallbackNumberDataSchema: Schema;
  export const InteractionApplicationCommandAutocompleteCallbackStringDataSchema: Schema;
  export const MessageCreateRequestSchema: Schema;
  export const MessageEditRequestPartialSchema: Schema;
  export const MessageResponseSchema: Schema;
  export const ModalInteractionCallbackRequestDataSchema: Schema;
}
