import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { postgresDialect } from "odatakit/postgres";
import { Pool } from "pg";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** The servers of the tests: a primary, and a streaming replica of it. Absent: such tests are skipped. */
export const PRIMARY: string | undefined = process.env["ODATAKIT_POSTGRES"];
export const REPLICA: string | undefined = process.env["ODATAKIT_POSTGRES_REPLICA"];

/** A schema on both servers, and functions to control them. */
export interface ReplicaPair {
  readonly schema: string;
  /** Runs statements on the primary, outside the service. */
  readonly admin: AnyDatabase;
  /** Runs statements on the replica, outside the service. */
  readonly watcher: AnyDatabase;
  /** For the service. */
  readonly db: AnyDatabase;
  readonly readFrom: AnyDatabase;
  /** How often a statement has taken a connection to the replica, or to the primary. */
  readonly used: { replica: number; primary: number };
  /** The replica stops to replay. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** Waits until the replica shows everything. */
  readonly catchUp: () => Promise<void>;
  /** Makes the replica unreachable. */
  readonly cut: () => Promise<void>;
  readonly mend: () => Promise<void>;
  readonly close: () => Promise<void>;
}

let schemas = 0;

/**
 * Opens a schema on both servers. The service reaches the replica through a line that the test can cut.
 * @param settings settings of the sessions of the primary, such as `-c synchronous_commit=off`
 */
export async function openPair(statements: string, settings: string = ""): Promise<ReplicaPair> {
  schemas += 1;
  const schema = `replicas_${String(process.pid)}_${String(schemas)}`;
  const admin = database(PRIMARY ?? "", 1, `-c search_path=${schema}`);
  const watcher = database(REPLICA ?? "", 1, `-c search_path=${schema}`);
  await sql`create schema ${sql.id(schema)}`.execute(admin.db);
  await sql.raw(statements).execute(admin.db);
  const line = new Line(Number(new URL(REPLICA ?? "").port));
  await line.mend();
  const primary = database(PRIMARY ?? "", 4, `-c search_path=${schema} ${settings}`);
  const replica = database(line.url(REPLICA ?? ""), 4, `-c search_path=${schema}`);
  const used = { replica: 0, primary: 0 };
  primary.pool.on("acquire", () => (used.primary += 1));
  replica.pool.on("acquire", () => (used.replica += 1));
  const catchUp = async (): Promise<void> => {
    const { rows } = await sql<{ at: string }>`select pg_current_wal_flush_lsn()::text as at`.execute(admin.db);
    await until(watcher.db, sql`select pg_last_wal_replay_lsn() >= ${rows[0]?.at}::pg_lsn as done`);
  };
  const resume = async (): Promise<void> => {
    await sql`select pg_wal_replay_resume()`.execute(watcher.db);
  };
  await catchUp();
  return {
    schema,
    admin: admin.db,
    watcher: watcher.db,
    db: primary.db,
    readFrom: replica.db,
    used,
    pause: async () => {
      await catchUp();
      await sql`select pg_wal_replay_pause()`.execute(watcher.db);
      await until(watcher.db, sql`select pg_get_wal_replay_pause_state() = 'paused' as done`);
    },
    resume,
    catchUp,
    cut: () => line.cut(),
    mend: () => line.mend(),
    close: async () => {
      await resume();
      await Promise.all([primary.db.destroy(), replica.db.destroy()]);
      await line.cut();
      await sql`drop schema ${sql.id(schema)} cascade`.execute(admin.db);
      await Promise.all([admin.db.destroy(), watcher.db.destroy()]);
    },
  };
}

function database(connectionString: string, max: number, options: string): { db: AnyDatabase; pool: Pool } {
  const pool = new Pool({ connectionString, max, options });
  return { db: new Kysely({ dialect: postgresDialect({ pool }) }), pool };
}

async function until(db: AnyDatabase, question: ReturnType<typeof sql>): Promise<void> {
  for (;;) {
    const { rows } = await question.execute(db);
    if ((rows[0] as { done?: boolean }).done === true) return;
    await sleep(2);
  }
}

/** A TCP line to a server on this machine, which can be cut. */
class Line {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #server: Server | null = null;

  constructor(target: number) {
    this.#target = target;
  }

  url(target: string): string {
    const url = new URL(target);
    url.port = String(this.#port);
    return url.href;
  }

  async mend(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((near) => {
      const far = connect(this.#target, "127.0.0.1");
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          this.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far);
      far.pipe(near);
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
