import { sql } from "kysely";
import { edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { chooseNames } from "../../../../src/tools/declarations/names/choose-names.ts";
import { type NamingOptions, objectKey } from "../../../../src/tools/declarations/names/naming.ts";
import { ENGINES } from "../../../engine/executors/engines.ts";
import { nameOf, namingInput, USUAL } from "./naming-input.ts";

/** Columns whose names mean something in JavaScript, in JSON of OData, or in SQL. */
const COLUMNS = [
  "id",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "__proto__",
  "prototype",
  "then",
  "toJSON",
  "class",
  "function",
  "@odata.etag",
  "odata",
  "$value",
  "$filter",
  "order by",
  "select",
  "null",
  "true",
  "not",
  "eq",
  "any",
  "all",
  "inf",
  "nan",
  "false",
  "min",
  "and",
  "or",
  "in",
  "has",
  "div",
  "asc",
  "desc",
  "contains",
  "duration",
  "geography",
  "$it",
  "$root",
  "$count",
  "$ref",
  "each",
  "me",
  "count",
  "2nd",
  "größe (cm)",
  "%",
  "😀",
  'a"b`c',
  "a.b",
];

describe.each(ENGINES)("$title", (engine) => {
  test.each<NamingOptions["style"]>(["idiomatic", "as-is"])(
    "a service publishes columns with any names: %s",
    async (style) => {
      const { db, close } = await engine.open();
      try {
        // Names of MariaDB have no characters beyond the first 65,536.
        const columns = COLUMNS.filter((column) => engine.name !== "mariadb" || column !== "😀");
        const definitions = columns.map((column) => sql`${sql.id(column)} integer not null`);
        await sql`create table item (${sql.join(definitions)}, primary key (id))`.execute(db);
        await sql`insert into item values (${sql.join(columns.map((_column, index) => sql.lit(index)))})`.execute(db);
        const input = namingInput({ item: "id" });
        const [item = { ...nameOf("item"), columns: [], enumColumns: [] }] = input.objects;
        const names = chooseNames({ ...input, objects: [{ ...item, columns }] }, { ...USUAL, style });
        const properties = [...(names.objects.get(objectKey(item))?.properties ?? [])];
        const Item = entityType(
          "Item",
          Object.fromEntries(
            properties.map(([column, { name, field }]) => [
              field,
              column === "id" ? edm.int32().key().json(name) : edm.int32().json(name),
            ]),
          ),
        );
        const set = sqlEntitySet(Item, {
          db,
          table: { name: "item" },
          operations: ["read"],
          columns: Object.fromEntries(properties.map(([column, { field }]) => [field, column])),
        });
        const service = odataService({ entitySets: [set] });
        const member = properties.map(([, { name }]) => name);
        const row = Object.fromEntries(member.map((name, index) => [name, index]));
        const queries = member.flatMap((name, index) => [`$orderby=${name}`, `$filter=${name} eq ${index}`]);
        const failures: unknown[] = [];
        for (const query of [...queries, `$select=${member.join(",")}`]) {
          const response = await service.fetch(new Request(`http://service.example/Items?${encodeURI(query)}`));
          const body = (await response.json()) as { readonly value?: unknown };
          if (JSON.stringify(body.value) !== JSON.stringify([row])) failures.push(query, body);
        }
        expect(failures).toEqual([]);
      } finally {
        await close();
      }
    },
  );
});
