import type { ObjectName, ObjectOmission } from "./database-schema.ts";
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
  /** The column of the first expression if it is its text: see `IndexSchema`. */
  readonly firstText?: IndexedColumn | undefined;
}

/**
 * Finds the first column of the table that a name in a statement refers to.
 * @param tables the first columns of all tables, by the name of the table in lower case
 */
export type FindTable = (
  wanted: WantedTable,
  tables: ReadonlyMap<string, readonly ListedColumn[]>,
) => ListedColumn | undefined;

/** Groups the columns of a catalogue by table. */
export function collectTables(
  wanted: readonly WantedTable[],
  columns: readonly ListedColumn[],
  indexes: readonly ListedIndexColumn[],
  find: FindTable,
): ReadonlyMap<string, TableSchema> {
  const byTable = groupBy(columns, tableKey);
  const indexesByTable = groupBy(indexes, tableKey);
  const firsts = Array.from(byTable.values(), (listed) => listed.slice(0, 1)).flat();
  const byName = groupBy(firsts, ({ table }) => table.toLowerCase());
  const tables = new Map<string, TableSchema>();
  for (const each of wanted) {
    const found = find(each, byName);
    if (found === undefined) continue;
    const key = tableKey(found);
    tables.set(each.text, {
      kind: found.kind,
      columns: (byTable.get(key) ?? []).map(({ column }) => column),
      indexes: collectIndexes(indexesByTable.get(key) ?? []),
    });
  }
  return tables;
}

/** Returns the key of a table in a map. */
export function tableKey({ schema, table }: Pick<ListedColumn, "schema" | "table">): string {
  return JSON.stringify([schema, table]);
}

/** Groups items by a key, in the order of the items. */
export function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const found = groups.get(key);
    if (found === undefined) groups.set(key, [item]);
    else found.push(item);
  }
  return groups;
}

/** Groups the columns of indexes that contain every row by index. */
export function collectIndexes(listed: readonly ListedIndexColumn[]): readonly IndexSchema[] {
  const complete = listed.filter(({ isPartial }) => !isPartial);
  return Array.from(groupBy(complete, ({ index }) => index).values(), (columns) => ({
    isUnique: columns.every(({ isUnique }) => isUnique),
    columns: columns.map(({ column }) => column),
    ...(columns[0]?.firstText && { firstText: columns[0].firstText }),
  }));
}

/** The tables of migration tools, in lower case. */
const MIGRATIONS: ReadonlyMap<string, string> = new Map([
  ["_prisma_migrations", "Prisma"],
  ["knex_migrations", "Knex"],
  ["knex_migrations_lock", "Knex"],
  ["kysely_migration", "Kysely"],
  ["kysely_migration_lock", "Kysely"],
  ["__drizzle_migrations", "Drizzle"],
  ["flyway_schema_history", "Flyway"],
  ["databasechangelog", "Liquibase"],
  ["databasechangeloglock", "Liquibase"],
  ["__efmigrationshistory", "Entity Framework"],
  ["__efmigrationslock", "Entity Framework"],
  ["alembic_version", "Alembic"],
  ["schema_migrations", "Rails"],
  ["ar_internal_metadata", "Rails"],
]);

/** Returns why a table is not published: a migration tool owns it. Null for other tables. */
export function omitMigrations({ name }: Pick<ObjectName, "name">): ObjectOmission | null {
  const tool = MIGRATIONS.get(name.toLowerCase());
  return tool === undefined ? null : { code: "migrations", reason: `a table of ${tool} for migrations` };
}
