import {
  CompiledQuery,
  type ControlConnectionProvider,
  type DatabaseConnection,
  type PostgresClient,
  type PostgresCursorConstructor,
  type QueryResult,
  type PostgresCursor,
} from "kysely";
import { BoundedCache } from "../../../base/memo.ts";
import type { Row } from "../../../language/query/row-shape.ts";
import type { ArrayReader, ReadCommand, ReadOptions, ReadRowsResult } from "../../connection/array-reader.ts";
import { CountingTypes, type ParseCell } from "./counting-types.ts";

/** The state that the connections of a pool share. */
export interface SharedByConnections {
  readonly cursor: PostgresCursorConstructor | undefined;
  /** Makes a client outside of the pool, which cancels statements; absent: a client of the pool does. */
  readonly makeControlClient: (() => PostgresClient) | undefined;
  /** How many prepared statements were lost. */
  lostStatements: number;
}

/** The commands that change rows. */
const CHANGES: ReadonlySet<string | null> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** The codes of PostgreSQL for a server that ends the connection. */
const ENDINGS: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03"]);

/** The code of PostgreSQL for a statement that was cancelled. */
const CANCELLED = "57014";

/** Stands for the process of a connection that shares it with others, so that nothing may be cancelled there. */
const SHARED_PROCESS = -1;

/** How many lost statements show that connections do not keep them. */
const MOST_LOST = 8;

/** Limits the time of the statements after it in the same transaction. A lower limit of the application stays. */
const LIMIT_TIME = `select set_config('statement_timeout', $1::text, true) where current_setting('statement_timeout')::interval not between interval '1 millisecond' and $1::text::interval`;

/** A connection of a pool of `pg`. */
export class PostgresConnection implements DatabaseConnection, ArrayReader {
  readonly client: PgClient;
  readonly #shared: SharedByConnections;
  readonly #names = new PreparedNames();
  /** The number of the process of the server; null until something may be cancelled. */
  #process: number | null = null;
  /** The statement under way, so that a late cancellation meets no other. */
  #running: object | null = null;
  #isBroken = false;

  constructor(client: PgClient, shared: SharedByConnections) {
    this.client = client;
    this.#shared = shared;
  }

  /** Whether the pool should close the connection instead of giving it to the next statement. */
  get isSpent(): boolean {
    return this.#isBroken || this.#names.isSpent || isInTransaction(this.client);
  }

