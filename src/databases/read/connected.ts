import { type BoundedCache, keptPerForeign, keptPerNumber } from "../../base/memo.ts";
import { defaultLogger, type Logger } from "../../definition/logger.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { ForgivenCells, ForgivenColumn } from "../columns/table-columns.ts";
import { type AnyKysely, synchronousReaderOf } from "../connection/synchronous-reader.ts";
import type { Database } from "../forms/database.ts";
import { dialectName, findDatabase } from "../kinds/find-database.ts";
import { PlacedTables } from "../placement/placed-tables.ts";
import { spreadProfile } from "../placement/spread-profile.ts";
import type { Replica } from "../replicas/replica-option.ts";
import { JoinComparisons } from "../translate/relation.ts";
import { KeptStatements } from "./kept-statements.ts";
import { SqlRows } from "./sql-rows.ts";
import type { StatementCache } from "./statement-cache.ts";
import { TableLayout } from "./table-layout.ts";

/** The state of one Kysely instance. */
export interface Connected {
  readonly db: AnyKysely;
  readonly rows: SqlRows;
  readonly profile: Database;
  /** By base query and columns: applications may make a source per request, but with few different queries. */
  readonly caches: WeakMap<EntityTypeDeclaration, BoundedCache<string, StatementCache>>;
  readonly kept: KeptStatements;
  readonly unreadable: UnreadableLog;
  /** The tables that schema checks have read. */
  readonly layout: TableLayout;
  /** How the database compares joins along foreign keys. */
  readonly comparisons: JoinComparisons;
  /** Used if the rows are on several machines. */
  readonly placedTables: PlacedTables;
}

/** The database of some sets. */
interface Connection {
  readonly db: AnyKysely;
  /** Whether its rows are on several machines. */
  readonly isSpread: boolean;
  /** Another server for reads; null for none. */
  readonly readFrom: Replica | null;
}

/**
 * Returns the state of a database: of one on several machines, or with other reads, it is another one, so sets that differ in
 * these options share no statements, as if their databases differed. Connects to nothing.
 * @returns null after a fault
 */
export function connectionOf({ db, isSpread, readFrom }: Connection, report: ReportFault): Connected | null {
  const usual = isSpread ? spreadConnection : usualConnection;
  const connected = readFrom === null ? usual(db) : dividedConnection(db)(readFrom.db)(readFrom.wait);
  if (connected !== null) return connected;
  const message = `${dialectName(db)} is not supported by this version.`;
  report(message, "Use SQLite (sqliteDialect of odatakit/sqlite), PostgreSQL or MariaDB.");
  return null;
}

const usualConnection = keptPerForeign((db: AnyKysely) => connect({ db, isSpread: false, readFrom: null }));
const spreadConnection = keptPerForeign((db: AnyKysely) => connect({ db, isSpread: true, readFrom: null }));
const dividedConnection = keptPerForeign((db: AnyKysely) =>
  keptPerForeign((other: AnyKysely) =>
    keptPerNumber((wait: number) => connect({ db, isSpread: false, readFrom: { db: other, wait } })),
  ),
);

function connect({ db, isSpread, readFrom }: Connection): Connected | null {
  const found = findDatabase(db);
  if (found === null) return null;
  const profile = isSpread ? spreadProfile(found) : found;
  const copy = readFrom === null ? null : { rows: new SqlRows(readFrom.db, null, profile), wait: readFrom.wait };
  const rows = new SqlRows(db, synchronousReaderOf(db), profile, copy);
  return {
    db,
    profile,
    rows,
    layout: new TableLayout(),
    comparisons: new JoinComparisons(),
    caches: new WeakMap(),
    kept: new KeptStatements(),
    unreadable: new UnreadableLog(),
    placedTables: new PlacedTables(),
  };
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
