import type { TableName } from "../../edm/table-name.ts";
import type { DatabaseKind, ObjectName } from "../../introspect/database-schema.ts";
import { quoteName } from "../../introspect/quote-name.ts";
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

/**
 * Returns whether some rows of a set have no key, or rows of a table may share one later, so that its rows come from a query
 * and can only be read.
 */
export function isPartial({ kind, isKeyGuaranteed, excludesNulls, excludes }: DescribedSet): boolean {
  return excludesNulls.length > 0 || excludes.length > 0 || (kind === "table" && !isKeyGuaranteed);
}

/** Returns a query of the rows that have a key. */
export function keyedRowsQuery(
  set: DescribedSet,
  kind: DatabaseKind,
): { readonly sql: string; readonly parameters: readonly [] } {
  const { excludesNulls, excludes, properties } = set;
  const columns = properties.filter(({ field }) => excludesNulls.includes(field));
  const conditions = [...columns.map(({ column }) => `${quoteName(column, kind)} is not null`), ...excludes];
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  return { sql: `select * from ${quotedTable(set, kind)}${where}`, parameters: [] };
}

/** Returns the name of a table in SQL. */
export function quotedTable({ table, needsSchema }: DescribedSet, kind: DatabaseKind): string {
  const name = quoteName(table.name, kind);
  return needsSchema ? `${quoteName(table.schema, kind)}.${name}` : name;
}