  /** Closes the connection once it returns to its pool. */
  discard(): void {
    this.#isBroken = true;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#run(() => this.client.query(sql, [...parameters]));
    // A text of several statements has several results, and no rows.
    const found = (rows ?? []) as R[];
    return CHANGES.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows: found } : { rows: found };
  }

  /** Commits a transaction. @returns the command that the server ran: `ROLLBACK` if the transaction had failed */
  async commit(): Promise<string | null> {
    const { command } = await this.#run(() => this.client.query("commit"));
    return command;
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    const Cursor = this.#shared.cursor;
    if (Cursor === undefined) {
      throw new Error("Streams of PostgreSQL need the option `cursor` of postgresDialect: `Cursor` of pg-cursor.");
    }
    const cursor = this.client.query(new Cursor<R>(sql, [...parameters]));
    this.#running = cursor;
    try {
      for (let rows = await cursor.read(chunkSize); rows.length > 0; rows = await cursor.read(chunkSize)) {
        yield { rows };
      }
    } finally {
      await cursor.close();
      this.#running = null;
    }
  }

  async readEach(commands: readonly ReadCommand[], options: ReadOptions): Promise<readonly ReadRowsResult[]> {
    const prepares = options.prepares && this.#shared.lostStatements < MOST_LOST;
    // Names that these statements replace are closed with the next read: they may be among them.
    const closing = this.#names.takeClosing().map((name) => `deallocate ${name}`);
    const withNames = (names: PreparedNames | null): readonly SentQuery[] =>
      commands.map(({ sql, parameters, width }) => ({ ...arrayQuery(sql, parameters, names), width }));
    const named = withNames(prepares ? this.#names : null);
    try {
      return await this.#run(() => this.#send([closing, named], options));
    } catch (error) {
      if (!isLostOrOutdated(error) || named.every(({ name }) => name === undefined)) throw error;
      // A pooler that gives each transaction another connection, such as older versions of PgBouncer.
      this.#shared.lostStatements += 1;
      for (const { text } of named) this.#names.forget(text);
      return this.#run(() => this.#send([[], withNames(null)], options));
    }
  }

  /** Sends all statements before the first has ended, if the client can. */
  async #send(
    [closing, queries]: readonly [closing: readonly string[], queries: readonly SentQuery[]],
    { timeout, ...room }: ReadOptions,
  ): Promise<readonly ReadRowsResult[]> {
    const { client } = this;
    let isFull = false;
    const leave = (): void => {
      isFull = this.#leave();
    };
    const read = async ({ width, ...query }: SentQuery): Promise<ReadRowsResult> => {
      const types = new CountingTypes(client, { ...room, width }, leave);
      const found = client.query({ ...query, types });
      const { rows } = await found.catch((error: unknown) => {
        if (!isFull) throw error;
        return { rows: [] };
      });
      return types.cut(rows as readonly Row[]);
    };
    if (client.pipeline !== true) {
      const found: ReadRowsResult[] = [];
      for (const statement of closing) await client.query(statement).catch(ignoreClosed);
      for (const query of queries) found.push(await read(query));
      return found;
    }
    const before = closing.map((statement) => client.query(statement).catch(ignoreClosed));
    // In a transaction, a cancellation ends the statements after the one under way, too.
    const begun = client.query("begin");
    const limits = timeout === null ? [begun] : [begun, client.query(LIMIT_TIME, [`${String(timeout)}ms`])];
    const reads = queries.map(read);
    const ended = await Promise.allSettled([...before, ...limits, ...reads, client.query("commit")]);
    const failed = ended.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected" && !isFull) throw failed.reason;
    return Promise.all(reads);
  }

  /** Ends a connection whose server would send more rows than fit: nothing else stops it. Returns whether it can. */
  #leave(): boolean {
    const { stream } = this.client.connection ?? {};
    if (stream?.destroy === undefined) return false;
    this.discard();
    stream.destroy(new Error("Connection terminated: the rows do not fit."));
    return true;
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    const running = {};
    this.#running = running;
    try {
      return await work();
    } catch (error) {
      // The pool would give the connection, which is as good as dead or still runs the statement, to the next one.
      const code = codeOf(error);
      if (code === undefined || ENDINGS.has(code)) this.discard();
      throw error;
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }

  async collectSessionInfo(): Promise<void> {
    if (this.#process !== null) return;
    const { rows } = await this.#run(() => this.client.query(arrayQuery("select pg_backend_pid()", [], null)));
    const found = Number((rows as readonly Row[])[0]?.[0]);
    // A pooler may run the next statement in another process of the server, and this one for another client.
    this.#process = (this.client.processID ?? found) === found ? found : SHARED_PROCESS;
  }

  cancelQuery(provide: ControlConnectionProvider): Promise<void> {
    return this.#control("pg_cancel_backend", provide);
  }

  killSession(provide: ControlConnectionProvider): Promise<void> {
    return this.#control("pg_terminate_backend", provide);
  }

  async #control(name: string, provide: ControlConnectionProvider): Promise<void> {
    const running = this.#running;
    if (running === null || this.#process === null || this.#process === SHARED_PROCESS) return;
    const text = `select ${name}(${String(this.#process)})`;
    // Meanwhile the statement may have ended, and the connection may run another one.
    const isUnderWay = (): boolean => this.#running === running;
    const client = this.#shared.makeControlClient?.();
    if (client === undefined) {
      await provide(async (other) => {
        if (isUnderWay()) await other.executeQuery(CompiledQuery.raw(text));
      });
      return;
    }
    try {
      await client.connect();
      if (isUnderWay()) await client.query(text, []);
    } finally {
      client.end();
    }
  }
}

/** Whether a client is in a transaction: a pooler such as pgpool may leave one open after it has lost its server. */
export function isInTransaction(client: PgClient): boolean {
  const status = client.getTransactionStatus?.();
  return status === "T" || status === "E";
}

function arrayQuery(text: string, parameters: readonly unknown[], names: PreparedNames | null): PgArrayQuery {
  const name = names?.use(text);
  return { text, values: [...parameters], rowMode: "array", ...(name !== undefined && { name }) };
}

