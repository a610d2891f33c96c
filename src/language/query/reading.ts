import type { ByteCount } from "../../base/byte-count.ts";
import { queryTimeout } from "../../base/errors/odata-error.ts";
import { isPromiseLike, type Maybe } from "../../base/maybe.ts";

/** A point in the history of a cluster of databases: a replica that has reached it shows every earlier change. */
export interface Position {
  /** Identifies the cluster: its primary and its replicas have the same. */
  readonly cluster: string;
  readonly offset: bigint;
}

/** Who sent a request. */
export interface Caller {
  /** Identifies the client: all requests of a user, or of an address, have the same. Undefined if unknown. */
  readonly client?: string | undefined;
  /** Absent: each read has its own limit. */
  readonly readTime?: ReadTime | undefined;
}

/**
 * The time that the reads of an operation take together, waiting included. Those at the same time count once.
 * @see docs/reference/limits.md, Time
 */
export class ReadTime {
  readonly #limit: number | null;
  #used = 0;
  #running = 0;
  #begun = 0;

  /** @param limit in milliseconds; null for no limit */
  constructor(limit: number | null) {
    this.#limit = limit;
  }

  /** Returns the rest of a limit, in whole milliseconds. @throws ODataError `QueryTimeout` if nothing is left */
  leftOf(limit: number): number {
    const running = this.#running > 0 ? performance.now() - this.#begun : 0;
    const left = Math.ceil(limit - this.#used - running);
    if (left <= 0) throw queryTimeout(limit);
    return left;
  }

  /** Counts the time of a read. */
  spend<T>(read: () => Maybe<T>): Maybe<T> {
    if (this.#running === 0) this.#begun = performance.now();
    this.#running += 1;
    const end = (): void => {
      this.#running -= 1;
      if (this.#running === 0) this.#used += performance.now() - this.#begun;
    };
    let result: Maybe<T> | undefined;
    try {
      result = read();
      return isPromiseLike(result) ? Promise.resolve(result).finally(end) : result;
    } finally {
      if (!isPromiseLike(result)) end();
    }
  }

  /** Counts a turn of work on a list. @throws ODataError `QueryTimeout` if no time is left for another */
  readonly add = (milliseconds: number): void => {
    this.#used += milliseconds;
    if (this.#limit !== null) this.leftOf(this.#limit);
  };
}

/** A database that tells its position after a write, because reads may go to a replica. */
export interface PositionedDatabase {
  /** Returns a position after every change that was committed before the call. @throws errors of the database */
  position(): Promise<Position>;
}

/** The positions that reads must show, by cluster; `unknown`: only the primary certainly shows them. */
export type Positions = ReadonlyMap<string, bigint> | "unknown";

/** The facts about a request that its reads need. */
interface ReadingRequest {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Logs a warning with the fields of the request. Never throws. */
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** What a server is to a database: reads may use the replica, writes use the primary. */
export type ServerRole = "primary" | "replica";

/** The run of a replica that a request reads. */
export interface ServerRun {
  /** Identifies the run: a server that is started again may show an earlier state for a moment. */
  readonly started: string;
  /** How often connections to the replica had changed. */
  readonly changes: number;
}

const NO_POSITIONS: Positions = new Map();

/**
 * Where a request, or a batch, reads databases with replicas. All of its statements read the same place: the replica, or the
 * primary. From the first write on they read the primary.
 * @see docs/guides/replicas.md
 */
export class Reading {
  /** The positions that the reads must show. */
  required: Positions = NO_POSITIONS;
  /** The position that the response reports, sealed; null: none. */
  reported: string | null = null;
  readonly request: ReadingRequest;
  readonly #databases: ReadonlySet<PositionedDatabase>;
  readonly #places = new Map<PositionedDatabase, Promise<ServerRun | null>>();
  #written = new Set<PositionedDatabase>();
  #isPinned = false;

  constructor(databases: ReadonlySet<PositionedDatabase>, request: ReadingRequest) {
    this.#databases = databases;
    this.request = request;
  }

  /** Whether the reads must show a position. */
  get isRequiring(): boolean {
    return this.required === "unknown" || this.required.size > 0;
  }

  /** Whether a set of the service has this database and replica. */
  knows(database: PositionedDatabase): boolean {
    return this.#databases.has(database);
  }

  /** Reads the primary from now on. */
  pin(): void {
    this.#isPinned = true;
  }

  /** Records a write: the request reads the primary from now on, and reports the position after the write. */
  noteWrite(database: PositionedDatabase): void {
    this.#isPinned = true;
    this.#written.add(database);
  }

  /** Returns the databases that were written since the last call. */
  takeWritten(): ReadonlySet<PositionedDatabase> {
    const written = this.#written;
    if (written.size > 0) this.#written = new Set();
    return written;
  }

  /**
   * Returns the run of the replica that the next statement reads; null: it reads the primary. Without a write, the result stays
   * the same.
   * @param decide finds the place on first use
   */
  serverFor(database: PositionedDatabase, decide: () => Promise<ServerRun | null>): Promise<ServerRun | null> | null {
    if (this.#isPinned) return null;
    const known = this.#places.get(database);
    if (known !== undefined) return known;
    const decided = decide();
    this.#places.set(database, decided);
    return decided;
  }

  /** Reads the primary in place of a replica that failed. */
  leave(database: PositionedDatabase): void {
    this.#places.set(database, Promise.resolve(null));
  }
}

/** Where a query reads. */
export interface ReadScope {
  /** The sender of the request; absent if unknown. */
  readonly caller?: Caller | undefined;
  /** The open transaction of the request, or the snapshot of several reads: a source of its database reads in it; absent: none. */
  readonly transaction?: unknown;
  /** Where the request reads a database with a replica; null: the service has none; absent: the primary. */
  readonly reading?: Reading | null | undefined;
  /**
   * Counts the bytes of the rows before they are kept. A source ends its rows before the first row that does not fit, and sets
   * `isOver`. Absent: they are not counted.
   */
  readonly bytes?: ByteCount | undefined;
}
