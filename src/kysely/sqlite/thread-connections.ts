import type { DatabaseSync } from "node:sqlite";
import { PreparedStatements } from "./prepared-statement.ts";
import { openConnection, type SqliteSettings } from "./sqlite-database.ts";
import type { Watch } from "./watch.ts";

/** The most connections without a snapshot that wait for the next one. */
const MOST_IDLE = 2;

/** Pages of a table are read once, so a large cache would only fill memory: 2 MB. */
const SMALL_CACHE = "pragma cache_size = -2000";

interface Connection {
  readonly database: DatabaseSync;
  readonly statements: PreparedStatements<"arrays">;
}

/** The connections of a reader thread: one for single statements, and one for each snapshot. */
export class ThreadConnections {
  readonly #settings: SqliteSettings;
  readonly #watch: Watch;
  readonly #usual: PreparedStatements<"arrays">;
  readonly #snapshots = new Map<number, Connection>();
  readonly #idle: Connection[] = [];

  constructor(settings: SqliteSettings, watch: Watch) {
    this.#settings = settings;
    this.#watch = watch;
    this.#usual = this.#open().statements;
  }

  /**
   * Returns the statements of a snapshot, or of no snapshot (undefined). A new snapshot begins with its first statement.
   * @throws Error if the file cannot be opened
   */
  statements(snapshot: number | undefined): PreparedStatements<"arrays"> {
    if (snapshot === undefined) return this.#usual;
    const known = this.#snapshots.get(snapshot);
    if (known !== undefined) return known.statements;
    const connection = this.#idle.pop() ?? this.#openSmall();
    connection.database.exec("begin");
    this.#snapshots.set(snapshot, connection);
    return connection.statements;
  }

  /** Ends a snapshot, unless no statement has begun it. */
  end(snapshot: number): void {
    const connection = this.#snapshots.get(snapshot);
    if (connection === undefined) return;
    this.#snapshots.delete(snapshot);
    if (connection.database.isTransaction) connection.database.exec("rollback");
    if (this.#idle.length < MOST_IDLE) this.#idle.push(connection);
    else connection.database.close();
  }

  #openSmall(): Connection {
    const connection = this.#open();
    connection.database.exec(SMALL_CACHE);
    return connection;
  }

  #open(): Connection {
    const database = openConnection(this.#settings, true, this.#watch);
    return { database, statements: new PreparedStatements(database, "arrays", this.#settings.statements) };
  }
}
