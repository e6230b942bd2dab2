/** The package's schemas come without types; these are the ones that tests use. */
declare module 'discord-api-spec/zod' {
  export interface Schema {
    safeParse(value: unknown): { error?: { issues: { code: string }[] } };
  }
  export const ApplicationCommandResponseSchema: Schema;
  export const CreatedThreadResponseSchema: Schema;
  export const GatewayBotResponseSchema: Schema;
  export const GuildChannelResponseSchema: Schema;
  export const GuildMemberResponseSchema: Schema;
  export const GuildRoleResponseSchema: Schema;
  export const MessageCreateRequestSchema: Schema;
  export const MessageResponseSchema: Schema;
  export const UserResponseSchema: Schema;
  export const ApplicationCommandCreateRequestSchema: Schema;
}
