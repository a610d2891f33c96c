import { type Context, readingOf, type RuleContext } from "../../definition/context.ts";
import { isConnectionLost } from "../dialects/connection-lost.ts";
import type { SqlReader } from "../read/sql-reader.ts";

/**
 * Runs a write of a database with a replica: the request reads the primary from then on, and its response reports the
 * position after the write. A write that fails is undone, except that a lost connection leaves it uncertain.
 */
export async function noteWrite<T>(
  { rows }: Pick<SqlReader, "rows">,
  context: RuleContext | undefined,
  write: () => Promise<T>,
): Promise<T> {
  const { replicated } = rows;
  // The types show a part of the context.
  const reading = readingOf(context as Context | undefined);
  if (replicated === null || reading === undefined || reading === null) return write();
  reading.pin();
  try {
    const result = await write();
    reading.noteWrite(replicated);
    return result;
  } catch (error) {
    if (isConnectionLost(error)) reading.noteWrite(replicated);
    throw error;
  }
}
