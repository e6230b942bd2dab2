import type {
  APIApplication,
  APIDMChannel,
  APIGuild,
  APIGuildForumChannel,
  APIGuildMember,
  APINewsChannel,
  APIRole,
  APITextChannel,
  APIThreadChannel,
  APIUser,
  APIWebhook,
  APIWebhookSourceChannel,
  APIWebhookSourceGuild,
} from 'discord-api-types/v10';
import { CHANNEL, PERMISSION, REQUIRE_TAG } from './numbers.ts';
import type { PageEvent } from './page-api.ts';

/** A channel of the server, a thread included. */
export type GuildChannel = APITextChannel | APINewsChannel | APIGuildForumChannel | APIThreadChannel;

export type WorldChannel = GuildChannel | APIDMChannel;

/**
 * Ids that never change, so that a bot's settings can name them before it has seen the server. They are earlier than
 * any id that the clock can make.
 */
export const IDS = {
  guild: '1100000000000000001',
  application: '1100000000000000002',
  ada: '1100000000000000003',
  ben: '1100000000000000004',
  cleo: '1100000000000000005',
  deals: '1100000000000000011',
  announcements: '1100000000000000012',
  forum: '1100000000000000013',
  botRole: '1100000000000000021',
  managers: '1100000000000000022',
  dealHunters: '1100000000000000023',
  forumTagDeal: '1100000000000000031',
  forumTagDealcast: '1100000000000000032',
} as const;

/** The types of flags declare a name for each flag, and none for zero. */
export const NO_FLAGS = 0 as number;

/**
 * The only bot token that is accepted. It gives access to nothing but this server, on this machine. Libraries read the
 * application's id from its first part.
 */
export const LOCAL_TOKEN = `${Buffer.from(IDS.application).toString('base64url')}.local.discord`;

const JOINED_AT = '2026-01-01T00:00:00.000000+00:00';

/** The user of the application with this name. */
export function botUser(name: string): APIUser {
  return user(IDS.application, name.toLowerCase().replaceAll(/[^a-z0-9._]/g, '') || 'bot', name, true);
}

export const ADA: APIUser = user(IDS.ada, 'ada', 'Ada', false);
export const BEN: APIUser = user(IDS.ben, 'ben', 'Ben', false);
export const CLEO: APIUser = user(IDS.cleo, 'cleo', 'Cleo', false);

export function user(id: string, username: string, globalName: string | null, bot: boolean): APIUser {
  return {
    id,
    username,
    discriminator: '0',
    global_name: globalName,
    avatar: null,
    banner: null,
    accent_color: null,
    public_flags: NO_FLAGS,
    flags: NO_FLAGS,
    primary_guild: null,
    ...(bot && { bot }),
  };
}

export function role(
  id: string,
  name: string,
  position: number,
  permissions: bigint,
  more: Partial<APIRole> = {},
): APIRole {
  return {
    id,
    name,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position,
    permissions: permissions.toString(),
    managed: false,
    mentionable: false,
    flags: NO_FLAGS,
    ...more,
  };
}

const TALKING =
  PERMISSION.viewChannel |
  PERMISSION.sendMessages |
  PERMISSION.embedLinks |
  PERMISSION.attachFiles |
  PERMISSION.readMessageHistory |
  PERMISSION.addReactions |
  PERMISSION.sendPolls |
  PERMISSION.useApplicationCommands |
  PERMISSION.createPublicThreads |
  PERMISSION.sendMessagesInThreads;

function botRole(id: string, position: number, { username, global_name }: APIUser): APIRole {
  const permissions =
    TALKING |
    PERMISSION.manageMessages |
    PERMISSION.manageRoles |
    PERMISSION.pinMessages |
    PERMISSION.createEvents |
    PERMISSION.manageWebhooks;
  return role(id, global_name ?? username, position, permissions, { managed: true, tags: { bot_id: IDS.application } });
}

const MANAGING =
  PERMISSION.manageGuild |
  PERMISSION.manageChannels |
  PERMISSION.manageMessages |
  PERMISSION.pinMessages |
  PERMISSION.createEvents |
  PERMISSION.manageEvents |
  PERMISSION.manageWebhooks;

/** The roles of the first server, the bot's own among them. */
export const firstRoles = (bot: APIUser): readonly APIRole[] => [
  role(IDS.guild, '@everyone', 0, TALKING),
  role(IDS.dealHunters, 'Deal Hunters', 1, 0n, { mentionable: true }),
  role(IDS.managers, 'Managers', 2, MANAGING),
  botRole(IDS.botRole, 3, bot),
];

function member(of: APIUser, roles: string[]): APIGuildMember {
  return {
    user: of,
    nick: null,
    avatar: null,
    banner: null,
    roles,
    joined_at: JOINED_AT,
    premium_since: null,
    deaf: false,
    mute: false,
    pending: false,
    communication_disabled_until: null,
    flags: NO_FLAGS,
  };
}

export const firstMembers = (bot: APIUser): readonly (readonly [id: string, member: APIGuildMember])[] => [
  [IDS.application, member(bot, [IDS.botRole])],
  [IDS.ada, member(ADA, [IDS.managers])],
  [IDS.ben, member(BEN, [])],
  [IDS.cleo, member(CLEO, [IDS.dealHunters])],
];

