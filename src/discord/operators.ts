import { type Client, Routes, type User } from 'discord.js';
import { type APIApplication, type APIUser, TeamMemberMembershipState, TeamMemberRole } from 'discord-api-types/v10';
import { UserError } from '../shared/errors.ts';
import { message } from './i18n/translator.ts';

/** A person's rights over the bot itself: a team's read-only members may look. */
export type OperatorRight = 'read' | 'act';

/**
 * Asks Discord who owns the application.
 * @throws UserError where the person is neither the owner nor in the owning team, may only look, or Discord doesn't say
 */
export async function requireOperator(
  { client, person }: { client: Client; person: User },
  right: OperatorRight,
): Promise<void> {
  const application = (await client.rest.get(Routes.currentApplication()).catch((cause: unknown) => {
    throw new UserError(message('owner.unknown'), { cause });
  })) as Pick<APIApplication, 'team'> & { owner?: Pick<APIUser, 'id'> };
  const rights = rightsOf(application, person.id);
  if (!rights.includes('read')) throw new UserError(message('owner.others'));
  if (!rights.includes(right)) throw new UserError(message('owner.readOnly'));
}

/** An application belongs to a person or to a team, for which Discord names a placeholder as the owner. */
export function rightsOf(
  { owner, team }: Pick<APIApplication, 'team'> & { owner?: Pick<APIUser, 'id'> },
  personId: string,
): readonly OperatorRight[] {
  if (!team) return owner?.id === personId ? ['read', 'act'] : [];
  if (team.owner_user_id === personId) return ['read', 'act'];
  const member = team.members.find(({ user }) => user.id === personId);
  if (member?.membership_state !== TeamMemberMembershipState.Accepted) return [];
  return member.role === TeamMemberRole.ReadOnly ? ['read'] : ['read', 'act'];
}
