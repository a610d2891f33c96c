import { sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EMBEDDED, type DatabaseName, ENGINES, type OpenDatabase } from "./engines.ts";

/** Columns have six digits, and the properties three. Each value that a response shows finds its own row. */
const Reading = entityType("Reading", { at: edm.dateTimeOffset({ precision: 3 }).key(), id: edm.int32() });
const Event = entityType("Event", {
  id: edm.int32().key(),
  at: edm.dateTimeOffset({ precision: 3 }),
  whole: edm.dateTimeOffset({ precision: 0 }),
});

const TYPES: Readonly<Record<DatabaseName, string>> = {
  sqlite: "text",
  postgres: "timestamptz",
  mariadb: "datetime(6)",
};
const CELLS = [".123456", ".123999", ".124", ".124001", ".999999"];

/** Texts that other programs write to SQLite, and the timestamps that responses show for them. */
const OTHER_CELLS = [
  ["2024-02-29T10:00:00Z", "10:00", "2024-02-29T10:00:00Z"],
  ["2024-02-29T10:00:00.50Z", "10:00:00", "2024-02-29T10:00:00.50Z"],
  ["2024-02-29T10:00:00.5Z", "10:00:00.000", "2024-02-29T10:00:00.5Z"],
  ["2024-02-29T10:00:00.500Z", "10:00:00.5", "2024-02-29T10:00:00.500Z"],
  ["2024-02-29T10:00:00.500000Z", "10:00:00.500000", "2024-02-29T10:00:00.500000Z"],
  ["2024-02-29 10:00:01", "10:00:10", "2024-02-29T10:00:01Z"],
  ["2024-02-29 10:00:00.25", "10:01", "2024-02-29T10:00:00.25Z"],
  ["2024-02-29T12:00:00+02:00", "00:00", "2024-02-29T12:00:00+02:00"],
  ["2024-02-29T10:00:00.123456+00:00", "23:59:59.999", "2024-02-29T10:00:00.123456Z"],
  ["2024-02-29T08:00:00.5-02:00", "00:00:00.0", "2024-02-29T08:00:00.5-02:00"],
] as const;

function openEngine(): Promise<OpenDatabase> {
  const engine = EMBEDDED.find(({ name }) => name === "sqlite");
  if (engine === undefined) throw new Error("There is no SQLite in this run.");
  return engine.open();
}

function cellOf(fraction: string, database: DatabaseName): string {
  if (database === "sqlite") return `2024-02-29T10:00:00${fraction}Z`;
  return `2024-02-29 10:00:00${fraction}${database === "postgres" ? "+00" : ""}`;
}

async function readFrom(
  service: ODataService,
  path: string,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const target = path.startsWith("http") ? path : `http://service.example/${path}`;
  const response = await service.fetch(new Request(target));
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

async function idsFrom(service: ODataService, path: string): Promise<readonly number[]> {
  const { status, body } = await readFrom(service, path);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body["value"] as readonly { readonly id: number }[]).map(({ id }) => id);
}

describe.each(ENGINES)("timestamps of $title with more digits than their properties", (engine) => {
  let opened: OpenDatabase;
  let service: ODataService;

  beforeAll(async () => {
    opened = await engine.open();
    const { db } = opened;
    const type = sql.raw(TYPES[engine.name]);
    // MariaDB has keys of texts with a length only.
    await sql`create table readings (at ${type} primary key, id int not null)`.execute(db);
    await sql`create table events (id int primary key, at ${type} not null, whole ${type} not null)`.execute(db);
    for (const [id, fraction] of CELLS.entries()) {
      const cell = cellOf(fraction, engine.name);
      await sql`insert into events values (${id}, ${cell}, ${cell})`.execute(db);
      // No two keys share the digits that responses show.
      if (id % 2 === 0) await sql`insert into readings values (${cell}, ${id})`.execute(db);
    }
    const columns = { db, operations: ["read", "patch", "delete"] } as const;
    service = odataService({
      schemaCheck: false,
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Reading, { ...columns, table: "readings" }),
        sqlEntitySet(Event, { ...columns, table: "events" }),
      ],
    });
  });
  afterAll(() => opened.close());

  const read = (path: string) => readFrom(service, path);
  const ids = (path: string) => idsFrom(service, path);

  test("an entity is found at its own URL, and by its key", async () => {
    const response = await service.fetch(
      new Request("http://service.example/Readings", { headers: { Accept: "application/json;odata.metadata=full" } }),
    );
    const { value } = (await response.json()) as { readonly value: readonly Record<string, unknown>[] };
    expect(value).toHaveLength(3);
    for (const entity of value) {
      const found = await read(String(entity["@odata.id"]));
      expect(found).toMatchObject({ status: 200, body: { id: entity["id"], at: entity["at"] } });
    }
  });

  test("filters for the value that a response shows find its row", async () => {
    const { body } = await read("Events?$orderby=id");
    const rows = body["value"] as readonly { readonly id: number; readonly at: string; readonly whole: string }[];
    for (const { id, at, whole } of rows) {
      const same = rows.filter((row) => row.at === at).map((row) => row.id);
      expect(same).toContain(id);
      expect(await ids(`Events?$filter=at eq ${at}&$orderby=id`)).toEqual(same);
      expect(await ids(`Events?$filter=at in (${at})&$orderby=id`)).toEqual(same);
      expect(await ids(`Events?$filter=at ne ${at}&$orderby=id`)).toEqual(
        rows.filter((row) => row.at !== at).map((row) => row.id),
      );
      expect(await ids(`Events?$filter=whole eq ${whole}&$orderby=id`)).toContain(id);
    }
  });

  // SQLite compares texts of several widths as texts: `storage: "text"` compares them as instants.
  test.skipIf(engine.name === "sqlite")("comparisons are those of the values that responses show", async () => {
    const { body } = await read("Events?$orderby=id");
    const rows = body["value"] as readonly { readonly id: number; readonly at: string }[];
    const compare = {
      gt: (left: string, right: string) => left > right,
      ge: (left: string, right: string) => left >= right,
      lt: (left: string, right: string) => left < right,
      le: (left: string, right: string) => left <= right,
    } as const;
    const values = ["2024-02-29T10:00:00.123Z", "2024-02-29T10:00:00.124Z", "2024-02-29T10:00:00.999Z"];
    for (const value of values) {
      for (const [operator, test] of Object.entries(compare)) {
        const expected = rows.filter(({ at }) => test(at, value)).map(({ id }) => id);
        expect(await ids(`Events?$filter=at ${operator} ${value}&$orderby=id`), `${operator} ${value}`).toEqual(
          expected,
        );
        expect(await ids(`Events?$filter=not(at ${operator} ${value})&$orderby=id`)).toEqual(
          rows.map(({ id }) => id).filter((id) => !expected.includes(id)),
        );
      }
    }
    const many = Array.from({ length: 20 }, (_none, index) => `2024-02-29T10:00:00.${String(110 + index)}Z`);
    expect(await ids(`Events?$filter=at in (${many.join(",")})&$orderby=id`)).toEqual([0, 1, 2, 3]);
    expect(await ids("Events?$filter=fractionalseconds(at) eq 0.124&$orderby=id")).toEqual([2, 3]);
    expect(await ids("Events?$filter=at gt whole&$orderby=id")).toEqual([0, 1, 2, 3, 4]);
  });
});

