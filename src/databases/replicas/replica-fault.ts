import { isConnectionLost } from "../kinds/connection-lost.ts";
import { databaseFault, isOutdated } from "../kinds/database-fault.ts";

/** Why a replica failed where its primary may succeed: it cannot be reached, or it cannot run this statement now. */
export type ReplicaFault = "unreachable" | "refused";

/** Codes of PostgreSQL for a server that does not serve, or rejects logins. 3D000: the database does not exist yet. */
const UNREACHABLE = /^(?:08|28|3D|53|57P|58)/;

/**
 * Codes of PostgreSQL for a statement that replay cancels, for tables and columns that do not exist yet, for a function that
 * writes, and for faults of the server itself.
 * @see https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-CONFLICT
 */
const REFUSED = /^(?:25|3F|40|42|55|XX)/;

/** The length of the chain of causes to follow. */
const MAX_CAUSES = 5;

/**
 * Classifies the error of a statement on a replica.
 * @returns null for an error that the primary would have, too, and for a statement that was too slow
 */
export function replicaFault(error: unknown): ReplicaFault | null {
  if (isConnectionLost(error)) return "unreachable";
  if (isOutdated(error)) return "refused";
  const code = codeOf(error);
  if (code === undefined) return databaseFault(error)?.kind === "unavailable" ? "unreachable" : null;
  if (UNREACHABLE.test(code)) return "unreachable";
  return REFUSED.test(code) ? "refused" : null;
}

/** Returns the code that PostgreSQL gave an error, or one of its causes. */
function codeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    const code: unknown = "code" in current ? current.code : undefined;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}
