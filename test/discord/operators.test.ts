import type { Client, User } from 'discord.js';
import { type APITeamMember, TeamMemberMembershipState, TeamMemberRole } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { type OperatorRight, requireOperator } from '../../src/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';

const { Accepted, Invited } = TeamMemberMembershipState;
const member = (id: string, membership_state: TeamMemberMembershipState, role: TeamMemberRole) =>
  ({ user: { id }, membership_state, role }) as APITeamMember;

/** The rights that a person turns out to have where Discord says this of the application. */
async function rightsOf(application: object, personId: string): Promise<OperatorRight[]> {
  const client = { rest: { get: async () => application } } as unknown as Client;
  const rights: OperatorRight[] = [];
  for (const right of ['read', 'act'] as const) {
    await requireOperator({ client, person: { id: personId } as User }, right).then(
      () => rights.push(right),
      (error: unknown) => expect(error).toBeInstanceOf(UserError),
    );
  }
  return rights;
}

test('a person’s application is that person’s alone', async () => {
  const application = { owner: { id: '1' }, team: null };
  expect(await rightsOf(application, '1')).toEqual(['read', 'act']);
  expect(await rightsOf(application, '2')).toEqual([]);
  expect(await rightsOf({ team: null }, '1')).toEqual([]);
});

test.each([
  ['the team’s owner', '1', ['read', 'act']],
  ['an admin', '2', ['read', 'act']],
  ['a developer', '3', ['read', 'act']],
  ['a member who may only read', '4', ['read']],
  ['a person who is invited', '5', []],
  ['anybody else', '6', []],
  ['the placeholder that Discord names as the owner', '9', []],
])('of a team’s application, %s has the rights %s: %j', async (_, personId, rights) => {
  const members = [
    member('2', Accepted, TeamMemberRole.Admin),
    member('3', Accepted, TeamMemberRole.Developer),
    member('4', Accepted, TeamMemberRole.ReadOnly),
    member('5', Invited, TeamMemberRole.Admin),
  ];
  const team = { id: '7', icon: null, name: 'Deals', owner_user_id: '1', members };
  expect(await rightsOf({ owner: { id: '9' }, team }, personId)).toEqual(rights);
});
