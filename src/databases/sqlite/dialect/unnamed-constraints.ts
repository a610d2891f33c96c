import { attempt } from "../../../base/maybe.ts";
import type { SynchronousReader } from "../../connection/synchronous-reader.ts";
import type { WriteSyntax } from "../../forms/write-syntax.ts";

/** A column of a foreign key, and the column that it refers to. */
interface ReferringColumn {
  readonly name: string;
  readonly referred: string;
}

/** A foreign key of a table. */
interface ForeignKey {
  readonly parent: string;
  readonly columns: readonly ReferringColumn[];
}

/**
 * Returns the columns of the only foreign key whose written cells refer to no row: errors of SQLite do not name it. Returns
 * nothing where that is uncertain, such as for a foreign key of which the statement writes a part.
 * @see https://sqlite.org/pragma.html#pragma_foreign_key_list
 */
export const findMissingReference: NonNullable<WriteSyntax["findMissingReference"]> = (table, cells, reader) => {
  const [name, schema] = namesIn(table).toReversed();
  if (name === undefined) return [];
  const found = attempt(() => {
    const written = foreignKeys(name, schema, reader).filter(({ columns }) =>
      columns.some((each) => isIn(cells, each)),
    );
    if (written.some(({ columns }) => !columns.every((each) => isIn(cells, each)))) return [];
    return written.filter((each) => isMissing(each, schema, cells, reader));
  }, Error);
  const [only, ...others] = found instanceof Error ? [] : found;
  return only === undefined || others.length > 0 ? [] : only.columns.map((each) => each.name);
};

function isIn(cells: ReadonlyMap<string, unknown>, { name }: ReferringColumn): boolean {
  return cells.has(name.toLowerCase());
}

/** Returns whether no row has the cells of a foreign key, none of which is null. */
function isMissing(
  { parent, columns }: ForeignKey,
  schema: string | undefined,
  cells: ReadonlyMap<string, unknown>,
  reader: SynchronousReader,
): boolean {
  const values = columns.map(({ name }) => cells.get(name.toLowerCase()));
  if (values.some((value) => value === null || value === undefined)) return false;
  const place = schema === undefined ? quoteName(parent) : `${quoteName(schema)}.${quoteName(parent)}`;
  const conditions = columns.map(({ referred }) => `${quoteName(referred)} = ?`).join(" and ");
  return reader.readOne(`select 1 from ${place} where ${conditions} limit 1`, values) === undefined;
}

function foreignKeys(name: string, schema: string | undefined, reader: SynchronousReader): readonly ForeignKey[] {
  const at = schema === undefined ? "?" : "?, ?";
  const given = (table: string): readonly string[] => (schema === undefined ? [table] : [table, schema]);
  const rows = reader.readRows(
    `select id, "table", "from", "to" from pragma_foreign_key_list(${at}) order by id, seq`,
    given(name),
  );
  const ids = [...new Set(rows.map(([id]) => id))];
  return ids.map((id) => {
    const columns = rows.filter(([each]) => each === id);
    const parent = String(columns[0]?.[1]);
    // Without names, a foreign key refers to the primary key.
    const isNamed = columns.every(([, , , to]) => to !== null);
    const keys = isNamed
      ? []
      : reader.readRows(`select name from pragma_table_info(${at}) where pk > 0 order by pk`, given(parent));
    const toColumn = ([, , from, to]: readonly unknown[], index: number): ReferringColumn => ({
      name: String(from),
      referred: String(isNamed ? to : keys[index]?.[0]),
    });
    return { parent, columns: columns.map(toColumn) };
  });
}

const QUOTED = /"((?:[^"]|"")*)"/g;

/** Returns the names in the quoted name of a table: its schema, if it has one, and its own name. */
export function namesIn(quoted: string): readonly string[] {
  return Array.from(quoted.matchAll(QUOTED), ([, name = ""]) => name.replaceAll('""', '"'));
}

/** Quotes a name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns the names of the unique indexes on exactly these columns: errors of SQLite name the columns.
 * @see https://sqlite.org/pragma.html#pragma_index_list
 */
export const findUniqueIndexes: NonNullable<WriteSyntax["findUniqueIndexes"]> = (table, columns, reader) => {
  const [name, schema] = namesIn(table).toReversed();
  if (name === undefined) return [];
  const at = schema === undefined ? "?" : "?, ?";
  const given = (each: string): readonly string[] => (schema === undefined ? [each] : [each, schema]);
  const wanted = keyOf(columns);
  const found = attempt(() => {
    const names = reader.readRows(`select name from pragma_index_list(${at}) where "unique" = 1`, given(name));
    return firstCells(names).filter((index) => {
      const indexed = reader.readRows(`select name from pragma_index_info(${at})`, given(index));
      return keyOf(firstCells(indexed)) === wanted;
    });
  }, Error);
  return found instanceof Error ? [] : found;
};

function firstCells(rows: readonly (readonly unknown[])[]): readonly string[] {
  return rows.map(([cell]) => String(cell));
}

/** Returns a text that is equal for the same columns in any order and letter case. */
function keyOf(columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => column.toLowerCase()).toSorted());
}
