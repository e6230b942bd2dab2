/** The package's schemas come without types; these are the ones that tests use. */
declare module 'discord-api-spec/zod' {
  interface Schema {
    safeParse(value: unknown): { error?: { issues: unknown[] } };
  }
  export const MessageCreateRequestSchema: Schema;
  export const ApplicationCommandCreateRequestSchema: Schema;
}
