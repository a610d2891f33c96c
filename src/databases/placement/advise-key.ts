/** The property outside of the key of a set that decides on the machine of a row. */
interface BeyondKey {
  /** Null if it is not declared. */
  readonly field: string | null;
  /**
   * Its column, if clients do not see it and the set has a row rule: each user sees the rows with one value, so an index with it
   * makes the key unique. Empty: none.
   */
  readonly ruledColumns: readonly string[];
  /** The navigations that find rows by the key without that column, so that it makes no key unique. */
  readonly unpaired: readonly string[];
}

/**
 * Advises on a key that is not unique: a distributed database refuses a unique index without the distributing column.
 * @param statement makes a unique index on the key, and on `ruledColumns`
 */
export function adviseKey({ field, ruledColumns, unpaired }: BeyondKey, statement: string): string {
  if (field === null) {
    return `Add the property of the column that distributes the table to the key of the entity type, as primary keys of distributed tables contain it. If the key contains this column, add a primary key or a unique index: ${statement}.`;
  }
  if (unpaired.length > 0) {
    const navigations = unpaired.map((name) => `\`${name}\``).join(", ");
    return `Pair the property \`${field}\`, whose column distributes the table, in \`on\` or \`through\` of ${navigations}: without it, they lead to rows of other users that have the same key.`;
  }
  return ruledColumns.length === 0
    ? `Add the property \`${field}\`, whose column distributes the table, to the key of the entity type: primary keys and unique indexes of distributed tables contain this column.`
    : `Add this column to a primary key or a unique index with the key: ${statement}.`;
}
