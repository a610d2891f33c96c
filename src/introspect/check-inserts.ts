import type { SchemaFinding } from "../errors/schema-finding.ts";
import { textOf, type CatalogueSteps } from "./catalogue-steps.ts";
import { findColumn } from "./compare-tables.ts";
import type { DatabaseKind, ObjectColumn, ObjectName, SchemaObject } from "./database-schema.ts";
import type { ExpectedTable } from "./expected-table.ts";
import { quoteName } from "./quote-name.ts";
import type { WantedObjects } from "./wanted-objects.ts";

/** The tables whose triggers may supply values of new rows. Triggers of SQLite cannot. */
const TRIGGERED: Readonly<Record<DatabaseKind, string | null>> = {
  postgres: `select distinct n.nspname::text as c0, c.relname::text as c1 from pg_trigger t
    join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and t.tgtype & 7 = 7`,
  mysql: `select distinct event_object_schema as c0, event_object_table as c1 from information_schema.triggers
    where action_timing = 'BEFORE' and event_manipulation = 'INSERT'`,
  sqlite: null,
};

/** Finds the columns without a value that make every insert of the service fail. */
export function* checkInserts(
  expected: readonly ExpectedTable[],
  { database: { kind }, objects }: WantedObjects,
): CatalogueSteps<readonly SchemaFinding[]> {
  const found = expected.flatMap((table) => {
    const object = table.isCreated ? objects.get(table.text) : undefined;
    if (object?.kind !== "table") return [];
    const findings = [...missingValues(table, object, kind)];
    return findings.length === 0 ? [] : [{ object, findings }];
  });
  const sql = TRIGGERED[kind];
  const rows = found.length === 0 || sql === null ? [] : yield { sql, parameters: [], width: 2 };
  const triggered = new Set(rows.map(([schema, name]) => keyOf({ schema: textOf(schema), name: textOf(name) })));
  return found.flatMap(({ object, findings }) => (triggered.has(keyOf(object)) ? [] : findings));
}

function* missingValues(
  { columns, set, names, text }: ExpectedTable,
  object: SchemaObject,
  kind: DatabaseKind,
): Iterable<SchemaFinding> {
  const place = { set, table: names.join("."), code: "C08", severity: "error" } as const;
  for (const column of object.columns.filter((each) => needsValue(each, kind))) {
    const mapped = columns.filter(
      ({ name }) => findColumn(name, object, { ignoresCase: kind !== "postgres" })?.name === column.name,
    );
    const name = `\`${place.table}.${column.name}\``;
    const setDefault = `alter table ${text} alter column ${quoteName(column.name, kind)} set default …`;
    const how = kind === "sqlite" ? "make the table again with a default" : `give it a default: ${setDefault}`;
    if (mapped.length === 0) {
      const message = `The column ${name} needs a value, but no property supplies one, so every \`create\` fails.`;
      yield { ...place, column: column.name, message, fix: `Declare a property for the column, or ${how}.` };
    } else if (mapped.every(({ source }) => source === "database")) {
      const property = mapped[0]?.property;
      const message = `The database has no value for the column ${name}, but its property is \`.computed()\`, so every \`create\` fails.`;
      yield { ...place, property, column: column.name, message, fix: `Remove \`.computed()\`, or ${how}.` };
    } else if (mapped.every(({ databaseDefault }) => databaseDefault)) {
      const property = mapped[0]?.property;
      const message = `The database has no default for the column ${name}, but its property is \`.databaseDefault()\`, so every \`create\` without the property fails.`;
      yield { ...place, property, column: column.name, message, fix: `Remove \`.databaseDefault()\`, or ${how}.` };
    }
  }
}

/** Whether the database rejects a new row without a value of the column. */
function needsValue(column: ObjectColumn, kind: DatabaseKind): boolean {
  if (column.nullable || column.isGenerated || column.isIdentity || column.isHidden) return false;
  // Some servers fill the first `timestamp` of a table.
  return column.defaultValue === null && !(kind === "mysql" && column.type === "timestamp");
}

function keyOf({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}
