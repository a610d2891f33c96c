import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { Kysely, sql } from "kysely";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

/** No request fills the memory of a service with the usual limits: each in its own process. */

/** Megabytes above those before the request. Threads that read SQLite have their own heaps. */
const MOST_MEMORY = { sqlite: 350, postgres: 300 } as const;

const copies = (set: string, count: number): string => {
  const names = Array.from({ length: count }, (_, index) => `K${String(index)}`);
  return `${set}?$compute=${names.map((name) => `Body as ${name}`).join(",")}&$select=${names.join(",")}`;
};

const REQUESTS = [
  { name: "1,000 orders with 300 lines each", target: "Orders?$select=Id&$expand=Lines" },
  { name: "1,000 orders with a parent of 400 kB", target: "Orders?$expand=Depot" },
  { name: "a hundred copies of a text of 40 kB", target: copies("Texts", 100) },
  { name: "four hundred copies of a text of 4 kB", target: copies("Shorts", 400) },
];

type EngineName = "sqlite" | "postgres";

interface Filling {
  /** A query of the numbers from 1, named i. */
  readonly numbers: (count: number) => string;
  readonly text: (letter: string, length: number) => string;
  readonly type: string;
}

const repeated = (letter: string, length: number): string => `repeat('${letter}', ${String(length)})`;
const FILLINGS: Readonly<Record<EngineName, Filling>> = {
  sqlite: {
    numbers: (count) =>
      `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(count)}) select i from n) n`,
    text: (letter, length) => `replace(hex(zeroblob(${String(length / 2)})), '0', '${letter}')`,
    type: "text",
  },
  postgres: { numbers: (count) => `generate_series(1, ${String(count)}) n(i)`, text: repeated, type: "text" },
};

async function fill(db: AnyDatabase, { numbers, text, type }: Filling): Promise<void> {
  for (const statement of [
    `create table depots (id integer primary key, note ${type} not null)`,
    "create table orders (id integer primary key, depot_id integer not null)",
    "create table order_lines (id integer primary key, order_id integer not null, note varchar(800) not null)",
    `create table texts (id integer primary key, body ${type} not null)`,
    `create table shorts (id integer primary key, body ${type} not null)`,
    `insert into depots values (1, ${text("d", 400_000)})`,
    `insert into orders select i, 1 from ${numbers(1000)}`,
    `insert into order_lines select i, 1 + (i - 1) % 1000, ${text("l", 800)} from ${numbers(300_000)}`,
    "create index lines_of_order on order_lines (order_id, id)",
    `insert into texts select i, ${text("b", 40_000)} from ${numbers(300)}`,
    `insert into shorts select i, ${text("s", 4000)} from ${numbers(2000)}`,
  ]) {
    await sql.raw(statement).execute(db);
  }
}

const SCHEMA = `large_${String(process.pid)}`;
const folder = mkdtempSync(path.join(tmpdir(), "large-"));
const { ODATAKIT_POSTGRES: postgres } = process.env;

interface Engine {
  readonly name: EngineName;
  /** The address of the tables. */
  readonly url: string;
  readonly open: () => AnyDatabase;
  /** The commands before the tables are made, and after the tests. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const openPostgres = (connectionString: string): AnyDatabase =>
  new Kysely({ dialect: postgresDialect({ pool: new Pool({ connectionString, max: 1 }) }) });

const ENGINES: readonly Engine[] = [
  {
    name: "sqlite",
    url: path.join(folder, "large.db"),
    open: () => new Kysely({ dialect: sqliteDialect(path.join(folder, "large.db")) }),
    before: [],
    after: [],
  },
  ...(postgres === undefined
    ? []
    : [
        {
          name: "postgres",
          url: `${postgres}?options=-c%20search_path%3D${SCHEMA}`,
          open: () => openPostgres(postgres),
          before: [`create schema ${SCHEMA}`, `set search_path = ${SCHEMA}`],
          after: [`drop schema ${SCHEMA} cascade`],
        } as const,
      ]),
];

interface Service {
  readonly origin: string;
  /** Returns the greatest memory so far, in megabytes. @throws Error if the process has ended */
  readonly peakMemory: () => Promise<number>;
}

/** Starts a service for one test. */
async function start({ name, url }: Engine): Promise<Service> {
  const program = path.join(import.meta.dirname, "large-server.ts");
  const child = fork(program, [name, url], { execArgv: ["--conditions=source"] });
  onTestFinished(async () => {
    const ended = child.exitCode ?? child.signalCode ?? once(child, "exit");
    child.disconnect();
    await ended;
  });
  const message = async (): Promise<number> => ((await once(child, "message")) as [number])[0];
  const port = await message();
  return {
    origin: `http://127.0.0.1:${String(port)}/`,
    peakMemory: () => {
      const answer = message();
      child.send("memory");
      return answer;
    },
  };
}

/** Reads a response without keeping it. @returns its status, its bytes, and its end */
async function read(origin: string, target: string): Promise<readonly [status: number, bytes: number, end: string]> {
  const { status, body } = await fetch(new URL(target, origin));
  const chunks: AsyncIterable<Uint8Array> | null = body;
  let bytes = 0;
  let end = "";
  for await (const chunk of chunks ?? []) {
    bytes += chunk.length;
    end = (end + Buffer.from(chunk.subarray(-200)).toString()).slice(-200);
  }
  return [status, bytes, end];
}

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(ENGINES)("large responses over $name", (engine) => {
  beforeAll(async () => {
    const db = engine.open();
    for (const each of engine.before) await sql.raw(each).execute(db);
    await fill(db, FILLINGS[engine.name]);
    await db.destroy();
  });
  afterAll(async () => {
    const db = engine.open();
    for (const each of engine.after) await sql.raw(each).execute(db);
    await db.destroy();
  });

  test.each(REQUESTS)("$name fill a page that ends with a link, in little memory", async ({ target }) => {
    const { origin, peakMemory } = await start(engine);
    await read(origin, "Orders?$top=1&$expand=Lines($top=1)");
    const before = await peakMemory();
    const [status, bytes, end] = await read(origin, target);
    expect([status, end]).toEqual([200, expect.stringMatching(/skiptoken=[^"]+"\}$/u)]);
    expect(bytes).toBeLessThan(64_100_000);
    expect(bytes).toBeGreaterThan(40_000_000);
    expect((await peakMemory()) - before).toBeLessThan(MOST_MEMORY[engine.name]);
  });
});
