import { required } from "../../base/required.ts";
import type { DatabaseKind, ObjectColumn, ObjectName } from "../../introspect/database-schema.ts";
import type { ColumnMapping, ColumnMappingContext, MapColumn } from "../columns/column-mapping.ts";
import { mapMysqlColumn } from "../columns/mysql-columns.ts";
import { mapPostgresColumn } from "../columns/postgres-columns.ts";
import { mapSqliteColumn } from "../columns/sqlite-columns.ts";
import type { DescribeOptions } from "../describe-options.ts";
import type { DescribedColumn } from "../described-service.ts";

/** The mappers of columns. */
const MAPPERS: Readonly<Record<DatabaseKind, MapColumn>> = {
  sqlite: mapSqliteColumn,
  postgres: mapPostgresColumn,
  mysql: mapMysqlColumn,
};

/** Maps a column of a kind of database. No key can be an Edm.Binary, so a key of bytes is a String of their digits. */
export function mapColumn(kind: DatabaseKind, column: ObjectColumn, context: ColumnMappingContext): ColumnMapping {
  const mapping = MAPPERS[kind](column, context);
  if (column.isKeyPart !== true || !("column" in mapping)) return mapping;
  const { type, isCollection, facets } = mapping.column;
  if (type !== "Edm.Binary" || isCollection) return mapping;
  const { maxLength } = facets;
  const digits = maxLength === undefined ? {} : { maxLength: 2 * maxLength };
  return { ...mapping, column: { ...mapping.column, type: "Edm.String", storage: "hex", facets: digits } };
}

/** Maps a column without names, which decide neither whether it is published nor whether it is an enumeration. */
export function roughMapping(
  kind: DatabaseKind,
  column: ObjectColumn,
  { zoneless = "utc" }: DescribeOptions,
): ColumnMapping {
  const enumType = column.labels === null ? null : "Enumeration";
  return mapColumn(kind, column, { place: "", enumType, zoneless });
}

/** Returns the name of an object for messages and flags. */
export function placeOf({ schema, name }: ObjectName): string {
  return schema === "main" ? name : `${schema}.${name}`;
}

/** A published column of an object. */
interface PublishedColumn {
  readonly column: ObjectColumn;
  readonly mapped: DescribedColumn;
}

/** Returns a published column with its type. @param columns the published columns of its object */
export function publishedColumn(
  columns: readonly ObjectColumn[],
  name: string | undefined,
  kind: DatabaseKind,
  options: DescribeOptions,
): PublishedColumn {
  const unpublished = "The column is not published.";
  const column = required(
    columns.find((each) => each.name === name),
    unpublished,
  );
  const mapping = roughMapping(kind, column, options);
  return { column, mapped: required("column" in mapping ? mapping.column : null, unpublished) };
}
