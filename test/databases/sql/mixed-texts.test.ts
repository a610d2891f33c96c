import fc from "fast-check";
import { sql } from "kysely";
import { arraySource, edm, entitySet, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { RefusingDatabase } from "./refusing-database.ts";

/**
 * Texts of one column in different forms: with other fraction digits, offsets or letter case than the declaration expects.
 * SQLite sorts them as texts.
 */
const Mixed = entityType("Mixed", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset().nullable(),
  whole: edm.dateTimeOffset({ precision: 0 }).nullable(),
  any: edm.dateTimeOffset({ precision: 12 }).nullable(),
  time: edm.timeOfDay({ precision: 12 }).nullable(),
  day: edm.date().nullable(),
  guid: edm.guid().nullable(),
});
const KEYS = {
  at: entityType("AtKeyed", { at: edm.dateTimeOffset().key(), id: edm.int32() }),
  any: entityType("AnyKeyed", { any: edm.dateTimeOffset({ precision: 12 }).key(), id: edm.int32() }),
  time: entityType("TimeKeyed", { time: edm.timeOfDay({ precision: 12 }).key(), id: edm.int32() }),
  day: entityType("DayKeyed", { day: edm.date().key(), id: edm.int32() }),
  guid: entityType("GuidKeyed", { guid: edm.guid().key(), id: edm.int32() }),
};
const FIELDS = ["at", "whole", "any", "time", "day", "guid"] as const;

const clock = fc.constantFrom("10:00:00", "10:00:01", "23:59:59");
const fraction = fc.constantFrom("", "", ".0", ".5", ".50", ".000", ".500", ".001", ".000000000001");
const time = fc.tuple(clock, fraction).map((parts) => parts.join(""));
const instant = fc
  .tuple(fc.constantFrom("2024-02-29", "2024-03-01"), fc.constantFrom("T", "T", "T", " "), time, fc.nat(5))
  .map(([day, separator, each, zone]) => {
    if (separator === " ") return `${day} ${each}`;
    return `${day}T${each}${["Z", "Z", "Z", "+02:00", "-11:30", "Z"][zone] ?? "Z"}`;
  });
const CELLS = {
  at: instant,
  whole: instant,
  any: instant,
  time: fc.oneof({ weight: 9, arbitrary: time }, { weight: 1, arbitrary: fc.constantFrom("10:00", "10:01") }),
  day: fc.constantFrom("2024-02-29", "2024-03-01", "12024-03-01", "0000-01-01", "-0001-01-01", "0001-01-01"),
  guid: fc.constantFrom(
    "0a0a0a0a-0000-0000-0000-00000000000a",
    "0A0a0a0a-0000-0000-0000-00000000000A",
    "0A0A0A0A-0000-0000-0000-00000000000A",
    "0b0b0b0b-0000-0000-0000-00000000000b",
    "0B0B0B0B-0000-0000-0000-00000000000B",
    "FFFFFFFF-0000-0000-0000-000000000000",
  ),
} as const;
const rowsOf = fc.array(fc.record(Object.fromEntries(FIELDS.map((field) => [field, fc.option(CELLS[field])]))), {
  minLength: 1,
  maxLength: 45,
});
type Cells = Readonly<Record<string, string | null>>;

const TERMS = [
  ...FIELDS.flatMap((field) => [field, `${field} desc`]),
  "time(at)",
  "date(at) desc",
  "second(whole)",
  "fractionalseconds(any)",
  "time(any) desc",
  "hour(time),fractionalseconds(time) desc",
  "year(day)",
  "time,guid desc",
  "at desc,time",
] as const;

type Service = ReturnType<typeof odataService>;
type Entity = Readonly<Record<string, unknown>>;

async function read(service: Service, link: string): Promise<{ value: readonly Entity[]; next: string | undefined }> {
  const response = await service.fetch(new Request(link));
  const text = await response.text();
  expect(response.status, `${decodeURIComponent(link)} ${text}`).toBe(200);
  const body = JSON.parse(text) as Entity;
  return { value: body["value"] as readonly Entity[], next: body["@odata.nextLink"] as string | undefined };
}

