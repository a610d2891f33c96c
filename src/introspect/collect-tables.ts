import type { ColumnSchema, IndexedColumn, IndexSchema, TableSchema, WantedTable } from "./schema.ts";

/** One column of a catalogue, with its table. */
export interface ListedColumn {
  readonly schema: string;
  readonly table: string;
  readonly kind: TableSchema["kind"];
  readonly column: ColumnSchema;
}

/** One column of an index in a catalogue, in the order of the columns. */
export interface ListedIndexColumn {
  readonly schema: string;
  readonly table: string;
  readonly index: string;
  readonly isUnique: boolean;
  /** Whether the index omits rows. */
  readonly isPartial: boolean;
  readonly column: IndexedColumn | null;
}

/**
 * Groups the columns of a catalogue by table.
 * @param find returns a column of the table that a name in a statement refers to
 */
export function collectTables(
  wanted: readonly WantedTable[],
  columns: readonly ListedColumn[],
  indexes: readonly ListedIndexColumn[],
  find: (wanted: WantedTable, listed: readonly ListedColumn[]) => ListedColumn | undefined,
): ReadonlyMap<string, TableSchema> {
  const tables = new Map<string, TableSchema>();
  for (const each of wanted) {
    const found = find(each, columns);
    if (found === undefined) continue;
    const isOfTable = ({ schema, table }: Pick<ListedColumn, "schema" | "table">): boolean =>
      schema === found.schema && table === found.table;
    tables.set(each.text, {
      kind: found.kind,
      columns: columns.filter(isOfTable).map(({ column }) => column),
      indexes: collectIndexes(indexes.filter(isOfTable)),
    });
  }
  return tables;
}

/** Groups the columns of indexes that contain every row by index. */
export function collectIndexes(listed: readonly ListedIndexColumn[]): readonly IndexSchema[] {
  const byName = new Map<string, readonly ListedIndexColumn[]>();
  for (const each of listed) {
    if (!each.isPartial) byName.set(each.index, [...(byName.get(each.index) ?? []), each]);
  }
  return Array.from(byName.values(), (columns) => ({
    isUnique: columns.every(({ isUnique }) => isUnique),
    columns: columns.map(({ column }) => column),
  }));
}
