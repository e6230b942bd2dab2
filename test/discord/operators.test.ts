import { type APITeamMember, TeamMemberMembershipState, TeamMemberRole } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { rightsOf } from '../../src/discord/permissions.ts';

const { Accepted, Invited } = TeamMemberMembershipState;
const member = (id: string, membership_state: TeamMemberMembershipState, role: TeamMemberRole) =>
  ({ user: { id }, membership_state, role }) as APITeamMember;

test('a person’s application is that person’s alone', () => {
  const application = { owner: { id: '1' }, team: null };
  expect(rightsOf(application, '1')).toEqual(['read', 'act']);
  expect(rightsOf(application, '2')).toEqual([]);
  expect(rightsOf({ team: null }, '1')).toEqual([]);
});

test.each([
  ['the team’s owner', '1', ['read', 'act']],
  ['an admin', '2', ['read', 'act']],
  ['a developer', '3', ['read', 'act']],
  ['a member who may only read', '4', ['read']],
  ['a person who is invited', '5', []],
  ['anybody else', '6', []],
  ['the placeholder that Discord names as the owner', '9', []],
])('of a team’s application, %s has the rights %s: %j', (_, personId, rights) => {
  const members = [
    member('2', Accepted, TeamMemberRole.Admin),
    member('3', Accepted, TeamMemberRole.Developer),
    member('4', Accepted, TeamMemberRole.ReadOnly),
    member('5', Invited, TeamMemberRole.Admin),
  ];
  const team = { id: '7', icon: null, name: 'Deals', owner_user_id: '1', members };
  expect(rightsOf({ owner: { id: '9' }, team }, personId)).toEqual(rights);
});
