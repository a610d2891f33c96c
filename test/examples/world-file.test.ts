import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorld } from "../../examples/world/database.ts";
import { TRIP_TABLES } from "../../examples/world/tables.ts";

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

/** The definitions and the trips of a file, as another program sees them. */
function tablesOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("select name, sql from sqlite_schema order by name").all();
  const trips = database.prepare("select * from trips").all();
  database.close();
  return { tables, trips };
}

const EARLIER = [
  "create table countries (code text primary key)",
  "create table cities (id integer primary key)",
  "analyze",
];

/** Trips as a file of another version has them: the second stop, and the second link, are of no city or country that is there. */
const TRIPS = [
  ...Object.values(TRIP_TABLES),
  "insert into trips (id, title, status, rowVersion) values (7, 'Kept', 'Booked', 3)",
  "insert into stops (tripId, position, place, nights, cityId) values (7, 1, 'Lisbon', 2, 2267057), (7, 2, 'Atlantis', 2, 1)",
  "insert into tripCountries values (7, 'PT'), (7, 'XX')",
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

  test("keeps its trips when the tables of the world are made anew", async () => {
    const file = fileWith("trips.db", "pragma foreign_keys = off", ...EARLIER, ...TRIPS);
    const db = await openWorld(file, () => undefined);
    expect(await db.selectFrom("trips").select(["id", "title", "status", "rowVersion"]).execute()).toEqual([
      { id: 7, title: "Kept", status: "Booked", rowVersion: 3 },
    ]);
    expect(await db.selectFrom("stops").select(["place", "cityId"]).orderBy("position").execute()).toEqual([
      { place: "Lisbon", cityId: 2_267_057 },
      { place: "Atlantis", cityId: null },
    ]);
    expect(await db.selectFrom("tripCountries").selectAll().execute()).toEqual([{ trip: 7, country: "PT" }]);
    // References are heeded again.
    await expect(db.deleteFrom("cities").where("id", "=", 2_267_057).execute()).rejects.toThrow("FOREIGN KEY");
    await db.destroy();
  });

  test("stays as it was when it could not be made anew", async () => {
    const file = fileWith("failed.db", "pragma foreign_keys = off", ...EARLIER, ...TRIPS);
    const before = tablesOf(file);
    const failing = (): never => {
      throw new Error("The power went off.");
    };
    await expect(openWorld(file, failing)).rejects.toThrow("The power went off.");
    expect(tablesOf(file)).toEqual(before);
  });

  test("is left alone when it is of another program", async () => {
    const file = fileWith("foreign.db", "create table orders (id integer)");
    await expect(openWorld(file, () => undefined)).rejects.toThrow(
      `${file} has a table orders, so it is no database of this example. Name another file in WORLD_DB.`,
    );
    expect(existsSync(file)).toBe(true);
  });

  test("a file that is not a database is refused", async () => {
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
      `${file} is in use by an earlier version of the example, or by one that is loading it: end that program, or wait.`,
    );
    other.close();
    expect(existsSync(file)).toBe(true);
  });
});