/** Follows all next links. An endless walk fails. */
async function walk(service: Service, path: string, most: number): Promise<readonly Entity[]> {
  const found: Entity[] = [];
  let next: string | undefined = `http://service.example/${path}`;
  for (let pages = 0; next !== undefined; pages += 1) {
    expect(pages, decodeURIComponent(next)).toBeLessThanOrEqual(most);
    const page: Awaited<ReturnType<typeof read>> = await read(service, next);
    found.push(...page.value);
    next = page.next;
  }
  return found;
}

describe("keyset pages over texts in different forms", () => {
  const database = new RefusingDatabase(":memory:");
  const { db, logger } = database;
  const options = { db, operations: ["read"], columns: { any: { storage: "text" } } } as const;
  let memory: readonly Entity[] = [];
  const sets = [1, 2, 5, 22, 1000].map((maxTop) =>
    sqlEntitySet(Mixed, { ...options, table: "mixed", name: `Mixed${String(maxTop)}`, maxTop }),
  );
  const service = odataService({
    logger,
    schemaCheck: false,
    propertyNaming: "camelCase",
    secret: "0123456789abcdef",
    defaults: { paging: "keyset" },
    entitySets: [
      ...sets,
      ...Object.entries(KEYS).flatMap(([field, type]) =>
        [2, 21, 1000].map((maxTop) =>
          sqlEntitySet(type as unknown as typeof Mixed, {
            db,
            operations: ["read"],
            table: `by_${field}`,
            name: `${field}${String(maxTop)}`,
            maxTop,
            columns: field === "any" ? ({ any: { storage: "text" } } as object) : {},
          }),
        ),
      ),
      entitySet(Mixed, { name: "Memory", queryable: () => arraySource(Mixed, memory as never[]) }),
    ],
  });

  beforeAll(async () => {
    const columns = sql.join(FIELDS.map((field) => sql`${sql.id(field)} text`));
    await sql`create table mixed (id integer primary key, ${columns})`.execute(db);
    for (const field of Object.keys(KEYS)) {
      await sql`create table ${sql.id(`by_${field}`)} (${sql.id(field)} text primary key, id integer not null)`.execute(
        db,
      );
    }
  });
  afterAll(() => db.destroy());

  async function fill(rows: readonly Cells[]): Promise<void> {
    await sql`delete from mixed`.execute(db);
    const lines = rows.map((cells, id) => sql`(${id}, ${sql.join(FIELDS.map((field) => cells[field] ?? null))})`);
    await sql`insert into mixed values ${sql.join(lines)}`.execute(db);
    for (const field of Object.keys(KEYS)) {
      await sql`delete from ${sql.id(`by_${field}`)}`.execute(db);
      await sql`insert or ignore into ${sql.id(`by_${field}`)}
        select ${sql.id(field)}, id from mixed where ${sql.id(field)} is not null`.execute(db);
    }
    // Such texts are compared as instants: two texts of one instant are one key.
    const instants = await sql<{ readonly id: number; readonly any: string }>`select id, "any" from by_any`.execute(db);
    const seen = new Set<number>();
    for (const { id, any } of instants.rows) {
      const value =
        Date.parse(any.includes("T") ? any : `${any.replace(" ", "T")}Z`) + (any.includes("000000001") ? 0.5 : 0);
      if (seen.has(value)) await sql`delete from by_any where id = ${id}`.execute(db);
      seen.add(value);
    }
  }

  test("contain each row once, in the order of the whole set", async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf, async (rows) => {
        await fill(rows);
        for (const term of TERMS) {
          for (const select of ["id", "id,at,whole,time,day,guid"]) {
            const path = `?$select=${select}&$orderby=${encodeURIComponent(term)}`;
            for (const isRefusing of [false, true]) {
              database.isRefusing = isRefusing;
              const whole = await walk(service, `Mixed1000${path}`, 1);
              expect(whole).toHaveLength(rows.length);
              for (const size of [1, 2, 5, 22]) {
                const paged = await walk(service, `Mixed${String(size)}${path}`, rows.length + 1);
                expect(paged, `${term} ${String(size)}`).toEqual(whole);
              }
            }
          }
        }
      }),
      { numRuns: caseCount(60) },
    );
  });

  test("contain each row once where such a text is the key", async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf, async (rows) => {
        await fill(rows);
        for (const field of Object.keys(KEYS)) {
          for (const order of ["", `?$orderby=${field} desc`, "?$orderby=id"]) {
            const whole = await walk(service, `${field}1000${order}`, 1);
            for (const size of [2, 21]) {
              const paged = await walk(service, `${field}${String(size)}${order}`, rows.length + 1);
              expect(paged, `${field} ${order}`).toEqual(whole);
            }
          }
        }
      }),
      { numRuns: caseCount(100) },
    );
  });

  test("have the order of the executor in memory with storage text, and for texts in the expected form", async () => {
    const expected = fc.record({
      at: fc.option(clock.chain((each) => fc.constantFrom(`2024-02-29T${each}.000Z`, `2024-02-29T${each}.500Z`))),
      whole: fc.option(clock.map((each) => `2024-02-29T${each}Z`)),
      any: fc.option(CELLS.any),
      time: fc.option(clock.chain((each) => fc.constantFrom(`${each}.000`, `${each}.500`))),
      day: fc.option(fc.constantFrom("2024-02-29", "2024-03-01")),
      guid: fc.option(CELLS.guid.map((each) => each.toLowerCase())),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(expected, { minLength: 1, maxLength: 45 }), async (rows) => {
        await fill(rows);
        memory = rows.map((cells, id) => ({ id, ...cells, any: cells.any?.replace(/ (.*)$/u, "T$1Z") ?? null }));
        for (const term of TERMS) {
          const path = `?$select=id&$orderby=${encodeURIComponent(term)}`;
          const whole = await walk(service, `Memory${path}`, 1);
          for (const size of [2, 22]) {
            const paged = await walk(service, `Mixed${String(size)}${path}`, rows.length + 1);
            expect(paged, `${term} ${String(size)}`).toEqual(whole);
          }
        }
      }),
      { numRuns: caseCount(60) },
    );
  });

  const END = ["Z", ".5Z", ".000Z", ".500Z"].map((end) => sql.lit(end));
  const second = sql`strftime('%Y-%m-%dT%H:%M:%S', 1700000000 + i / 4, 'unixepoch')`;
  const guid = sql`printf('%08x-abcd-0000-0000-000000000000', i)`;
  test.each([
    [
      "at",
      KEYS.at,
      sql`${second} || case i % 4 when 0 then ${END[0]} when 1 then ${END[1]} when 2 then ${END[2]} else ${END[3]} end`,
    ],
    ["guid", KEYS.guid, sql`case i % 3 when 0 then upper(${guid}) else ${guid} end`],
  ] as const)("divided pages in the order of such a key have each row once: %s", async (field, type, cell) => {
    const table = sql.id(`by_${field}`);
    await sql`delete from ${table}`.execute(db);
    await sql`insert into ${table}
      with recursive n(i) as (select 0 union all select i + 1 from n where i < 24999) select ${cell}, i from n`.execute(
      db,
    );
    await sql`analyze`.execute(db);
    const { rows } = await sql<{ readonly id: number }>`select id from ${table} order by ${sql.id(field)}`.execute(db);
    const set = { db, table: `by_${field}`, name: "Long", operations: ["read"], maxTop: null } as const;
    const long = odataService({
      // It refuses such texts in a key.
      schemaCheck: false,
      propertyNaming: "camelCase",
      entitySets: [sqlEntitySet(type as unknown as typeof KEYS.at, set)],
    });
    for (const select of ["id", `${field},id`]) {
      const value = await walk(long, `Long?$select=${select}&$top=24990&$skip=3`, 3);
      expect(value.map((each) => each["id"])).toEqual(rows.slice(3, 24_993).map(({ id }) => id));
    }
  });
});
