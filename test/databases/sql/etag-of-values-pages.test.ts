import { sql } from "kysely";
import { edm, entityType, hasMany, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { type DatabaseName, ENGINES } from "../../engine/executors/engines.ts";
import { sendTo } from "./writes-model.ts";

const Row = entityType("Row", {
  id: edm.int32().key(),
  text: edm.string().nullable(),
  small: edm.int16().nullable(),
  large: edm.int64().nullable(),
  ratio: edm.double().nullable(),
  price: edm.decimal({ precision: 12, scale: 4 }).nullable(),
  is: edm.boolean().nullable(),
  day: edm.date().nullable(),
  at: edm.dateTimeOffset({ precision: 3 }).nullable(),
  mark: edm.guid().nullable(),
});

type Field = "text" | "small" | "large" | "ratio" | "price" | "is" | "day" | "at" | "mark";

const COLUMNS: Readonly<Record<Field, readonly [sqlite: string, postgres: string, mariadb: string]>> = {
  text: ["text", "text", "varchar(50)"],
  small: ["int", "smallint", "smallint"],
  large: ["int", "bigint", "bigint"],
  ratio: ["real", "double precision", "double"],
  price: ["text", "numeric(12, 4)", "decimal(12, 4)"],
  is: ["int", "boolean", "boolean"],
  day: ["text", "date", "date"],
  at: ["text", "timestamptz(3)", "datetime(3)"],
  mark: ["text", "uuid", "char(36)"],
};

const CELLS: Readonly<Record<Field, readonly string[]>> = {
  text: ["'a\"b'", "'é\uFEFF\u2028😀'", "'a/b'", "''", "null"],
  small: ["-5", "0", "null"],
  large: ["9007199254740993", "-1", "null"],
  ratio: ["0.30000000000000004", "1e21", "-2.5", "1.5e-7", "null", "50"],
  price: ["'1.5000'", "'-12.0001'", "null"],
  is: ["true", "false", "null"],
  day: ["'2024-02-29'", "null"],
  at: ["'2024-01-01 10:00:00.120Z'", "'2024-01-01 10:00:00.000Z'", "null"],
  mark: ["'f6a1bc04-1234-4abc-9def-0123456789ab'", "null"],
};

const LISTS: ReadonlyArray<readonly Field[]> = [
  ...(Object.keys(COLUMNS) as Field[]).map((field) => [field] as const),
  ["text", "small"],
  ["mark", "text", "large"],
];

function cellOf(field: Field, index: number, name: DatabaseName): string {
  const cell = CELLS[field][index % CELLS[field].length] ?? "null";
  if (field !== "at" || cell === "null" || name === "postgres") return cell;
  return name === "mariadb" ? cell.replace("Z", "") : cell.replace(" ", "T");
}

describe.each(ENGINES)("an ETag of values of $title", (engine) => {
  test("is that of a single read in pages of any size and form", async () => {
    const { db, close } = await engine.open();
    const position = { sqlite: 0, postgres: 1, mariadb: 2 } as const;
    const fields = Object.keys(COLUMNS) as Field[];
    const columns = fields.map((field) => sql`${sql.id(field)} ${sql.raw(COLUMNS[field][position[engine.name]])}`);
    await sql`create table many (id int primary key, ${sql.join(columns)})`.execute(db);
    for (let id = 1; id <= 40; id += 1) {
      const cells = fields.map((field) => sql.raw(cellOf(field, id, engine.name)));
      await sql`insert into many values (${sql.lit(id)}, ${sql.join(cells)})`.execute(db);
    }
    const many = (etag: readonly Field[], index: number) =>
      sqlEntitySet(Row, {
        name: `Many${String(index)}`,
        db,
        table: "many",
        operations: ["read", "patch"],
        etag,
        maxTop: 100,
        navigation: { same: hasMany(Row, { on: { small: "small" }, target: `Many${String(index)}` }) },
      });
    const service = odataService({ entitySets: LISTS.map(many), defaults: { maxExpandTop: 100 } });
    const send = sendTo(service);
    for (const [index, list] of LISTS.entries()) {
      const set = `Many${String(index)}`;
      const single = new Map<unknown, unknown>();
      for (let id = 1; id <= 40; id += 1) single.set(id, (await send("GET", `${set}(${id})`)).headers.get("ETag"));
      expect(new Set(single.values()).size, list.join()).toBeGreaterThan(1);
      for (const query of [
        "",
        "?$top=5",
        "?$select=Id",
        "?$select=Small,Id",
        "?$expand=Same($select=Id,Ratio;$top=3)",
      ]) {
        const { status, json } = await send("GET", set + query);
        expect(status, query).toBe(200);
        const found = entitiesIn(json);
        expect(found.length, query).toBeGreaterThan(4);
        for (const each of found) expect(each["@odata.etag"], set + query).toBe(single.get(each["Id"]));
      }
    }
    await close();
  });
});

/** Returns all entities within a value. */
function entitiesIn(value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) return value.flatMap(entitiesIn);
  if (typeof value !== "object" || value === null) return [];
  const related = Object.values(value).flatMap(entitiesIn);
  return "@odata.etag" in value ? [{ ...value }, ...related] : related;
}
