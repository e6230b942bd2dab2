/** The items by a value of theirs, each group in the order of the items. */
export function groupedBy<T, Group>(items: Iterable<T>, groupOf: (item: T) => Group): Map<Group, T[]> {
  const groups = new Map<Group, T[]>();
  for (const item of items) {
    const group = groupOf(item);
    const own = groups.get(group);
    if (own) own.push(item);
    else groups.set(group, [item]);
  }
  return groups;
}
