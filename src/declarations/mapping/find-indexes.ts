import type { DatabaseSchema, ObjectColumn, SchemaObject } from "../../introspect/database-schema.ts";
import type { DescribedColumn } from "../described-service.ts";

/** What indexes can do with a property. */
export interface IndexUse {
  readonly isIndexed: boolean;
  readonly hasOrderedIndex: boolean;
}

const NONE: IndexUse = { isIndexed: false, hasOrderedIndex: false };

/** Finds the indexes that begin with a column, or with the column of a table that a view returns unchanged. */
export function findIndexes(
  object: SchemaObject,
  column: ObjectColumn,
  { type, storage, sql, isCollection, nullable }: DescribedColumn & { readonly nullable: boolean },
  { kind, objects }: DatabaseSchema,
): IndexUse {
  const isPostgres = kind === "postgres";
  // Statements compare the text of such a cell, which no index on the column contains.
  if (sql !== null || isCollection || (isPostgres && storage === "text")) return NONE;
  const { source } = column;
  const table = source === null ? object : objects.find((each) => isNamed(each, source));
  const name = source === null ? column.name : source.column;
  const needsCodePoints = isPostgres && type === "Edm.String" && storage !== "hex";
  const firsts = (table?.indexes ?? []).flatMap(({ columns: [first] }) =>
    first?.name === name && (!needsCodePoints || isByCodePoint(first.collation)) ? [first] : [],
  );
  // Statements order null first, and PostgreSQL has indexes that order it last.
  const needsNulls = isPostgres && nullable;
  return {
    isIndexed: firsts.length > 0,
    hasOrderedIndex: firsts.some(({ nullsFirst }) => nullsFirst || !needsNulls),
  };
}

/** Statements over PostgreSQL compare strings by code point, whatever the collation of the column. */
function isByCodePoint(collation: string | null): boolean {
  return collation === "C" || collation === "POSIX";
}

function isNamed(object: SchemaObject, wanted: { readonly schema: string; readonly name: string }): boolean {
  return object.schema === wanted.schema && object.name === wanted.name;
}
