import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";
import { Kysely } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Watch } from "../../../src/databases/sqlite/driver/prepared-statement.ts";
import type { AnyDatabase } from "../../engine/executors/engines.ts";

const folder = mkdtempSync(join(tmpdir(), "thread-memory-"));
const file = join(folder, "items.db");

/** So many texts of so many characters. */
const ROWS = 40_000;
const LENGTH = 2000;

beforeAll(() => {
  const made = new DatabaseSync(file);
  made.exec(`create table items (id integer primary key, name text not null);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(ROWS)})
      insert into items select i, i || replace(hex(zeroblob(${String(LENGTH / 2)})), '0', 'X') from n`);
  made.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** `node:sqlite` keeps the arguments of `cast` until its statement ends. */
const DEAR = "/Items?$filter=Id le 30000 and (cast(Name,Edm.Double) eq 1 or cast(concat(Name,'é'),Edm.Double) eq 1)";

function open() {
  const Item = entityType("Item", { id: edm.int32().key(), name: edm.string() });
  const db: AnyDatabase = new Kysely({ dialect: sqliteDialect(file, { readerThreads: 1 }) });
  onTestFinished(() => db.destroy());
  const service = odataService({
    entitySets: [sqlEntitySet(Item, { db, table: "items", operations: ["read"] })],
    schemaCheck: false,
    defaults: { queryTimeout: null },
  });
  return {
    db,
    ask: async (target: string, signal?: AbortSignal) =>
      service.fetch(new Request(`http://x${encodeURI(target)}`, signal === undefined ? {} : { signal })),
  };
}

/** Collects the threads that start and end. */
function watchThreads() {
  const threads: Worker[] = [];
  const ended: Worker[] = [];
  const note = (worker: Worker): void => {
    threads.push(worker);
    worker.once("exit", () => ended.push(worker));
  };
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  return { threads, ended };
}

test("a thread that keeps much memory after a statement is replaced by the next one", async () => {
  const { threads, ended } = watchThreads();
  const { ask } = open();
  for (const count of [1, 2]) {
    const response = await ask(DEAR);
    expect([response.status, await response.json()]).toEqual([200, { "@odata.context": expect.anything(), value: [] }]);
    await expect.poll(() => [threads.length, ended.length]).toEqual([count, count]);
  }
  // A statement that keeps little memory ends no thread.
  for (let time = 0; time < 3; time += 1) {
    expect((await ask("/Items?$filter=contains(Name,'absent')")).status).toBe(200);
  }
  expect([threads.length, ended.length]).toEqual([3, 2]);
});

test("closing the database waits for threads that end", async () => {
  const { threads, ended } = watchThreads();
  const { ask, db } = open();
  expect((await ask(DEAR)).status).toBe(200);
  await db.destroy();
  expect([threads.length, ended.length]).toEqual([1, 1]);
});

test("a statement that fills the memory of its thread is 400, and the process continues", async () => {
  const script = fileURLToPath(new URL("full-memory.ts", import.meta.url));
  const args = ["--max-old-space-size=160", "--conditions=source", script, file];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const refused =
    "400 InvalidQueryOption The query takes too much memory. Filter by a property with an index, request fewer rows with $top, or call fewer functions in $filter and $orderby.";
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual([refused, "200", "200", refused]);
});

test("the memory is read once in ten milliseconds", () => {
  let time = 1000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => time);
  onTestFinished(() => clock.mockRestore());
  let reads = 0;
  const watch = new Watch({
    isFull: () => {
      reads += 1;
      return reads > 1;
    },
  });
  for (let row = 0; row < 100; row += 1) expect(watch.alive()).toBe(1);
  expect(reads).toBe(1);
  time += 11;
  expect(() => watch.alive()).toThrow("The query takes too much memory.");
});
