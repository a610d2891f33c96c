import type { Row } from "../../../query/row-shape.ts";
import type { BatchCommand } from "../../connection/batch-reader.ts";
import type { PreparedStatement, PreparedStatements } from "./prepared-statements.ts";

/** The members in use of the connection of `pg` that queries receive, such as those of `pg-cursor`. */
export interface PgConnection {
  readonly stream: { readonly cork?: () => void; readonly uncork?: () => void };
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(values: { readonly portal: string; readonly statement: string; readonly values: readonly unknown[] }): void;
  describe(portal: { readonly type: "P"; readonly name: string }): void;
  execute(portal: { readonly portal: string; readonly rows: number }): void;
  close(statement: { readonly type: "S"; readonly name: string }): void;
  sync(): void;
}

/** The parsers that the application has chosen for the types of columns. */
interface TypeParsers {
  getTypeParser(type: number, format: "text"): (cell: string) => unknown;
}

/** The result as Kysely's driver reads it. */
interface BatchResult {
  readonly command: "SELECT";
  readonly rowCount: number;
  readonly rows: readonly (readonly Row[])[];
}

/** A statement under way. */
interface Running {
  readonly text: string;
  readonly statement: PreparedStatement | null;
  /** Whether the connection prepares the statement in this batch. */
  readonly isNew: boolean;
  parsers: ReadonlyArray<(cell: string) => unknown> | null;
  readonly rows: Row[];
}

/** How a batch runs. */
interface BatchSettings {
  /** The milliseconds after which the server ends each statement; null for no limit. */
  readonly timeout: number | null;
  /** Returns the prepared statements of a connection; null to prepare none. */
  readonly preparedBy: ((connection: PgConnection) => PreparedStatements) | null;
}

/**
 * Limits the time of the statements after it in the same transaction of the server, which ends with the batch. A lower
 * limit of the application stays.
 */
const LIMIT_TIME = `select set_config('statement_timeout', $1::text, true) where current_setting('statement_timeout')::interval not between interval '1 millisecond' and $1::text::interval`;

/** The codes for a prepared statement that the connection does not have, or whose columns have changed. */
const LOST_OR_OUTDATED: ReadonlySet<unknown> = new Set(["26000", "0A000"]);