test.runIf(ENGINES.some(({ name }) => name === "sqlite"))(
  "timestamps and times that other programs write to SQLite are found as responses show them",
  async () => {
    const { db, close } = await openEngine();
    const Note = entityType("Note", {
      id: edm.int32().key(),
      at: edm.dateTimeOffset({ precision: 3 }).nullable(),
      time: edm.timeOfDay({ precision: 3 }).nullable(),
    });
    const Keyed = entityType("Keyed", { at: edm.dateTimeOffset({ precision: 3 }).key(), id: edm.int32() });
    await sql`create table notes (id int primary key, at text, time text)`.execute(db);
    await sql`create table keyed (at text primary key, id int not null)`.execute(db);
    for (const [id, [at, time]] of OTHER_CELLS.entries()) {
      await sql`insert into notes values (${id}, ${at}, ${time})`.execute(db);
      // Each key shows another value.
      if (id % 2 === 0) await sql`insert into keyed values (${at}, ${id})`.execute(db);
    }
    await sql`insert into notes values (${OTHER_CELLS.length}, null, null)`.execute(db);
    const base = { db, operations: ["read", "patch", "delete"] } as const;
    const service = odataService({
      schemaCheck: false,
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Note, { ...base, table: "notes" }),
        sqlEntitySet(Keyed, { ...base, name: "Keyed", table: "keyed" }),
      ],
    });
    const { body } = await readFrom(service, "Notes?$orderby=id");
    const rows = body["value"] as ReadonlyArray<
      { readonly id: number } & Readonly<Record<"at" | "time", string | null>>
    >;
    expect(rows.map(({ at }) => at)).toEqual([...OTHER_CELLS.map(([, , shown]) => shown), null]);
    const nulls = [OTHER_CELLS.length];
    for (const name of ["at", "time"] as const) {
      for (const { id, [name]: value } of rows) {
        if (value === null) continue;
        const literal = encodeURIComponent(value);
        const found = await idsFrom(service, `Notes?$filter=${name} eq ${literal}&$orderby=id`);
        expect(found, value).toContain(id);
        // Every row is in one of the two, and each row that shows the value in the first.
        expect(rows.filter((row) => row[name] === value).map((row) => row.id)).toEqual(
          found.filter((each) => rows[each]?.[name] === value),
        );
        const others = rows.map((row) => row.id).filter((each) => !found.includes(each));
        for (const filter of [`${name} in (${literal})`, `not(${name} ne ${literal})`]) {
          expect(await idsFrom(service, `Notes?$filter=${filter}&$orderby=id`), filter).toEqual(found);
        }
        for (const filter of [`${name} ne ${literal}`, `not(${name} eq ${literal})`, `not(${name} in (${literal}))`]) {
          expect(await idsFrom(service, `Notes?$filter=${filter}&$orderby=id`), filter).toEqual(others);
        }
        expect(await idsFrom(service, `Notes?$filter=${name} in (${literal},null)&$orderby=id`)).toEqual([
          ...found,
          ...nulls,
        ]);
      }
    }
    const keyed = (await readFrom(service, "Keyed")).body["value"] as readonly {
      readonly at: string;
      readonly id: number;
    }[];
    expect(keyed).toHaveLength(OTHER_CELLS.length / 2);
    for (const { at, id } of keyed) {
      const url = `http://service.example/Keyed(${encodeURIComponent(at)})`;
      expect(await readFrom(service, url)).toMatchObject({ status: 200, body: { at, id } });
      const init = { method: "PATCH", headers: { "Content-Type": "application/json" }, body: '{"id":7}' };
      expect((await service.fetch(new Request(url, init))).status).toBe(200);
      expect((await service.fetch(new Request(url, { method: "DELETE" }))).status).toBe(204);
    }
    expect((await readFrom(service, "Keyed")).body["value"]).toEqual([]);
    await close();
  },
);
