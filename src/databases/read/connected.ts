import { type BoundedCache, keptPerForeign, keptPerNumber } from "../../base/memo.ts";
import { defaultLogger, type Logger } from "../../definition/logger.ts";
import { describe } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { ForgivenCells, ForgivenColumn } from "../columns/table-columns.ts";
import { type AnyKysely, synchronousReaderOf } from "../connection/synchronous-reader.ts";
import type { DialectProfile } from "../forms/dialect-profile.ts";
import { PlacedTables } from "../placement/placed-tables.ts";
import { NO_POSITIONS } from "../placement/refusals.ts";
import { spreadProfile } from "../placement/spread-profile.ts";
import { JoinComparisons } from "../translate/relation.ts";
import { dialectName, findDialectProfile } from "./find-dialect-profile.ts";
import { ObjectNumbers } from "./object-numbers.ts";
import { SqlRows } from "./sql-rows.ts";
import type { StatementCache } from "./statement-cache.ts";
import { TableLayout } from "./table-layout.ts";

/** The state of one Kysely instance. */
export interface Connected {
  readonly db: AnyKysely;
  readonly rows: SqlRows;
  readonly profile: DialectProfile;
  /** By base query and columns: applications may make a source per request, but with few different queries. */
  readonly caches: WeakMap<EntityTypeDeclaration, BoundedCache<string, StatementCache>>;
  /** Numbers the conversion functions of its sets. */
  readonly functions: ObjectNumbers;
  readonly unreadable: UnreadableLog;
  /** The tables that schema checks have read. */
  readonly layout: TableLayout;
  /** How the database compares joins along foreign keys. */
  readonly comparisons: JoinComparisons;
  /** Used if the rows are on several machines. */
  readonly placedTables: PlacedTables;
}

/** The unchecked options that select the state of a database. */
interface ConnectionOptions {
  readonly db: AnyKysely;
  /** Whether the rows of the database are on several machines. */
  readonly isSpread: boolean;
  readonly readFrom: unknown;
  readonly replicaWait: unknown;
}

/** The milliseconds for which reads wait for a replica if the declaration does not say. */
const REPLICA_WAIT = 500;

/**
 * Returns the state of a database: of one on several machines, or with another replica, it is another one, so sets that
 * differ in these options share no statements, as if their databases differed. Connects to nothing.
 * @returns null after a fault
 */
export function connectionOf(options: ConnectionOptions, report: ReportFault): Connected | null {
  const { db, isSpread, readFrom, replicaWait = REPLICA_WAIT } = options;
  if (!checkReplica(options, report)) return null;
  const connected = connectedTo(db, isSpread, readFrom, replicaWait);
  if (connected !== null) return connected;
  const message = `${dialectName(db)} is not supported by this version.`;
  report(message, "Use SQLite (sqliteDialect of odatakit/sqlite), PostgreSQL or MariaDB.");
  return null;
}

function connectedTo(db: AnyKysely, isSpread: boolean, readFrom: unknown, wait: unknown): Connected | null {
  if (isKysely(readFrom)) return replicatedConnection(db)(readFrom)(Number(wait));
  return isSpread ? spreadConnection(db) : usualConnection(db);
}

const usualConnection = keptPerForeign((db: AnyKysely) => connect(db, false, null));
const spreadConnection = keptPerForeign((db: AnyKysely) => connect(db, true, null));
const replicatedConnection = keptPerForeign((db: AnyKysely) =>
  keptPerForeign((readFrom: AnyKysely) => keptPerNumber((wait: number) => connect(db, false, { db: readFrom, wait }))),
);

/** The replica of a database, and the milliseconds for which reads wait for it. */
interface Replica {
  readonly db: AnyKysely;
  readonly wait: number;
}

function connect(db: AnyKysely, isSpread: boolean, replica: Replica | null): Connected | null {
  const found = findDialectProfile(db);
  if (found === null) return null;
  const profile = isSpread ? spreadProfile(found) : found;
  const copy = replica === null ? null : { rows: new SqlRows(replica.db, null, profile), wait: replica.wait };
  const rows = new SqlRows(db, synchronousReaderOf(db), profile, copy);
  return {
    db,
    profile,
    rows,
    layout: new TableLayout(),
    comparisons: new JoinComparisons(),
    caches: new WeakMap(),
    functions: new ObjectNumbers(),
    unreadable: new UnreadableLog(),
    placedTables: new PlacedTables(),
  };
}

/** @returns false after a fault */
function checkReplica({ db, isSpread, readFrom, replicaWait }: ConnectionOptions, report: ReportFault): boolean {
  if (readFrom === undefined) {
    if (replicaWait === undefined) return true;
    report("`replicaWait` has no effect without `readFrom`.", "Also give `readFrom`, or remove `replicaWait`.");
    return false;
  }
  const fault = replicaFault(db, isSpread, readFrom) ?? waitFault(replicaWait);
  if (fault === null) return true;
  report(...fault);
  return false;
}

type Fault = readonly [message: string, fix: string];

function replicaFault(db: AnyKysely, isSpread: boolean, readFrom: unknown): Fault | null {
  if (!isKysely(readFrom)) return ["`readFrom` is not a Kysely instance.", "Give the Kysely instance of the replica."];
  if (readFrom === db || readFrom.getExecutor().adapter === db.getExecutor().adapter) {
    return ["`readFrom` is the same database as `db`.", "Give the Kysely instance of a replica, or remove `readFrom`."];
  }
  if (isSpread) return NO_POSITIONS;
  for (const [name, given] of [
    ["db", db],
    ["readFrom", readFrom],
  ] as const) {
    const profile = findDialectProfile(given);
    if (profile?.positions === true) continue;
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

/** The longest wait, in milliseconds. */
const MOST_WAIT = 60_000;

/** Whether a value is a Kysely instance. */
export function isKysely(db: unknown): db is AnyKysely {
  return typeof db === "object" && db !== null && "getExecutor" in db && typeof db.getExecutor === "function";
}

/** Milliseconds in which one column is logged once. */
const INTERVAL = 60_000;

/** The records of one column. */
interface Reported {
  /** When the last record was written. */
  at: number;
  /** The cells since then. */
  further: number;
}

/** Logs cells that cannot be read and are null in responses: for each column at once, then at most once a minute. */
export class UnreadableLog implements ForgivenCells {
  readonly #loggers = new Set<Logger>();
  readonly #columns = new Map<string, Reported>();

  /** Logs to the logger of a service, too. Without one, the console receives the records. */
  logTo(logger: Logger): void {
    this.#loggers.add(logger);
  }

  report(table: string | undefined, forgiven: ForgivenColumn, key: readonly unknown[], error: unknown): void {
    const { name: column, nullable } = forgiven;
    const name = JSON.stringify([table, column]);
    const known = this.#columns.get(name);
    const now = Date.now();
    if (known !== undefined && now - known.at < INTERVAL && now >= known.at) {
      known.further += 1;
      return;
    }
    this.#columns.set(name, { at: now, further: 0 });
    const message = `A cell of the column ${column}${table === undefined ? "" : ` of ${table}`} cannot be read: the response contains null, or an empty collection.`;
    // Loggers write JSON, which has no bigint.
    const shown = key.map((part) => (typeof part === "bigint" ? String(part) : part));
    const fields = {
      table,
      column,
      key: shown,
      further: known?.further ?? 0,
      err: error,
      ...(nullable ? {} : { nullable }),
    };
    for (const logger of this.#loggers.size === 0 ? [defaultLogger] : this.#loggers) logger.warn(message, fields);
  }
}
