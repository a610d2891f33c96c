import { describe } from "../../definition/option-table.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import { type AnyKysely, isKysely } from "../connection/synchronous-reader.ts";
import { dialectName, findDatabase } from "../kinds/find-database.ts";
import { NO_POSITIONS } from "../placement/refusals.ts";

/** The options for reads from another server. */
export interface ReplicaOptions {
  /**
   * The Kysely instance of one streaming replica of `db`, for PostgreSQL: requests that only read use it. Sets with the same
   * `db` must agree.
   * @see docs/guides/replicas.md
   */
  readonly readFrom?: AnyKysely | undefined;
  /**
   * The milliseconds for which a read after a write waits until the replica shows that write; then it reads `db`. Default 500.
   */
  readonly replicaWait?: number | undefined;
}

/** The same options, unchecked. */
export type UncheckedReplica = { readonly [Option in keyof ReplicaOptions]?: unknown };

/** The names of the options. */
export const REPLICA_OPTIONS: readonly ["readFrom", "replicaWait"] = ["readFrom", "replicaWait"];

/** The replica of a database, and the milliseconds for which reads wait for it. */
export interface Replica {
  readonly db: AnyKysely;
  readonly wait: number;
}

/** The milliseconds for which reads wait if the declaration does not say. */
const USUAL_WAIT = 500;

/** The longest wait, in milliseconds. */
const MOST_WAIT = 60_000;

/** The database whose replica is declared. */
interface Primary {
  readonly db: AnyKysely;
  /** Whether its rows are on several machines. */
  readonly isSpread: boolean;
}

/**
 * Checks the options of a database.
 * @param report receives a fault
 * @returns null without a replica, undefined after a fault
 */
export function readReplica(
  primary: Primary,
  { readFrom, replicaWait }: UncheckedReplica,
  report: ReportFault,
): Replica | null | undefined {
  if (readFrom === undefined) {
    if (replicaWait === undefined) return null;
    report("`replicaWait` has no effect without `readFrom`.", "Also give `readFrom`, or remove `replicaWait`.");
    return undefined;
  }
  const fault = databaseFault(primary, readFrom) ?? waitFault(replicaWait);
  if (fault !== null) report(...fault);
  if (fault !== null || !isKysely(readFrom)) return undefined;
  return { db: readFrom, wait: Number(replicaWait ?? USUAL_WAIT) };
}

type Fault = readonly [message: string, fix: string];

function databaseFault({ db, isSpread }: Primary, readFrom: unknown): Fault | null {
  if (!isKysely(readFrom)) return ["`readFrom` is not a Kysely instance.", "Give the Kysely instance of the replica."];
  if (readFrom === db || readFrom.getExecutor().adapter === db.getExecutor().adapter) {
    return ["`readFrom` is the same database as `db`.", "Give the Kysely instance of a replica, or remove `readFrom`."];
  }
  if (isSpread) return NO_POSITIONS;
  for (const [name, given] of [
    ["db", db],
    ["readFrom", readFrom],
  ] as const) {
    const profile = findDatabase(given);
    if (profile?.session.positions === true) continue;
    const message = `\`${name}\` is ${profile?.name ?? dialectName(given)}, but \`readFrom\` needs a streaming replica of PostgreSQL.`;
    return [message, "Remove `readFrom`: other databases do not report whether a replica already shows a write."];
  }
  return null;
}

function waitFault(replicaWait: unknown): Fault | null {
  if (replicaWait === undefined) return null;
  if (Number.isSafeInteger(replicaWait) && Number(replicaWait) >= 0 && Number(replicaWait) <= MOST_WAIT) return null;
  return [`\`replicaWait\` is ${describe(replicaWait)}.`, `Give whole milliseconds from 0 to ${String(MOST_WAIT)}.`];
}

/** Reports the options for a set with a database per tenant, which has no replica. */
export function refuseReplica({ readFrom, replicaWait }: UncheckedReplica, report: ReportFault): void {
  if (readFrom !== undefined) {
    report("`readFrom` cannot be combined with a database per tenant.", "Remove it, or give one `db`.");
  }
  if (replicaWait !== undefined) {
    report("`replicaWait` has no effect without `readFrom`.", "Remove it.");
  }
}
