/** Measures one response with a million rows: CPU time, longest pause, memory. Nothing is asserted. */
import { fork, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { StreamUse } from "./stream-server.ts";

const ROWS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 3;

const directory = mkdtempSync(join(tmpdir(), "odatakit-stream-"));
const file = join(directory, "orders.db");
writeOrders();
const servers = await Promise.all(["limit", "ours"].map(start));
console.log(`${String(ROWS)} rows`);
console.log(`server  round  CPU ms  pause ms  first byte ms  total ms  peak MB  MB before`);
for (let round = 0; round <= ROUNDS; round += 1) {
  const sums = new Set<string>();
  for (const { kind, child, port } of servers) {
    const { rss } = await useOf(child);
    const { first, total, sum } = await read(port);
    const { cpu, pause, peak } = await useOf(child);
    sums.add(sum);
    const cells = [cpu.toFixed(0).padStart(7), pause.toFixed(1).padStart(9), first.toFixed(0).padStart(14)];
    const rest = [total.toFixed(0).padStart(9), peak.toFixed(0).padStart(8), rss.toFixed(0).padStart(10)];
    console.log(
      `${kind.padEnd(8)}${(round === 0 ? "warm" : String(round)).padStart(5)}${[...cells, ...rest].join(" ")}`,
    );
  }
  if (sums.size > 1) throw new Error("The servers send different entities.");
}
for (const { child } of servers) child.disconnect();
rmSync(directory, { recursive: true });

function writeOrders(): void {
  const database = new DatabaseSync(file);
  database.exec(`
    pragma journal_mode = wal;
    create table Orders (ID integer primary key, CustomerID integer not null, Status text not null, OrderDate text not null,
      Total real not null, Discount real, Note text, Token text not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(ROWS)})
    insert into Orders select i, i % 10000, 'open', '2024-01-0' || (1 + i % 9) || 'T00:00:00.000Z', i + 0.5,
      case when i % 3 = 0 then 0.125 end, case when i % 5 = 0 then 'Größe "L"' end, printf('%08x-0000-4000-8000-%012x', i, i)
    from n;
    analyze`);
  database.close();
}

async function start(kind: string): Promise<{ kind: string; child: ChildProcess; port: number }> {
  const script = fileURLToPath(new URL("stream-server.ts", import.meta.url));
  const child = fork(script, [kind, file]);
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return { kind, child, port };
}

async function useOf(child: ChildProcess): Promise<StreamUse> {
  child.send("use");
  const [use] = (await once(child, "message")) as [StreamUse];
  return use;
}

interface Received {
  /** Milliseconds until the first byte, and until the last one. */
  readonly first: number;
  readonly total: number;
  /** A hash of the entities. */
  readonly sum: string;
}

async function read(port: number): Promise<Received> {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${String(port)}/Orders`);
  const hash = createHash("sha1");
  let first = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) throw new Error("The response has no body.");
  for await (const chunk of body) {
    let bytes = chunk;
    if (first === 0) {
      first = performance.now() - begun;
      // The context URLs have different ports.
      bytes = bytes.subarray(bytes.indexOf(91) + 1);
    }
    hash.update(bytes);
  }
  return { first, total: performance.now() - begun, sum: hash.digest("hex") };
}
