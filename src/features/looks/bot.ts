import { DiscordAPIError, type GuildMember, type GuildMemberEditMeOptions, RateLimitError } from 'discord.js';
import { ApplicationCommandOptionType, RESTJSONErrorCodes } from 'discord-api-types/v10';
import type { ChatRequest, Subcommand } from '../../../commands/shared.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { type BotView, botCard } from './cards.ts';
import { readPicture } from './picture.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const { Subcommand: SUBCOMMAND, String: TEXT, Boolean: FLAG, Attachment } = ApplicationCommandOptionType;

/** Discord's limit. @see https://discord.com/developers/docs/resources/guild#modify-current-member */
const MOST_NAME = 32;

/** How the bot itself looks in this server. Discord keeps it; the bot stores nothing. */
export const botLook: Subcommand = {
  data: {
    type: SUBCOMMAND,
    name: 'bot',
    ...described('command.look.bot'),
    options: [
      { type: TEXT, name: 'name', ...described('command.look.bot.name'), max_length: MOST_NAME },
      { type: Attachment, name: 'avatar', ...described('command.look.bot.avatar') },
      { type: Attachment, name: 'banner', ...described('command.look.bot.banner') },
      { type: FLAG, name: 'reset', ...described('command.look.bot.reset') },
    ],
  },

  async execute(request) {
    const { options, guild, t } = request;
    if (!guild) throw new UserError(message('permission.serverOnly'));
    const isReset = options.getBoolean('reset') === true;
    const wanted = options.data[0]?.options ?? [];
    const show = (member: GuildMember, lead: string) => botCard(viewOf(member, request), lead, request.cardContext);
    if (wanted.length === 0) return show(await guild.members.fetchMe(), '');
    // Reading a picture and Discord's check of it may take seconds; a person can't ask for that without end.
    request.spend();
    const changed = { ...(isReset && { nick: null, avatar: null, banner: null }), ...(await givenIn(request)) };
    if (Object.keys(changed).length === 0) return show(await guild.members.fetchMe(), '');
    const own = await guild.members.editMe(changed).catch((error: unknown) => {
      throw refusalOf(error) ?? error;
    });
    return show(own, t(isReset ? 'look.bot.wasReset' : 'look.bot.saved'));
  },
};

function viewOf(member: GuildMember, { options }: ChatRequest): BotView {
  return {
    name: member.displayName,
    has: { name: member.nickname !== null, avatar: member.avatar !== null, banner: member.banner !== null },
    avatar: options.getAttachment('avatar')?.url ?? null,
    banner: options.getAttachment('banner')?.url ?? null,
  };
}

async function givenIn({ options, client }: ChatRequest): Promise<GuildMemberEditMeOptions> {
  const name = options.getString('name')?.trim();
  const [avatar, banner] = [options.getAttachment('avatar'), options.getAttachment('banner')];
  const { api } = client.rest.options;
  return {
    ...(name && { nick: name }),
    ...(avatar && { avatar: await readPicture(avatar, api) }),
    ...(banner && { banner: await readPicture(banner, api) }),
  };
}

/** The sentence for an error of Discord's that the person can do something about; null for any other. */
function refusalOf(error: unknown): UserError | null {
  if (error instanceof RateLimitError) return new UserError(message('look.bot.tooOften'), { cause: error });
  if (!(error instanceof DiscordAPIError)) return null;
  if (error.code === RESTJSONErrorCodes.MissingPermissions) {
    return new UserError(message('look.bot.notAllowed'), { cause: error });
  }
  if (error.code !== RESTJSONErrorCodes.InvalidFormBodyOrContentType) return null;
  const isTooOften = JSON.stringify(error.rawError).includes('RATE_LIMIT');
  return new UserError(message(isTooOften ? 'look.bot.tooOften' : 'look.bot.refused'), { cause: error });
}