/**
 * Several statements in one round trip: a query of `pg` with its own messages, as `pg-cursor` is one. All statements are
 * sent before the first result arrives, and run in one transaction of the server. Rows are arrays of cells, converted by
 * the parsers of the driver.
 *
 * It is also the text of its statements: Kysely passes it on as the text of a query, and programs may observe that.
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Batch extends String implements PromiseLike<BatchResult> {
  /** `pg` sets the parsers of the client here. */
  readonly _result: { _types?: TypeParsers } = {};
  /** `pg` replaces it when its own time is over. */
  callback: (error: unknown, result?: BatchResult) => void;
  /** Whether the batch failed because of a prepared statement alone, so that it may succeed without. */
  isStale = false;
  readonly commands: readonly BatchCommand[];
  readonly #settings: BatchSettings;
  readonly #done: Promise<BatchResult>;
  #running: readonly Running[] = [];
  #current = 0;
  #prepared: PreparedStatements | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(commands: readonly BatchCommand[], settings: BatchSettings) {
    super(commands.map(({ sql }) => sql).join("; "));
    this.commands = commands;
    this.#settings = settings;
    let settle: Batch["callback"] = () => undefined;
    this.#done = new Promise((resolve, reject) => {
      settle = (error, result) => {
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of the driver as it is
        if (result === undefined) reject(error);
        else resolve(result);
      };
    });
    this.callback = settle;
  }

  /** The text of the statements. */
  get text(): string {
    return this.toString();
  }

  // oxlint-disable-next-line unicorn/no-thenable -- Kysely awaits what the query of the driver returns, which is this object
  then<T, R>(
    onResult?: ((result: BatchResult) => T | PromiseLike<T>) | null,
    onError?: ((error: unknown) => R | PromiseLike<R>) | null,
  ): Promise<T | R> {
    return this.#done.then(onResult, onError);
  }

  /** Sends all messages. Called by `pg` when the connection is free. */
  submit(connection: PgConnection): null {
    const { timeout, preparedBy } = this.#settings;
    this.#prepared = preparedBy?.(connection) ?? null;
    const limit = timeout === null ? [] : [{ sql: LIMIT_TIME, parameters: [`${String(timeout)}ms`] }];
    const { stream } = connection;
    stream.cork?.();
    try {
      for (const name of this.#prepared?.takeClosing() ?? []) connection.close({ type: "S", name });
      this.#running = [...limit, ...this.commands].map((command) => this.#send(connection, command));
      connection.sync();
    } finally {
      stream.uncork?.();
    }
    return null;
  }

  #send(connection: PgConnection, { sql: text, parameters }: BatchCommand): Running {
    const statement = this.#prepared?.use(text) ?? null;
    const name = statement?.name ?? "";
    const isParsed = statement?.isParsed === true;
    if (!isParsed) connection.parse({ name, text });
    connection.bind({ portal: "", statement: name, values: parameters.map(toText) });
    if (!isParsed) connection.describe({ type: "P", name: "" });
    connection.execute({ portal: "", rows: 0 });
    if (statement !== null && name !== "") statement.isParsed = true;
    return { text, statement, isNew: !isParsed, parsers: null, rows: [] };
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<{ readonly dataTypeID: number }> }): void {
    const statement = this.#running[this.#current]?.statement;
    const types = fields.map(({ dataTypeID }) => dataTypeID);
    if (statement?.isParsed === true) statement.columnTypes = types;
    this.#setParsers(types);
  }

  handleDataRow({ fields }: { readonly fields: ReadonlyArray<string | null> }): void {
    const running = this.#running[this.#current];
    if (running === undefined || this.#failure !== null) return;
    try {
      const parsers = running.parsers ?? this.#setParsers(running.statement?.columnTypes ?? []);
      running.rows.push(toRow(fields, parsers));
    } catch (error) {
      this.#failure = { error };
    }
  }

  #setParsers(types: readonly number[]): ReadonlyArray<(cell: string) => unknown> {
    const { _types: known } = this._result;
    const parsers = types.map((type) => known?.getTypeParser(type, "text") ?? same);
    const running = this.#running[this.#current];
    if (running !== undefined) running.parsers = parsers;
    return parsers;
  }

  handleCommandComplete(): void {
    this.#current += 1;
  }

  handleEmptyQuery(): void {
    this.#current += 1;
  }

  handlePortalSuspended(): void {
    // Each statement is executed completely.
  }

  handleReadyForQuery(): void {
    if (this.#failure !== null) {
      this.callback(this.#failure.error);
      return;
    }
    const rows = this.#running.slice(-this.commands.length).map((running) => running.rows);
    this.callback(null, { command: "SELECT", rowCount: rows.length, rows });
  }

  handleError(error: unknown): void {
    const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
    const used = this.#running.filter(({ statement }) => statement !== null && statement.name !== null);
    this.isStale = LOST_OR_OUTDATED.has(code) && used.some(({ isNew }) => !isNew);
    // Statements of this batch may be prepared or not: after an error, the server skips the rest.
    for (const { text, isNew } of used) if (isNew || this.isStale) this.#prepared?.forget(text);
    this.callback(error);
  }
}

function toRow(fields: ReadonlyArray<string | null>, parsers: ReadonlyArray<(cell: string) => unknown>): Row {
  const row: unknown[] = [];
  for (const [index, cell] of fields.entries()) row.push(cell === null ? null : (parsers[index] ?? same)(cell));
  return row;
}

/** Returns a value as the driver sends it. */
function toText(value: unknown): string | null {
  // oxlint-disable-next-line typescript/no-base-to-string -- objects are not sent in batches
  return value === null || value === undefined ? null : String(value);
}

function same(cell: string): unknown {
  return cell;
}