/** A server, with what its members and roles are there. */
export interface Guild {
  guild: APIGuild;
  readonly roles: Map<string, APIRole>;
  readonly members: Map<string, APIGuildMember>;
  /** The scheduled events, those that are over too. */
  readonly events: Map<string, PageEvent>;
}

/** A webhook that brings what an announcement channel publishes: its channel follows that one. */
export interface FollowerWebhook extends APIWebhook {
  guild_id: string;
  channel_id: string;
  name: string;
  source_guild: APIWebhookSourceGuild;
  source_channel: APIWebhookSourceChannel & { name: string };
}

/** A webhook by which whoever has its token posts in its channel. */
export interface IncomingWebhook extends APIWebhook {
  guild_id: string;
  channel_id: string;
  name: string;
  token: string;
}

export type WorldWebhook = FollowerWebhook | IncomingWebhook;

/** Discord's published form has these; no documentation does. */
const UNDOCUMENTED = { home_header: null, nsfw: false };

export const GUILD: APIGuild = {
  ...UNDOCUMENTED,
  id: IDS.guild,
  name: 'Bargain Corner',
  icon: null,
  icon_hash: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  description: null,
  owner_id: IDS.ada,
  region: 'deprecated',
  afk_channel_id: null,
  afk_timeout: 300,
  widget_enabled: false,
  widget_channel_id: null,
  verification_level: 0,
  default_message_notifications: 1,
  explicit_content_filter: 0,
  roles: [],
  emojis: [],
  stickers: [],
  features: ['COMMUNITY', 'NEWS'] as APIGuild['features'],
  mfa_level: 0,
  application_id: null,
  system_channel_id: null,
  system_channel_flags: NO_FLAGS,
  rules_channel_id: null,
  max_presences: null,
  max_members: 500_000,
  max_stage_video_channel_users: 50,
  max_video_channel_users: 25,
  vanity_url_code: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  preferred_locale: 'en-US' as APIGuild['preferred_locale'],
  public_updates_channel_id: null,
  nsfw_level: 0,
  premium_progress_bar_enabled: false,
  hub_type: null,
  safety_alerts_channel_id: null,
  incidents_data: null,
};

/**
 * Makes another server of Ada's, in which all people are members, without channels.
 * @param botRoleId the role with the bot's permissions; null for a server that the bot is not in
 */
export function newGuild(id: string, name: string, bot: APIUser, botRoleId: string | null): Guild {
  const roles = [role(id, '@everyone', 0, TALKING), ...(botRoleId === null ? [] : [botRole(botRoleId, 1, bot)])];
  const rolesOf = (of: APIUser) => (of.bot && botRoleId !== null ? [botRoleId] : []);
  const members = firstMembers(bot).filter(([, { user: who }]) => !who.bot || botRoleId !== null);
  return {
    guild: { ...GUILD, id, name, roles },
    roles: new Map(roles.map((one) => [one.id, one])),
    members: new Map(members.map(([of, { user: who }]) => [of, member(who, rolesOf(who))])),
    events: new Map(),
  };
}

/** Makes a channel, without messages; of the first server where none is given. */
export function newChannel<Type extends number>(given: {
  id: string;
  type: Type;
  name: string;
  position: number;
  topic?: string;
  guild_id?: string;
}) {
  const nothing = {
    permission_overwrites: [],
    nsfw: false,
    parent_id: null,
    flags: 0,
    topic: null,
    last_message_id: null,
  };
  return { guild_id: IDS.guild, ...nothing, ...given };
}

/** Makes a forum of the server, with tags and without posts. */
export function newForum(
  given: { id: string; name: string; position: number; topic?: string; guild_id?: string },
  tags: readonly { id: string; name: string; emoji_name?: string }[],
  requiresTag = false,
): APIGuildForumChannel {
  return {
    ...newChannel({ ...given, type: CHANNEL.forum }),
    flags: requiresTag ? REQUIRE_TAG : 0,
    default_reaction_emoji: null,
    default_sort_order: null,
    default_forum_layout: 0,
    available_tags: tags.map((tag) => ({ moderated: false, emoji_id: null, emoji_name: null, ...tag })),
  };
}

export function firstChannels(): GuildChannel[] {
  return [
    newChannel({ id: IDS.deals, type: CHANNEL.text, name: 'deals', position: 0, topic: 'New deals' }),
    newChannel({
      id: IDS.announcements,
      type: CHANNEL.announcement,
      name: 'announcements',
      position: 1,
      topic: 'Deals for everyone who follows this channel',
    }),
    newForum({ id: IDS.forum, name: 'forum', position: 2, topic: 'One post per deal' }, [
      { id: IDS.forumTagDeal, name: 'Deal', emoji_name: '🏷️' },
      { id: IDS.forumTagDealcast, name: 'Dealcast', emoji_name: '📣' },
    ]),
  ];
}

/** The application, as GET /applications/@me and /oauth2/applications/@me return it. */
export const applicationOf = (bot: APIUser) =>
  ({
    id: IDS.application,
    name: bot.global_name ?? bot.username,
    icon: null,
    description: '',
    summary: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '',
    flags: NO_FLAGS,
    flags_new: '0',
    type: null,
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: [],
    team: null,
    owner: ADA,
    approximate_guild_count: 1,
    bot,
  }) satisfies Partial<APIApplication> & Record<string, unknown>;
