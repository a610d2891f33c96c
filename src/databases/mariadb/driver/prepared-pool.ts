import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import type { MysqlPool, MysqlPoolConnection, MysqlQueryResult } from "kysely";
import { type RowRoom, RoomyValues } from "../../connection/array-reader.ts";
import { endOnThrow } from "../../connection/end-on-throw.ts";

type Callback = (error: unknown, result: MysqlQueryResult) => void;
type Streamed = ReturnType<MysqlPoolConnection["query"]>;

/** A connection of mysql2 that prepares statements. */
interface PreparingConnection extends MysqlPoolConnection {
  readonly stream?: object;
  execute(sql: string, parameters: unknown[], callback?: Callback): Streamed;
  unprepare(sql: string): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** The settings that give statements and their values the same meaning in every session. */
const SESSION =
  "set session sql_mode = if(@@sql_mode regexp 'NO_BACKSLASH_ESCAPES|ORACLE', 'STRICT_TRANS_TABLES', @@sql_mode), " +
  "session autocommit = 1, session sql_select_limit = default";

/**
 * Makes a pool for Kysely whose statements with values are prepared on the server, which receives the values apart: no
 * setting of a session can then make a value a part of the statement. Each new session gets its settings.
 * @param statements the most prepared statements of a connection
 * @see https://sidorares.github.io/node-mysql2/docs/documentation/prepared-statements
 */
export function preparedPool(pool: MysqlPool, statements: number): MysqlPool {
  const known = new WeakMap<MysqlPoolConnection, MysqlPoolConnection>();
  return {
    getConnection: (callback) =>
      pool.getConnection((error, connection: MysqlPoolConnection | undefined) => {
        const found = connection && known.get(connection);
        if (connection === undefined || found !== undefined) {
          // Without a connection there is an error, and the callback ignores the other argument.
          callback(error, found as MysqlPoolConnection);
          return;
        }
        const made = preparedConnection(connection, statements);
        endOnThrow((connection as PreparingConnection).stream);
        connection.query(SESSION, [], (failure) => {
          if (failure === null) known.set(connection, made);
          else connection.destroy();
          callback(failure, made);
        });
      }),
    end: (callback) => pool.end(callback),
  };
}

/** The methods and fields that Kysely uses. */
function preparedConnection(connection: MysqlPoolConnection, most: number): MysqlPoolConnection {
  // `MariadbPool` promises it, but the types of Kysely do not.
  const raw = connection as PreparingConnection;
  const known = new Set<string>();
  // A driver that fails to read a row forgets the statement, and would give its other rows to the next one.
  const endingOnThrow =
    (callback: Callback): Callback =>
    (error, result) => {
      if (error instanceof Error && !("errno" in error)) raw.destroy();
      callback(error, result);
    };
  const run = (start: (callback?: Callback) => Streamed, values: readonly unknown[], callback?: Callback): Streamed => {
    if (callback === undefined) return start();
    const room = values instanceof RoomyValues ? values.room : undefined;
    return room === undefined
      ? start(endingOnThrow(callback))
      : keepFitting(raw, start(), { room, callback: endingOnThrow(callback) });
  };
  const execute = (sql: string, parameters: readonly unknown[], callback?: Callback): Streamed => {
    // The statement that was used last comes last.
    known.delete(sql);
    known.add(sql);
    const [oldest] = known;
    if (known.size > most && oldest !== undefined) {
      known.delete(oldest);
      raw.unprepare(oldest);
    }
    const values = parameters.map(toBound);
    return run((done) => raw.execute(sql, values, done), parameters, callback);
  };
  return {
    query: (sql: string, parameters: readonly unknown[], callback?: Callback) =>
      parameters.length > 0
        ? execute(sql, parameters, callback)
        : run((done) => raw.query(sql, [], done), parameters, callback),
    release: () => raw.release(),
    destroy: () => raw.destroy(),
    connect: (callback) => raw.connect(callback),
    get config() {
      return raw.config;
    },
    get threadId() {
      return raw.threadId;
    },
  };
}

/** Returns a parameter as mysql2 sends it: it takes bytes for a text in the charset of the connection, unless they are a Buffer. */
function toBound(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value === undefined ? null : value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Where the rows of a command go. */
interface Receiver {
  readonly room: RowRoom;
  readonly callback: Callback;
}

/** Keeps the rows of a command that fit while they arrive: without a callback, the driver keeps none itself. */
function keepFitting(raw: PreparingConnection, command: Streamed, { room, callback }: Receiver): Streamed {
  const rows: unknown[] = [];
  let left = room.most;
  let isOver = false;
  const finish = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    raw.off("error", finish);
    callback(error, rows as unknown as MysqlQueryResult);
  };
  // A command without a callback does not report that its connection is lost.
  raw.on("error", finish);
  const events: object = command;
  if (!(events instanceof EventEmitter)) throw new TypeError("The pool is not one of mysql2.");
  events.on("error", finish);
  events.on("end", () => finish(null));
  events.on("result", (row: object) => {
    if (room.isCut) return;
    left -= charactersOf(row);
    room.isCut = left < 0 || (rows.length > 0 && room.most - left > room.enough);
    if (!room.isCut) rows.push(row);
    else if (room.mayEnd) {
      raw.destroy();
      finish(null);
    }
  });
  return command;
}

function charactersOf(row: object): number {
  let count = 0;
  for (const cell of Object.values(row)) {
    if (typeof cell === "string" || cell instanceof Uint8Array) count += cell.length;
  }
  return count;
}
