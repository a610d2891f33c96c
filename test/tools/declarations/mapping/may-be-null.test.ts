import { sql } from "kysely";
import { describeService, readDatabaseSchema } from "odatakit/introspect";
import { expect, test } from "vitest";
import { required } from "../../../../src/base/required.ts";
import type { DatabaseSchema } from "../../../../src/databases/introspect/database-schema.ts";
import { SQLITE } from "../../../databases/introspect/sqlite-hostile.ts";

/** A table whose second column is not null, as another database would describe it. */
async function schemaOf(kind: DatabaseSchema["kind"], facts: object): Promise<DatabaseSchema> {
  const opened = await SQLITE.open();
  try {
    await sql`create table a (id integer primary key, x int not null)`.execute(opened.db);
    const schema = await readDatabaseSchema(opened.db);
    const objects = schema.objects.map((object) => ({
      ...object,
      columns: object.columns.map((column) => ({
        ...column,
        ...(column.name === "x" ? facts : { type: kind === "mysql" ? "int" : "int4" }),
        sample: null,
      })),
    }));
    return { ...schema, kind, objects };
  } finally {
    await opened.close();
  }
}

// The database has values of these types that a response cannot contain, such as NaN, infinity and zero dates.
test.each<readonly [DatabaseSchema["kind"], object, boolean]>([
  ["postgres", { type: "numeric", precision: 10, scale: 2 }, true],
  ["postgres", { type: "numeric" }, true],
  ["postgres", { type: "money" }, false],
  ["postgres", { type: "timestamptz" }, true],
  ["postgres", { type: "time", precision: 6 }, true],
  ["postgres", { type: "int4" }, false],
  ["mysql", { type: "tinyint", definition: "tinyint(1)" }, true],
  ["mysql", { type: "bit", definition: "bit(1)", precision: 1 }, false],
  ["mysql", { type: "decimal", precision: 10, scale: 2 }, false],
])("the not-null column of %s with %j may be null in responses: %s", async (kind, facts, expected) => {
  const [set] = describeService(await schemaOf(kind, facts)).sets;
  expect(required(set?.properties[1], "The table has a second column.").nullable).toBe(expected);
});
