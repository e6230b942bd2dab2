import type { APIAllowedMentions, APIUser } from 'discord-api-types/v10';
import type { Guild } from './seed.ts';

export interface Mentions {
  mentions: APIUser[];
  mention_roles: string[];
  mention_everyone: boolean;
}

/** Text in code shows mentions literally and pings nobody. */
const CODE = /```[\s\S]*?```|`[^`\n]+`/g;

/**
 * The users and roles that a message's text pings:
 * https://discord.com/developers/docs/resources/message#allowed-mentions-object
 * Without `allowed` every mention counts; `everyone` and roles that are not mentionable need the permission.
 */
export function resolveMentions(
  { members, roles: known }: Guild,
  text: string,
  allowed: APIAllowedMentions | undefined,
  mayMentionEveryone: boolean,
): Mentions {
  // Most texts mention nobody, so the patterns need not be tried on them.
  if (!text.includes('@')) return { mentions: [], mention_roles: [], mention_everyone: false };
  const plain = text.replace(CODE, '');
  const parsed: readonly string[] = allowed?.parse ?? [];
  const allows = (kind: 'users' | 'roles', id: string) =>
    !allowed || parsed.includes(kind) || (allowed[kind]?.includes(id) ?? false);
  const ids = (pattern: RegExp) => [...new Set([...plain.matchAll(pattern)].map((match) => match[1] ?? ''))];

  const mentions = ids(/<@!?(\d+)>/g)
    .filter((id) => allows('users', id))
    .flatMap((id) => members.get(id)?.user ?? []);
  const roles = ids(/<@&(\d+)>/g).filter((id) => {
    const role = known.get(id);
    return role !== undefined && (role.mentionable || mayMentionEveryone) && allows('roles', id);
  });
  const everyone = /@(everyone|here)\b/.test(plain) && mayMentionEveryone && (!allowed || parsed.includes('everyone'));
  return { mentions, mention_roles: roles, mention_everyone: everyone };
}
