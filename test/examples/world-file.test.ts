import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld } from "../../examples/world/database.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "odatakit-world-file-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A file with tables as other programs, or earlier versions, left them. */
function fileWith(name: string, ...statements: readonly string[]): string {
  const file = join(folder, name);
  const database = new DatabaseSync(file);
  for (const statement of ["pragma journal_mode = wal", ...statements]) database.exec(statement);
  database.close();
  return file;
}

const EARLIER = [
  "create table countries (code text primary key)",
  "create table cities (id integer primary key)",
  "analyze",
];

describe("the file of the world example", () => {
  test("is made anew when it has the tables of an earlier version", async () => {
    const file = fileWith("earlier.db", ...EARLIER);
    let loaded = 0;
    const db = await openWorld(file, (rows) => (loaded = rows));
    expect(loaded).toBe(135_483);
    const { neighbours } = await db
      .selectFrom("borders")
      .select(({ fn }) => fn.countAll().as("neighbours"))
      .where("country", "=", "PT")
      .executeTakeFirstOrThrow();
    expect(Number(neighbours)).toBe(1);
    await db.destroy();
    loaded = 0;
    await (await openWorld(file, (rows) => (loaded = rows))).destroy();
    expect(loaded).toBe(0);
  });

  test("is left alone when it is of another program", async () => {
    const file = fileWith("foreign.db", "create table orders (id integer)");
    await expect(openWorld(file, () => undefined)).rejects.toThrow(
      `${file} has a table orders, so it is no database of this example. Name another file in WORLD_DB.`,
    );
    expect(existsSync(file)).toBe(true);
  });

  test("is left alone when it is no database", async () => {
    const file = join(folder, "text.db");
    await writeFile(
      file,
      "This is a text, and longer than the head of a database has to be, as SQLite looks at it.".repeat(4),
    );
    await expect(openWorld(file, () => undefined)).rejects.toThrow(
      `Cannot open the SQLite database ${file}: file is not a database.`,
    );
  });

  test("is not replaced while another program serves it", async () => {
    const file = fileWith("used.db", ...EARLIER);
    const other = new DatabaseSync(file);
    other.prepare("select * from cities").all();
    await expect(openWorld(file, () => undefined)).rejects.toThrow(
      `${file} is of an earlier version of the example and in use: end the program that serves it.`,
    );
    other.close();
    expect(existsSync(file)).toBe(true);
  });
});
