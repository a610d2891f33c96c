import type { TableName } from "../../edm/table-name.ts";
import type { DatabaseKind, ObjectName } from "../../introspect/database-schema.ts";
import type { ColumnOptions } from "../../kysely/columns/column-option.ts";
import type { StorageForm } from "../../kysely/columns/storage-option.ts";
import type { DescribedSet } from "../described-service.ts";

/** Returns the option `table`: an object, because names may contain dots. */
export function tableOf({ schema, name }: ObjectName, needsSchema: boolean): TableName {
  return needsSchema ? { schema, name } : { name };
}

/** Returns the option `columns`. */
export function columnsOf({ properties }: DescribedSet): ColumnOptions {
  return Object.fromEntries(
    properties.map(({ field, column, sql, storage }) => [
      field,
      { ...(sql === null ? { name: column } : { sql }), ...(storage === null ? {} : { storage }) },
    ]),
  );
}

/** Returns the option `columns` of a link table; nothing if all columns have the default storage. */
export function linkColumnsOf(columns: Readonly<Record<string, StorageForm>>): {
  readonly columns?: Readonly<Record<string, { readonly storage: string | object }>>;
} {
  const entries = Object.entries(columns);
  if (entries.length === 0) return {};
  return { columns: Object.fromEntries(entries.map(([name, storage]) => [name, { storage }])) };
}

/** Returns a query of the rows that have a key. */
export function notNullQuery(
  { table, needsSchema, excludesNulls, properties }: DescribedSet,
  kind: DatabaseKind,
): { readonly sql: string; readonly parameters: readonly [] } {
  const quote = (name: string): string =>
    kind === "mysql" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;
  const from = needsSchema ? `${quote(table.schema)}.${quote(table.name)}` : quote(table.name);
  const columns = properties.filter(({ field }) => excludesNulls.includes(field)).map(({ column }) => quote(column));
  const where = columns.map((column) => `${column} is not null`).join(" and ");
  return { sql: `select * from ${from} where ${where}`, parameters: [] };
}
