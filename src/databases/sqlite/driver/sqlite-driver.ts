import {
  AbortedTransactionError,
  type DatabaseConnection,
  type Driver,
  type TransactionSettings,
  SqliteAdapter,
} from "kysely";
import { chain } from "../../../base/maybe.ts";
import type { Patience, PatientReader, SnapshotReader } from "../../connection/patient-reader.ts";
import type { WritePatience } from "../../connection/synchronous-reader.ts";
import { lostSnapshot, reasonOf } from "./reader-faults.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import type { SqliteReads } from "./sqlite-reads.ts";

const DONE: Promise<void> = Promise.resolve();

/**
 * Kysely's driver of a SQLite database. It has one connection, which it gives to one user at a time.
 *
 * A transaction takes the write lock when it begins: if it read first, it could not get the lock after another process has
 * written. Whatever isolation level is requested, transactions in SQLite are serializable.
 */
export class SqliteDriver implements Driver {
  readonly #database: SqliteDatabase;
  readonly #reads: SqliteReads;
  readonly #connection: SqliteConnection;
  readonly #turns = new Turns();
  #isReadOnly = false;

  constructor(database: SqliteDatabase, reads: SqliteReads) {
    this.#database = database;
    this.#reads = reads;
    this.#connection = new SqliteConnection(database);
  }

  /** Opens nothing: the first statement does. */
  init(): Promise<void> {
    return DONE;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const asked = performance.now();
    const { patience } = this.#database;
    await this.#turns.take(patience);
    try {
      this.#database.take();
    } catch (error) {
      this.#turns.giveBack();
      throw error;
    }
    this.#connection.begin(patience, asked);
    return this.#connection;
  }

  releaseConnection(): Promise<void> {
    this.#database.giveBack();
    this.#turns.giveBack();
    return DONE;
  }

  beginTransaction(_connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    this.#isReadOnly = accessMode === "read only";
    if (this.#isReadOnly) return this.#connection.control("begin; pragma query_only = on");
    if (this.#database.settings.readonly) return this.#connection.control("begin");
    return this.#connection.beginWriting();
  }

  commitTransaction(): Promise<void> {
    // SQLite rolls back by itself if the disk is full or a trigger demands it, possibly unnoticed by the application.
    if (this.#database.connection.isTransaction) return this.#end("commit");
    return this.#end("").then(() => {
      throw new AbortedTransactionError();
    });
  }

  rollbackTransaction(): Promise<void> {
    return this.#end(this.#database.connection.isTransaction ? "rollback" : "");
  }

  savepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    return this.#connection.control(`savepoint ${quoted(name)}`);
  }

  rollbackToSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    return this.#connection.control(`rollback to ${quoted(name)}`);
  }

  releaseSavepoint(_connection: DatabaseConnection, name: string): Promise<void> {
    return this.#connection.control(`release ${quoted(name)}`);
  }

  async destroy(): Promise<void> {
    await this.#reads.close();
    this.#database.close();
  }

  #end(command: string): Promise<void> {
    if (this.#isReadOnly) return this.#connection.control(`${command}; pragma query_only = off`);
    return this.#connection.locking(command).then(() => {
      this.#connection.hasLock = false;
    });
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Kysely's adapter of SQLite, with synchronous reads. */
export class SynchronousSqliteAdapter extends SqliteAdapter implements PatientReader {
  readonly alive = "odata_alive()";
  readonly #reads: SqliteReads;
  readonly #probe: () => boolean;
  #cutsTexts: boolean | undefined;

  /** @param probe returns whether `node:sqlite` ends a text at U+0000 */
  constructor(reads: SqliteReads, probe: () => boolean) {
    super();
    this.#reads = reads;
    this.#probe = probe;
  }

  /** Whether `node:sqlite` ends a text at U+0000, as that of Node.js 22 does. */
  get cutsTexts(): boolean {
    this.#cutsTexts ??= this.#probe();
    return this.#cutsTexts;
  }

  /** The driver itself lets users wait: Kysely would not report when their wait began. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  readRows(sql: string, parameters: readonly unknown[]): readonly (readonly unknown[])[] {
    return this.#reads.readHere(sql, parameters);
  }

  readOne(sql: string, parameters: readonly unknown[]): readonly unknown[] | undefined {
    return this.#reads.readHere(sql, parameters, true)[0];
  }

  read(...[sql, parameters, patience, facts]: Parameters<PatientReader["read"]>): ReturnType<PatientReader["read"]> {
    return this.#reads.read(sql, parameters, patience, false, facts);
  }

  readFirst(
    ...[sql, parameters, patience, facts]: Parameters<PatientReader["readFirst"]>
  ): ReturnType<PatientReader["readFirst"]> {
    return chain(this.#reads.read(sql, parameters, patience, true, facts), ([row]) => row);
  }

  snapshot(): SnapshotReader | null {
    const reads = this.#reads.snapshot();
    if (reads === null) return null;
    let isOpen = true;
    // A statement after the end would begin the snapshot again.
    const whileOpen = <T>({ signal }: Patience, read: () => Promise<T>): Promise<T> => {
      if (isOpen) return read();
      return Promise.reject(signal?.aborted === true ? reasonOf(signal) : lostSnapshot());
    };
    return {
      alive: this.alive,
      readRows: onlyElsewhere,
      readOne: onlyElsewhere,
      read: (sql, parameters, patience, facts) =>
        whileOpen(patience, () => reads.read(sql, parameters, patience, false, facts)),
      readFirst: (sql, parameters, patience, facts) =>
        whileOpen(patience, () => reads.read(sql, parameters, patience, true, facts)).then(([row]) => row),
      snapshot: () => null,
      end: () => {
        if (isOpen) reads.end();
        isOpen = false;
      },
    };
  }
}

function onlyElsewhere(): never {
  throw new Error("A snapshot is read in a reader thread.");
}

/** Users of a connection, one at a time, in the order of their requests. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /**
   * Resolves when all earlier users have given the connection back.
   * @throws the reason of the signal, if the client disconnects meanwhile
   */
  take(patience: WritePatience | undefined): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      return Promise.resolve();
    }
    const signal = patience?.signal();
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(reasonOf(signal));
      };
      this.#waiting.push(begin);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Passes the connection on to the next user. */
  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
