/** An error of PostgreSQL, with the fields that Citus passes on. */
interface ShardError extends Error {
  readonly where?: unknown;
  readonly table?: unknown;
  readonly constraint?: unknown;
}

/** Citus passes on the message of a machine without its fields, and adds where it ran. */
const ON_MACHINE = /^while executing command on /m;

/** The number of a shard at the end of a name. Citus counts from 102008. */
const SHARD = /_\d{6,}$/;

/**
 * Returns the name of a table, an index or a constraint as it was declared: Citus adds the number of a shard.
 * Names that it has shortened keep a hash.
 * @param error the error that contains the name
 */
export function withoutShard(name: string, error: Error): string {
  return isOfShard(error) ? name.replace(SHARD, "") : name;
}

/** The number of the shard in the message of a violated check. */
const CHECKED_SHARD = /^new row for relation "[^"]*(_\d{6,})" /;

/** Returns the name of a check as it was declared: only one that was added to shards has the number of its shard. */
export function checkWithoutShard(name: string, error: Error): string {
  const [, number] = CHECKED_SHARD.exec(error.message) ?? [];
  return number !== undefined && isOfShard(error) && name.endsWith(number) ? name.slice(0, -number.length) : name;
}

/** Whether an error is about a shard: it comes from another machine, or its table and its constraint have the number of one. */
export function isOfShard(error: Error): boolean {
  const { where, table, constraint }: ShardError = error;
  if (typeof where === "string" && ON_MACHINE.test(where)) return true;
  const [number] = SHARD.exec(String(table)) ?? [];
  return number !== undefined && String(constraint).endsWith(number);
}
