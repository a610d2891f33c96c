/**
 * Serves a table of orders: `ours` in pages by odatakit, `limit` in one response by hand in chunks. It imports packages only, so that it can
 * also run next to the built package.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { serve } from "odatakit/node";
import { postgresDialect } from "odatakit/postgres";
import { sqliteDialect } from "odatakit/sqlite";
import { Client, Pool } from "pg";

/** The figures that a server measures between two messages. */
export interface StreamUse {
  /** CPU time of all threads, in milliseconds. */
  readonly cpu: number;
  /** The longest delay of the main thread, in milliseconds. */
  readonly pause: number;
  /** The memory now, and its maximum since the start, in megabytes. */
  readonly rss: number;
  readonly peak: number;
  /** The memory over time. */
  readonly samples: ReadonlyArray<readonly [milliseconds: number, megabytes: number]>;
}

const Order = entityType("Order", {
  ID: edm.int32().key(),
  CustomerID: edm.int32(),
  Status: edm.string(),
  OrderDate: edm.dateTimeOffset({ precision: 3 }),
  Total: edm.double(),
  Discount: edm.double().nullable(),
  Note: edm.string().nullable(),
  Token: edm.guid(),
});

/** The rows of a chunk by hand. A statement over a network costs more than one in the process. */
const CHUNKS = { sqlite: 200, postgres: 1000 };
/** Milliseconds between two samples of the memory. */
const SAMPLED = 50;

const [, , kind = "ours", place = ""] = process.argv;
const isPostgres = place.startsWith("postgres");
/** As `peakMemory` of the benchmark, which the built package lacks. */
function peakMemory(): number {
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes ?? Number.NaN) * 1024;
}

const port = kind === "ours" ? await serveOurs() : await serveLimit();
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let before = process.cpuUsage();
let begun = performance.now();
let samples: Array<readonly [milliseconds: number, megabytes: number]> = [];
setInterval(() => {
  samples.push([Math.round(performance.now() - begun), Math.round(process.memoryUsage.rss() / 1e6)]);
}, SAMPLED);
process.on("message", () => {
  const { user, system } = process.cpuUsage(before);
  const use: StreamUse = {
    cpu: (user + system) / 1000,
    pause: delay.max / 1e6,
    rss: process.memoryUsage.rss() / 1e6,
    peak: peakMemory() / 1e6,
    samples,
  };
  process.send?.(use);
  before = process.cpuUsage();
  begun = performance.now();
  samples = [];
  delay.reset();
});
process.on("disconnect", () => process.exit());
process.send?.({ port });

async function serveOurs(): Promise<number> {
  const dialect = isPostgres
    ? postgresDialect({ pool: new Pool({ connectionString: place }), controlClient: Client })
    : sqliteDialect(place);
  const orders = sqlEntitySet(Order, { db: new Kysely({ dialect }), table: "Orders", operations: ["read"] });
  const service = odataService({
    defaults: { maxTop: null },
    entitySets: [orders],
    propertyNaming: "asDeclared",
    schemaCheck: false,
  });
  return (await serve(service, { port: 0, host: "127.0.0.1" })).port;
}

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>;

async function serveLimit(): Promise<number> {
  const page = isPostgres ? pageOfPostgres() : pageOfSqlite();
  const server = createServer((request, response) => void send(response, `http://${request.headers.host ?? ""}`));
  const send = async (response: ServerResponse, root: string): Promise<void> => {
    response.writeHead(200, { "Content-Type": "application/json;odata.metadata=minimal", "OData-Version": "4.0" });
    response.write(`{"@odata.context":"${root}/$metadata#Orders","value":[`);
    for (let last = 0; ;) {
      const rows = await page(last);
      if (rows.length === 0) break;
      const text = JSON.stringify(rows).slice(1, -1);
      if (!response.write(last === 0 ? text : `,${text}`)) await once(response, "drain");
      last = Number(rows.at(-1)?.["ID"]);
      await nextTurn();
    }
    response.end("]}");
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function pageOfSqlite(): (last: number) => Rows {
  const database = new DatabaseSync(place);
  const page = database.prepare(`select * from Orders where ID > ? order by ID limit ${String(CHUNKS.sqlite)}`);
  return (last) => page.all(last);
}

function pageOfPostgres(): (last: number) => Promise<Rows> {
  const pool = new Pool({ connectionString: place });
  const text = `select * from "Orders" where "ID" > $1 order by "ID" limit ${String(CHUNKS.postgres)}`;
  return async (last) => (await pool.query<Rows[number]>({ name: "page", text, values: [last] })).rows;
}
