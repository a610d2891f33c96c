import { expect, test } from "vitest";
import { runSteps } from "../../../src/databases/introspect/catalogue-steps.ts";
import type { DatabaseKind, ObjectColumn, SchemaObject } from "../../../src/databases/introspect/database-schema.ts";
import type { ExpectedTable } from "../../../src/databases/introspect/expected-table.ts";
import { checkPrivileges } from "../../../src/databases/schema/check-privileges.ts";

const column = (name: string, isSelectable: boolean): ObjectColumn => ({ name, isSelectable }) as ObjectColumn;
const object = (...columns: readonly ObjectColumn[]): SchemaObject =>
  ({ columns }) as Partial<SchemaObject> as SchemaObject;
const table = (name: string, declaredBy: string, ...columns: readonly string[]): ExpectedTable =>
  ({
    text: `"${name}"`,
    names: [name],
    set: "Orders",
    declaredBy,
    columns: columns.map((each) => ({ name: each, property: `${each}Field` })),
  }) as unknown as ExpectedTable;

test.each<readonly [DatabaseKind, string, readonly string[]]>([
  [
    "postgres",
    'app"x',
    [
      'C02 Orders.secretField grant select ("secret") on "orders" to "app""x"',
      'C01 Orders.undefined grant select on "hidden" to "app""x"',
      'C01 Orders.tags grant select on "links" to "app""x"',
    ],
  ],
  [
    "mysql",
    "app@%",
    [
      "C02 Orders.secretField grant select (`secret`) on \"orders\" to 'app'@'%'",
      "C01 Orders.undefined grant select on \"hidden\" to 'app'@'%'",
      "C01 Orders.tags grant select on \"links\" to 'app'@'%'",
    ],
  ],
])("the check of privileges over %s names the missing grant", (kind, user, fixes) => {
  const objects = new Map([
    ['"orders"', object(column("id", true), column("secret", false), column("other", false))],
    ['"hidden"', object(column("id", false))],
    ['"links"', object(column("id", false))],
  ]);
  const expected = [
    table("orders", "table", "id", "secret", "gone"),
    table("hidden", "table", "id"),
    table("links", "tags", "id"),
    table("gone", "table", "id"),
  ];
  const database = { kind, product: "", defaultSchema: "", objects: [] };
  const found = runSteps(checkPrivileges(expected, { database, objects }), () => [[user]]);
  const shown = (found as Awaited<typeof found>).map(
    ({ code, set, property, fix }) => `${code} ${set}.${String(property)} ${fix}`,
  );
  expect(shown).toEqual(fixes);
});
