import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Reading = entityType("Reading", { id: edm.int32().key(), value: edm.double() });
const Price = entityType("Price", { id: edm.int32().key(), value: edm.decimal({ precision: 8, scale: 2 }) });
const Count = entityType("Count", { id: edm.int32().key() });

/** Starts a service over a set. @returns "started", or the faults */
async function startOf(set: Parameters<typeof odataService>[0]["entitySets"][number]): Promise<string> {
  try {
    await odataService({ entitySets: [set] }).ready();
    return "started";
  } catch (error) {
    return String(error);
  }
}

const Visit = entityType("Visit", { id: edm.int32().key(), at: edm.dateTimeOffset({ precision: 3 }) });

describe.each(ENGINES.filter(({ name }) => name === "postgres"))("$title with few digits", ({ open }) => {
  test("stops a service that would return other floating-point numbers than those stored", async () => {
    const { db, close } = await open();
    await sql`create table readings (id int4 primary key, value float8 not null)`.execute(db);
    await sql`insert into readings values (1, 0.1 + 0.2::float8)`.execute(db);
    const place = { db, table: "readings", operations: ["read"] } as const;
    const { table: _table, ...queried } = { ...place, from: db.selectFrom("readings").selectAll() };
    expect(await startOf(sqlEntitySet(Reading, place))).toBe("started");
    for (const digits of [0, -15]) {
      await sql`set extra_float_digits = ${sql.lit(digits)}`.execute(db);
      const fault = `Readings: The setting \`extra_float_digits\` of the sessions is ${String(digits)}, so PostgreSQL shortens the floating-point numbers that it returns. Set it to 1`;
      expect(await startOf(sqlEntitySet(Reading, place))).toContain(fault);
      expect(await startOf(sqlEntitySet(Reading, queried))).toContain(fault);
      const real = { ...place, columns: { value: { storage: "real" } } } as const;
      expect(await startOf(sqlEntitySet(Price, real))).toContain(fault.replace("Readings", "Prices"));
      expect(await startOf(sqlEntitySet(Count, place))).toBe("started");
    }
    await sql`set extra_float_digits = 1`.execute(db);
    expect(await startOf(sqlEntitySet(Reading, place))).toBe("started");
    await close();
  });

  test("stops a service over several machines that may read other dates", async () => {
    const { db, close } = await open(undefined, { datestyle: "SQL, MDY" });
    await sql`create table visits (id int4 primary key, at timestamptz not null)`.execute(db);
    const place = { db, table: "visits", operations: ["read"] } as const;
    const fault =
      "Visits: The setting `DateStyle` of the sessions is SQL, MDY, so the machines of a distributed database may read other dates than those that the service sends. Set it to ISO, its default: `alter role … set datestyle = 'ISO'`, or `options: \"-c datestyle=ISO\"` of the pool.";
    for (const distributed of [true, { by: "id" }] as const) {
      expect(await startOf(sqlEntitySet(Visit, { ...place, distributed }))).toContain(fault);
    }
    expect(await startOf(sqlEntitySet(Count, { ...place, name: "Counts", distributed: true }))).toBe("started");
    expect(await startOf(sqlEntitySet(Visit, place))).toBe("started");
    await close();
    const iso = await open(undefined, { datestyle: "ISO, DMY" });
    await sql`create table visits (id int4 primary key, at timestamptz not null)`.execute(iso.db);
    expect(await startOf(sqlEntitySet(Visit, { ...place, db: iso.db, distributed: true }))).toBe("started");
    await iso.close();
  });
});
