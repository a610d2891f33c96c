/**
 * Measures what ETags cost in pages: CPU time of pages of 1,000 orders without ETags, with those of all properties, and with
 * those of one column, in turn. In process, since the cost of HTTP is the same. Arguments: the number of rounds, and the URL
 * of a server of PostgreSQL or MariaDB if the rows are there.
 */
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { type Kysely, sql } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { fromFetchRequest } from "../src/http/fetch-request.ts";
import { writeDatabase } from "./database.ts";
import { median } from "./measure-scenario.ts";
import { Order } from "./model.ts";
import {
  chooseType,
  databaseNameOf,
  deleteDatabase,
  makeDatabase,
  openDatabase,
  type TypeNames,
} from "./open-database.ts";
import { makeFolder } from "./with-servers.ts";

const [, , rounds = "1000", server] = process.argv;
const NAME = "odatakit_etags";
const ROWS = 1000;
/** Pages of one kind in one round. */
const PAGES = 1;
/** Rounds that are not counted. */
const WARM_UP = 200;
const SETS = ["None", "All", "Column"] as const;

const TIMESTAMP: TypeNames = ["TEXT", "timestamptz(0)", "datetime"];
const DOUBLE: TypeNames = ["REAL", "double precision", "double"];
const BOOLEAN: TypeNames = ["INTEGER", "boolean", "boolean"];
const TEXT: TypeNames = ["TEXT", "text", "varchar(200)"];

const COLUMNS: Readonly<Record<string, string | TypeNames>> = {
  id: "integer primary key",
  customerId: "integer",
  orderDate: TIMESTAMP,
  shippedDate: TIMESTAMP,
  status: TEXT,
  freight: DOUBLE,
  paid: BOOLEAN,
  shipName: TEXT,
  shipCity: TEXT,
  shipRegion: TEXT,
  trackingId: ["TEXT", "uuid", "uuid"],
  note: TEXT,
};

const NULLABLE: ReadonlySet<string> = new Set(["shippedDate", "shipRegion", "note"]);

const file = join(makeFolder(), "orders.db");
writeDatabase(file);
if (server === undefined) {
  await measure(file);
} else {
  try {
    const place = await makeDatabase(server, NAME);
    await copyOrders(place);
    await measure(place);
  } finally {
    await deleteDatabase(server, NAME);
  }
}

async function copyOrders(place: string): Promise<void> {
  const db = openDatabase(place);
  const database = databaseNameOf(place);
  const columns = Object.entries(COLUMNS).map(
    ([name, type]) =>
      sql`${sql.id(name)} ${sql.raw(chooseType(type, database))}${sql.raw(NULLABLE.has(name) ? "" : " not null")}`,
  );
  await sql`create table orders (${sql.join(columns)})`.execute(db);
  const source = new DatabaseSync(file, { readOnly: true });
  for (const row of source.prepare(`select * from orders limit ${String(2 * ROWS)}`).iterate()) {
    const cells = Object.entries(row).map(([name, cell]) => cellOf(name, cell, database));
    await sql`insert into orders values (${sql.join(cells)})`.execute(db);
  }
  source.close();
  await db.destroy();
}

function cellOf(name: string, cell: unknown, database: string): unknown {
  if (name === "paid") return cell === 1;
  const isInstant = COLUMNS[name] === TIMESTAMP && typeof cell === "string";
  return isInstant && database === "mariadb" ? cell.slice(0, -1).replace("T", " ") : cell;
}

async function measure(place: string): Promise<void> {
  const db: Kysely<unknown> = openDatabase(place);
  const table = {
    db,
    table: "orders",
    operations: ["read", "patch"],
    maxTop: ROWS,
  } as const;
  const service = odataService({
    logger: { error: console.error, warn: () => {}, info: () => {} },
    entitySets: [
      sqlEntitySet(Order, { ...table, name: "None" }),
      sqlEntitySet(Order, { ...table, name: "All", etag: "all" }),
      sqlEntitySet(Order, { ...table, name: "Column", etag: ["customerId"] }),
    ],
  });
  const read = async (set: string): Promise<number> => {
    const request = fromFetchRequest(new Request(`http://bench.example/${set}?$top=${String(ROWS)}`));
    const { status, body } = await service.handle(request);
    if (status !== 200) throw new Error(`The status is ${String(status)}.`);
    let length = 0;
    const chunks = body instanceof Uint8Array || typeof body === "string" ? [body] : (body ?? []);
    for await (const chunk of chunks) length += Buffer.byteLength(chunk);
    return length;
  };
  const times = new Map(SETS.map((set): [string, number[]] => [set, []]));
  for (let round = -WARM_UP; round < Number(rounds); round += 1) {
    const order = round % 2 === 0 ? SETS : SETS.toReversed();
    for (const set of order) {
      const before = process.threadCpuUsage();
      for (let page = 0; page < PAGES; page += 1) await read(set);
      const { user, system } = process.threadCpuUsage(before);
      if (round >= 0) times.get(set)?.push((user + system) / PAGES / 1000);
    }
  }
  const base = times.get("None") ?? [];
  console.log(`${databaseNameOf(place)}: CPU time of a page of ${String(ROWS)} rows\nETag    ms     ratio  bytes`);
  for (const [set, each] of times) {
    const ratio = median(each.map((time, round) => time / (base[round] ?? Number.NaN)));
    const bytes = await read(set);
    console.log(`${set.padEnd(7)} ${median(each).toFixed(3)}  ${ratio.toFixed(3)}  ${String(bytes)}`);
  }
  await db.destroy();
}
