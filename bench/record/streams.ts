import { fork, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { openDatabase } from "../open-database.ts";
import type { StreamUse } from "../stream-server.ts";

/** All rows: one response, or the pages of next links. */
export interface Streamed extends Omit<StreamUse, "rss"> {
  readonly server: "limit" | "ours";
  /** Milliseconds until the first byte, and until the last one. */
  readonly first: number;
  readonly total: number;
  /** The memory before, in megabytes. */
  readonly before: number;
}

/** The source of a stream: a table of a SQLite file or of a database of PostgreSQL, by a module in so many rounds. */
export interface StreamPlan {
  readonly place: string;
  /** The module of the servers, and arguments of Node.js for it. */
  readonly program: string;
  readonly args: readonly string[];
  readonly rounds: number;
}

/**
 * Reads all rows from both servers in turn. The first round is not counted.
 * @throws Error if the servers send different entities
 */
export async function measureStreams({ place, program, args, rounds }: StreamPlan): Promise<readonly Streamed[]> {
  const servers = await Promise.all((["limit", "ours"] as const).map((kind) => start(kind, place, program, args)));
  const streamed: Streamed[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const sums = new Set<string>();
      for (const { kind, child, port } of servers) {
        const { rss } = await useOf(child);
        const { first, total, sum } = await read(port);
        const { cpu, pause, peak, samples } = await useOf(child);
        sums.add(sum);
        if (round > 0) streamed.push({ server: kind, first, total, cpu, pause, peak, before: rss, samples });
      }
      if (sums.size > 1) throw new Error("The servers send different entities.");
    }
  } finally {
    for (const { child } of servers) child.disconnect();
    await Promise.all(servers.map(({ child }) => once(child, "exit")));
  }
  return streamed;
}

/** Writes the table of the servers into a SQLite file. */
export function writeStreamedFile(file: string, rows: number): void {
  const database = new DatabaseSync(file);
  database.exec(`
    pragma journal_mode = wal;
    create table Orders (ID integer primary key, CustomerID integer not null, Status text not null, OrderDate text not null,
      Total real not null, Discount real, Note text, Token text not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(rows)})
    insert into Orders select i, i % 10000, 'open', '2024-01-0' || (1 + i % 9) || 'T00:00:00.000Z', i + 0.5,
      case when i % 3 = 0 then 0.125 end, case when i % 5 = 0 then 'Größe "L"' end, printf('%08x-0000-4000-8000-%012x', i, i)
    from n;
    analyze`);
  database.close();
}

/** Writes the same table into a database of PostgreSQL. */
export async function writeStreamedTable(place: string, rows: number): Promise<void> {
  const db = openDatabase(place);
  try {
    await sql`create table "Orders" ("ID" integer primary key, "CustomerID" integer not null, "Status" text not null,
      "OrderDate" timestamptz(3) not null, "Total" double precision not null, "Discount" double precision, "Note" text,
      "Token" uuid not null)`.execute(db);
    await sql`insert into "Orders" select i, i % 10000, 'open', timestamptz '2024-01-01T00:00:00Z' + (i % 9) * interval '1 day',
      i + 0.5, case when i % 3 = 0 then 0.125 end, case when i % 5 = 0 then 'Größe "L"' end,
      (lpad(to_hex(i), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid
      from generate_series(1, ${sql.lit(rows)}) as i`.execute(db);
    await sql`vacuum analyze`.execute(db);
  } finally {
    await db.destroy();
  }
}

interface StreamServer {
  readonly kind: Streamed["server"];
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(
  kind: Streamed["server"],
  place: string,
  program: string,
  args: readonly string[],
): Promise<StreamServer> {
  const child = fork(program, [kind, place], { execArgv: [...args] });
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return { kind, child, port };
}

async function useOf(child: ChildProcess): Promise<StreamUse> {
  child.send("use");
  const [use] = (await once(child, "message")) as [StreamUse];
  return use;
}

/** Reads all rows, by next links if there are any. */
async function read(port: number): Promise<{ readonly first: number; readonly total: number; readonly sum: string }> {
  const begun = performance.now();
  const hash = createHash("sha1");
  let first = 0;
  let link: string | undefined = `http://127.0.0.1:${String(port)}/Orders`;
  for (let page = 0; link !== undefined; page += 1) {
    const response: Response = await fetch(link);
    const chunks: Uint8Array[] = [];
    const body: AsyncIterable<Uint8Array> | null = response.body;
    if (body === null) throw new Error("The response has no body.");
    for await (const chunk of body) {
      if (first === 0) first = performance.now() - begun;
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    const [start, end] = [bytes.indexOf(OPENING) + OPENING.length, bytes.lastIndexOf("]")];
    // Envelopes have different ports.
    if (page > 0) hash.update(",");
    hash.update(bytes.subarray(start, end));
    const envelope = bytes.subarray(0, start).toString("latin1") + bytes.subarray(end).toString("latin1");
    link = NEXT.exec(envelope)?.[1];
  }
  return { first, total: performance.now() - begun, sum: hash.digest("hex") };
}

const OPENING = '"value":[';
const NEXT = /"@odata\.nextLink":"([^"]+)"/;
