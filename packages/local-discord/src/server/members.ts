/** A member, as far as a search for one reads it. */
export interface NamedMember {
  nick?: string | null | undefined;
  user: { id: string; username: string };
}

/** Whether a member's name or nickname begins with what is searched for, without regard to case; '' finds everybody. */
export function isNamed({ nick, user }: NamedMember, query: string): boolean {
  return [user.username, nick ?? ''].some((name) => name.toLowerCase().startsWith(query.toLowerCase()));
}
