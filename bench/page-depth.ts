/**
 * Measures the cost of a page by its depth: by offset, and by the last row of the previous page. In process, since the
 * cost of HTTP is the same.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely } from "kysely";
import { odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { writeDatabase } from "./database.ts";
import { Order } from "./model.ts";

const ORIGIN = "http://bench.example";
const PAGE = 50;
const DEPTHS: readonly number[] = [PAGE, 1000, 10_000, 90_000];
const ORDERS: readonly string[] = ["Id", "OrderDate desc", "CustomerId,OrderDate desc"];
/** The number of reads of one page; the result is their median. */
const READS = 15;

const directory = mkdtempSync(join(tmpdir(), "odatakit-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, "shop.db");
writeDatabase(file);

const db = new Kysely({ dialect: sqliteDialect(file) });
const table = { db, table: "orders", operations: ["read"], maxTop: PAGE } as const;
const service = odataService({
  secret: "of no use beyond this process",
  entitySets: [
    sqlEntitySet(Order, { ...table, name: "ByOffset" }),
    sqlEntitySet(Order, { ...table, name: "ByKeyset", paging: "keyset" }),
  ],
});

interface Page {
  readonly "@odata.nextLink": string;
}

async function read(link: string): Promise<Page> {
  const response = await service.fetch(new Request(link));
  if (response.status !== 200) throw new Error(`${link}: ${await response.text()}`);
  return JSON.parse(await response.text()) as Page;
}

/** Returns the median time of a page in milliseconds. The first reads compile its statement. */
async function measure(link: string): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < READS; count += 1) {
    const started = performance.now();
    await read(link);
    times.push(performance.now() - started);
  }
  return times.toSorted((left, right) => left - right)[READS >> 1] ?? Number.NaN;
}

console.log(`ms per page of ${String(PAGE)} orders out of 100,000`);
console.log(["order".padEnd(28), "behind".padStart(8), "offset".padStart(8), "keyset".padStart(8)].join("  "));
for (const order of ORDERS) {
  for (const depth of DEPTHS) {
    const times: number[] = [];
    for (const set of ["ByOffset", "ByKeyset"]) {
      // $skip reaches the previous page; its next link uses the paging of the set.
      const before = await read(`${ORIGIN}/${set}?$orderby=${order}&$skip=${String(depth - PAGE)}`);
      times.push(await measure(before["@odata.nextLink"]));
    }
    const cells = [String(depth), ...times.map((time) => time.toFixed(3))].map((cell) => cell.padStart(8));
    console.log([order.padEnd(28), ...cells].join("  "));
  }
}
await db.destroy();
