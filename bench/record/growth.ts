import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { edm, entityType, hasMany, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { cpuOf, rounded } from "./figures.ts";

/** How a cost grows: points of one line. */
export interface Curve {
  readonly line: string;
  /** The size, and the CPU time in microseconds. */
  readonly points: ReadonlyArray<readonly [size: number, microseconds: number]>;
}

/** Curves with the same sizes. */
export interface Growth {
  readonly of: string;
  readonly curves: readonly Curve[];
}

const ORDERED = {
  id: edm.int32().key(),
  customerId: edm.int32(),
  status: edm.string(),
  total: edm.double(),
} as const;
const Order = entityType("Order", ORDERED);
const COLUMNS = { customerId: "customer_id" } as const;
const Parent = entityType("Parent", { id: edm.int32().key(), name: edm.string() });

const ROWS: readonly number[] = [1000, 10_000, 100_000, 1_000_000];
const NODES: readonly number[] = [3, 15, 63, 255, 999];
const WIDTHS: readonly number[] = [1, 10, 100, 1000];
const SETS: readonly number[] = [1, 10, 100, 1000];

/** Measures in process how costs grow with the table, the filter, the expansion and the model. */
export async function measureGrowth(): Promise<readonly Growth[]> {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-growth-"));
  try {
    return [
      await growthOfRows(folder),
      await growthOfFilter(folder),
      await growthOfExpansion(folder),
      await growthOfModel(folder),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function growthOfRows(folder: string): Promise<Growth> {
  const lines = {
    "key read": (rows: number) => `/Orders(${String(rows >> 1)})`,
    "page of 20 by an index": (rows: number) =>
      `/Orders?$top=20&$skip=100&$orderby=CustomerId&$filter=Id lt ${String(rows)}`,
    "filter by an index, with a count": () => "/Orders?$filter=CustomerId eq 7&$count=true&$top=20",
    "search in all rows": () => "/Orders?$filter=endswith(Status,'xyz')&$top=20",
  };
  const curves = Object.keys(lines).map((line) => ({ line, points: [] as Array<readonly [number, number]> }));
  for (const rows of ROWS) {
    await withOrders(folder, rows, async (service) => {
      for (const [place, path] of Object.values(lines).entries()) {
        curves[place]?.points.push([rows, rounded(await costOf(service, path(rows)))]);
      }
    });
  }
  return { of: "rows of a table", curves };
}

async function growthOfFilter(folder: string): Promise<Growth> {
  const points: Array<readonly [number, number]> = [];
  await withOrders(folder, 1000, async (service) => {
    for (const nodes of NODES) {
      // Each comparison has three nodes, and each `or` one more.
      const comparisons = (nodes + 1) >> 2;
      let next = 0;
      const path = (): string => {
        next += 1;
        const filter = Array.from(
          { length: Math.max(1, comparisons) },
          (_none, index) => `Id eq ${String(next + index)}`,
        );
        return `/Orders?$filter=${filter.join(" or ")}&$top=5`;
      };
      points.push([nodes, rounded(await costOf(service, path))]);
    }
  });
  return { of: "nodes of a filter", curves: [{ line: "five rows", points }] };
}

async function growthOfExpansion(folder: string): Promise<Growth> {
  const points: Array<readonly [number, number]> = [];
  await withOrders(folder, 100_000, async (service) => {
    for (const width of WIDTHS) {
      points.push([width, rounded(await costOf(service, `/Parents?$top=10&$expand=Orders($top=${String(width)})`))]);
    }
  });
  return { of: "related entities of each of ten parents", curves: [{ line: "ten parents", points }] };
}

async function growthOfModel(folder: string): Promise<Growth> {
  const db = openOrders(folder, 1000);
  const key: Array<readonly [number, number]> = [];
  const start: Array<readonly [number, number]> = [];
  for (const sets of SETS) {
    const make = (): ODataService => serviceOf(db, sets);
    start.push([sets, rounded(await cpuOf(make))]);
    key.push([sets, rounded(await costOf(make(), `/Set${String(sets >> 1)}(1)`))]);
  }
  await db.destroy();
  return {
    of: "entity sets of a service",
    curves: [
      { line: "start", points: start },
      { line: "key read", points: key },
    ],
  };
}

function serviceOf(db: Kysely<unknown>, sets: number): ODataService {
  const names = Array.from({ length: sets }, (_none, index) => `Set${String(index)}`);
  return odataService({
    schemaCheck: false,
    entitySets: names.map((name) => {
      const options = { db, name, table: "orders", operations: ["read"], columns: COLUMNS } as const;
      return sqlEntitySet(entityType(`${name}Type`, ORDERED), options);
    }),
  });
}

/** Opens a database with so many orders. */
function openOrders(folder: string, rows: number): Kysely<unknown> {
  const file = join(folder, `${String(rows)}.db`);
  const made = new DatabaseSync(file);
  made.exec(`pragma journal_mode = wal; pragma synchronous = off;
    create table if not exists parents (id integer primary key, name text not null);
    create table if not exists orders (id integer primary key, customer_id integer not null, status text not null, total real not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 100)
      insert or ignore into parents select i, 'Parent ' || i from n;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(rows)})
      insert or ignore into orders select i, 1 + i % 100, 'Status ' || i % 7, i / 4.0 from n;
    create index if not exists orders_customer on orders (customer_id, id);
    analyze`);
  made.close();
  return new Kysely({ dialect: sqliteDialect(file) });
}

async function withOrders(folder: string, rows: number, use: (service: ODataService) => Promise<void>): Promise<void> {
  const db = openOrders(folder, rows);
  const service = odataService({
    schemaCheck: false,
    entitySets: [
      sqlEntitySet(Order, { db, table: "orders", operations: ["read"], columns: COLUMNS }),
      sqlEntitySet(Parent, {
        db,
        table: "parents",
        operations: ["read"],
        navigation: { orders: hasMany(Order, { on: { id: "customerId" }, target: "Orders" }) },
      }),
    ],
  });
  await use(service);
  await db.destroy();
}

async function costOf(service: ODataService, path: string | (() => string)): Promise<number> {
  return cpuOf(async () => {
    const target = encodeURI(typeof path === "string" ? path : path());
    const response = await service.fetch(new Request(`http://bench.example${target}`));
    const body = await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${target}: ${new TextDecoder().decode(body)}`);
  });
}
