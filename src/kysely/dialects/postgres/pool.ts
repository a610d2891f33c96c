import type { EventEmitter } from "node:events";
import { builtinModule } from "../../../base/host.ts";
import type { GuardedConnections } from "../../connection/batch-reader.ts";
import type { AnyKysely } from "../../connection/synchronous-reader.ts";
import { PgBatches } from "./batch-reads.ts";

/** The members of the pool of `pg` in use. */
interface Pool extends EventEmitter {
  readonly totalCount: number;
  /** All clients, busy and idle. Undocumented. */
  readonly _clients?: unknown;
}

/** The class of the emitters of `pg`, which requires it. */
const Emitter = (builtinModule("node:events") as typeof import("node:events") | undefined)?.EventEmitter;

type Listener = (...given: readonly unknown[]) => void;

/**
 * Keeps the loss of a PostgreSQL connection from ending the process. `pg` emits `error` on a busy client, and on the pool
 * for an idle one; Node.js ends a process that has no listener. This function adds listeners that do nothing, so listeners
 * of the application still receive each error, and the current statement fails as before.
 *
 * Kysely keeps its pool private. But a pool emits `release` when a connection returns to it, so this function borrows one
 * connection and catches that event.
 * @returns unguarded connections if Kysely uses a pool other than that of `pg`
 * @throws whatever Kysely throws when it cannot connect
 */
export async function guardPool(db: AnyKysely): Promise<GuardedConnections> {
  let pool: Pool | null = null;
  let isPooled = true;
  let takesBatches = false;
  await db.getExecutor().provideConnection((connection) => {
    const { name } = connection.constructor;
    // Other drivers, such as PGlite, have no pool. A plain object is a connection that a dialect has wrapped.
    isPooled = ["PostgresConnection", "Object"].includes(name);
    // To log statements, Kysely overrides this method on the connection.
    const isPlain = name === "PostgresConnection" && !Object.hasOwn(connection, "executeQuery");
    onceReleased(connection, (emitter, client) => {
      if (!isPool(emitter)) return;
      pool = emitter;
      takesBatches = isPlain && sendsMessages(client);
    });
    return Promise.resolve();
  });
  if (pool === null) return { isGuarded: !isPooled };
  ignoreErrors(pool);
  return { isGuarded: true, batches: takesBatches ? new PgBatches() : undefined, watch: watchOf(pool) };
}

/** Returns what reports the connections that a pool opens and closes. */
function watchOf(pool: Pool): GuardedConnections["watch"] {
  return (changed) => {
    pool.on("connect", changed);
    pool.on("remove", changed);
  };
}

/** The messages that a connection of `pg` can send. */
const MESSAGES = ["parse", "bind", "describe", "execute", "close", "sync"] as const;

/** Whether a client runs queries that send their own messages: that of `pg-native` has no such connection. */
function sendsMessages(client: unknown): boolean {
  if (typeof client !== "object" || client === null || !("connection" in client)) return false;
  const { connection } = client;
  // A client that pipelines by itself refuses such queries.
  if ("pipeline" in client && client.pipeline === true) return false;
  if (typeof connection !== "object" || connection === null) return false;
  return MESSAGES.every((name) => name in connection && typeof Reflect.get(connection, name) === "function");
}

/** Adds the listeners, unless another Kysely instance over the same pool has added them. */
function ignoreErrors(pool: Pool): void {
  listenOnce(pool, "error", ignore);
  listenOnce(pool, "acquire", ignoreErrorsOfClient);
  listenOnce(pool, "release", endWithinTransaction);
  // Clients that are checked out at this moment.
  for (const client of Array.isArray(pool._clients) ? pool._clients : []) ignoreErrorsOfClient(client);
}

function ignoreErrorsOfClient(client: unknown): void {
  if (Emitter === undefined || !(client instanceof Emitter)) return;
  listenOnce(client as EventEmitter, "error", ignore);
  const connection: unknown = Reflect.get(client, "connection");
  if (connection instanceof Emitter) listenOnce(connection as EventEmitter, "errorMessage", closeIfEnding);
}

/** The codes of PostgreSQL for a server that ends the connection. */
const ENDINGS: ReadonlySet<unknown> = new Set(["57P01", "57P02", "57P03"]);

/**
 * Closes a connection that the server is about to end. Otherwise the statement would fail first, and the pool would give the
 * client, which is as good as dead, to the next one.
 */
function closeIfEnding(this: { readonly stream?: { readonly destroy?: () => void } }, message: unknown): void {
  if (typeof message !== "object" || message === null || !("code" in message)) return;
  if (ENDINGS.has(message.code)) this.stream?.destroy?.();
}

/**
 * Ends a client that returns to its pool within a transaction: a pooler such as pgpool may leave one open after the server
 * behind it was lost, and the pool would give it to the next statement. A pool does not keep a client that ends.
 */
function endWithinTransaction(failure: unknown, client: unknown): void {
  if (Boolean(failure) || typeof client !== "object" || client === null) return;
  const { getTransactionStatus, end } = client as Partial<TransactionClient>;
  // Older versions of `pg` do not tell.
  if (typeof getTransactionStatus !== "function" || typeof end !== "function") return;
  const status = getTransactionStatus.call(client);
  if (status !== "T" && status !== "E") return;
  Promise.resolve(end.call(client)).catch(ignore);
}

/** The methods of a client of `pg` in use. */
interface TransactionClient {
  /** Returns `I` outside of a transaction, `T` within one, and `E` within one that has failed. */
  getTransactionStatus(this: unknown): string | null;
  end(this: unknown): Promise<void>;
}

function ignore(): void {
  // The current statement fails with the same error, and the pool removes the client.
}

function listenOnce(emitter: EventEmitter, event: string, listener: Listener): void {
  if (!emitter.listeners(event).includes(listener)) emitter.on(event, listener);
}

function isPool(emitter: EventEmitter): emitter is Pool {
  return "totalCount" in emitter && "connect" in emitter && typeof emitter.connect === "function";
}

/** Receives the emitter of `release`, and the client. */
type Released = (emitter: EventEmitter, client: unknown) => void;

/**
 * Catches the emitter of `release` when Kysely returns a connection. Kysely calls a method of the connection, named by a
 * private symbol.
 */
function onceReleased(connection: object, found: Released): void {
  const prototype: object | null = Reflect.getPrototypeOf(connection);
  const methods = prototype === null ? [] : Object.getOwnPropertySymbols(prototype);
  for (const name of methods) {
    const method: unknown = Reflect.get(connection, name);
    if (typeof method !== "function") continue;
    const value = (...given: readonly unknown[]): unknown => {
      for (const other of methods) Reflect.deleteProperty(connection, other);
      return watchRelease(() => Reflect.apply(method, connection, given), found);
    };
    Reflect.defineProperty(connection, name, { configurable: true, value });
  }
}

/** Runs a synchronous function that emits `release`, and watches all emitters of the process meanwhile. */
function watchRelease(run: () => unknown, found: Released): unknown {
  if (Emitter === undefined) return run();
  const { prototype } = Emitter;
  // oxlint-disable-next-line typescript/unbound-method -- called with the emitter, and put back as it was
  const { emit } = prototype;
  prototype.emit = function (this: EventEmitter, event, ...given): boolean {
    if (event === "release") {
      prototype.emit = emit;
      const [, client]: readonly unknown[] = given;
      found(this, client);
    }
    return Reflect.apply(emit, this, [event, ...given]);
  };
  try {
    return run();
  } finally {
    prototype.emit = emit;
  }
}
