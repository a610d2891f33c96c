import { sql } from "kysely";
import { edm, entityType, enumType, hasMany, hasOptional, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";
import { ask } from "./relations.ts";

const Rights = enumType("Rights", { Read: 1, Write: 2 }, { isFlags: true });
const Grade = enumType("Grade", { Junior: 10, Senior: 2 });

/** A join value of parents: its literal, and its column types in SQLite, PostgreSQL and MariaDB. */
const CASES = [
  [
    "DateTimeOffset",
    edm.dateTimeOffset({ precision: 3 }),
    "2024-02-29T12:00:00.500Z",
    "text",
    "timestamptz(3)",
    "datetime(3)",
  ],
  ["TimeOfDay", edm.timeOfDay(), "12:30:00", "text", "time", "time"],
  ["Duration", edm.duration(), "P1DT2H", "text", "text", "varchar(40)"],
  ["Date", edm.date(), "2024-02-29", "text", "date", "date"],
  ["flags", edm.enum(Rights), "Read,Write", "integer", "integer", "integer"],
  ["an enumeration", edm.enum(Grade), "Senior", "text", "text", "varchar(40)"],
  ["Decimal", edm.decimal({ precision: 10, scale: 4 }), 1.5, "text", "numeric(10,4)", "decimal(10,4)"],
  ["Guid", edm.guid(), "01234567-89ab-cdef-0123-456789abcdef", "text", "uuid", "char(36)"],
  ["Boolean", edm.boolean(), true, "integer", "boolean", "boolean"],
  ["Int64", edm.int64(), 5, "integer", "int8", "bigint"],
] as const;

/** The key in a URL, and its cell in an inserted row. */
function spell(title: string, value: string | number | boolean, isSqlite: boolean): readonly [string, unknown] {
  if (title === "flags") return [`Service.Rights'${String(value)}'`, 3];
  if (title === "an enumeration") return [`Service.Grade'${String(value)}'`, value];
  if (title === "Duration") return [`duration'${String(value)}'`, value];
  return [String(value), isSqlite && typeof value === "boolean" ? Number(value) : value];
}

describe.each(ENGINES.map((engine) => [engine.title, engine] as const))("%s", (_title, engine) => {
  test.each(CASES)("finds entities by a key of %s", async (title, type, value, ...columns) => {
    const Parent = entityType("Parent", { id: type.key() });
    const Child = entityType("Child", { id: edm.int32().key(), parentId: type.nullable().ignored() });
    const { db, close } = await engine.open();
    const column = sql.raw(columns[["sqlite", "postgres", "mariadb"].indexOf(engine.name)] ?? "");
    const isMariadbTime = engine.name === "mariadb" && title === "DateTimeOffset";
    const [literal, plainCell] = spell(title, value, engine.name === "sqlite");
    const cell = isMariadbTime ? "2024-02-29 12:00:00.500" : plainCell;
    await sql`create table parents (id ${column} primary key)`.execute(db);
    await sql`create table children (id integer primary key, parent_id ${column})`.execute(db);
    await sql`insert into parents values (${cell})`.execute(db);
    await sql`insert into children values (1, ${cell}), (2, null), (3, ${cell})`.execute(db);
    const operations = ["read"] as const;
    const service = odataService({
      namespace: "Service",
      propertyNaming: "camelCase",
      entitySets: [
        sqlEntitySet(Parent, {
          db,
          table: "parents",
          operations,
          navigation: { children: hasMany(Child, { on: { id: "parentId" }, target: "Children" }) },
        }),
        sqlEntitySet(Child, {
          db,
          table: "children",
          operations,
          name: "Children",
          columns: { parentId: "parent_id" },
          navigation: { parent: hasOptional(Parent, { on: { parentId: "id" }, target: "Parents" }) },
        }),
      ],
    });
    const both = [{ id: 1 }, { id: 3 }];
    const id = expect.anything();
    expect(await ask(service, "/Parents?$expand=children")).toMatchObject({ value: [{ id, children: both }] });
    expect(await ask(service, `/Parents(${literal})/children`)).toMatchObject({ value: both });
    expect(await ask(service, "/Children(3)?$expand=parent($expand=children($top=1;$count=true))")).toMatchObject({
      parent: { id, "children@odata.count": 2, children: [{ id: 1 }] },
    });
    expect(await ask(service, "/Children(2)?$expand=parent")).toMatchObject({ parent: null });
    await close();
  });
});