/** Ignores that the server has closed a statement itself. @throws the error of a cancellation, which is meant for the read */
function ignoreClosed(error: unknown): void {
  if (codeOf(error) === CANCELLED) throw error;
}

/** The function of the server that rejects a prepared statement which returns other columns than before. */
const OTHER_PLAN = "RevalidateCachedQuery";

/** Whether a connection does not have a prepared statement, or has it for other columns. Other features have the same code. */
function isLostOrOutdated(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== "0A000" || !(error instanceof Error)) return code === "26000";
  // A server may translate its messages.
  return ("routine" in error && error.routine === OTHER_PLAN) || error.message.startsWith("cached plan");
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

/** The most statements of one connection. */
const KEPT = 100;
/** The most characters of their texts together: the server keeps a parsed form of each. */
const CHARACTERS_KEPT = 200_000;
/** The most names of one connection in its whole life: the driver remembers each. */
const MOST_NAMES = 1000;

/**
 * The names of the statements that one connection prepares. A statement gets a name when it is used again. Beyond a limit,
 * the least recently used ones are closed with the next read.
 *
 * A name belongs to one text in all processes: a pooler such as PgBouncer may run it on the server connection of another
 * client.
 */
class PreparedNames {
  readonly #prefix = `odatakit_${crypto.randomUUID().replaceAll("-", "")}_`;
  readonly #known: BoundedCache<string, { name: string | undefined }>;
  #count = 0;
  #closing: string[] = [];

  constructor() {
    const limit = { most: CHARACTERS_KEPT, weightOf: (text: string): number => text.length };
    this.#known = new BoundedCache(KEPT, limit, (dropped) => this.#close(dropped));
  }

  /** Returns the name of a text; undefined for a text that is used once. */
  use(text: string): string | undefined {
    const known = this.#known.get(text);
    if (known === undefined) {
      this.#known.set(text, { name: undefined });
      return undefined;
    }
    known.name ??= `${this.#prefix}${String((this.#count += 1))}`;
    return known.name;
  }

  /** Forgets a statement, because the connection may not have it any longer, or has it in an outdated form. */
  forget(text: string): void {
    const known = this.#known.take(text);
    if (known !== undefined) this.#close(known);
  }

  /** Returns the names to close, once. */
  takeClosing(): readonly string[] {
    const names = this.#closing;
    if (names.length > 0) this.#closing = [];
    return names;
  }

  /** Whether the connection has given as many names as it may. */
  get isSpent(): boolean {
    return this.#count >= MOST_NAMES;
  }

  #close({ name }: { readonly name: string | undefined }): void {
    if (name !== undefined) this.#closing.push(name);
  }
}

/** The result of a statement of `pg`. */
interface PgResult {
  readonly command: string | null;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

/** A statement of `pg` whose rows are arrays. */
interface PgArrayQuery {
  readonly text: string;
  readonly values: unknown[];
  readonly rowMode: "array";
  readonly types?: Pick<CountingTypes, "getTypeParser">;
  /** The name under which the connection prepares it. */
  readonly name?: string;
}

type SentQuery = PgArrayQuery & Pick<ReadCommand, "width">;

/**
 * The members of a client of `pg` in use.
 * @see https://node-postgres.com/apis/client
 */
export interface PgClient {
  query(statement: string, values?: unknown[]): Promise<PgResult>;
  query(statement: PgArrayQuery): Promise<PgResult>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  /** Returns the function that reads the cells of a type. */
  getTypeParser(type: number, format?: "text" | "binary"): ParseCell;
  /** Returns `I` outside of a transaction, `T` in a transaction, and `E` in a failed transaction. Absent in older versions. */
  getTransactionStatus?(): string | null;
  /** Whether statements are sent before the earlier ones have ended. Absent in older versions. */
  readonly pipeline?: boolean;
  /** The process number of the server, as the connection received it: a pooler invents one. Absent in other drivers. */
  readonly processID?: number | null;
  /** Absent in other drivers. */
  readonly connection?: { readonly stream?: { destroy?(error: Error): unknown } };
  release(destroys?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * The members of a pool of `pg` in use.
 * @see https://node-postgres.com/apis/pool
 */
export interface PgPool {
  connect(): Promise<PgClient>;
  end(): Promise<void>;
  on(event: "connect" | "remove", listener: (client: PgClient) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}
