import { isYes, textOf, textOrNull, type CatalogueRow, type CatalogueSteps } from "../../introspect/catalogue-steps.ts";
import {
  collectTables,
  type FindTable,
  type ListedColumn,
  type ListedIndexColumn,
} from "../../introspect/collect-tables.ts";
import type { CheckedSchema, WantedTable, ComparedTexts } from "../../introspect/schema.ts";
import { MYSQL_TRIGGERS, withTriggers } from "../../introspect/triggered-tables.ts";

/**
 * Selects columns of tables. The catalogue compares names in any letter case, in which two tables may have one name.
 * @param more further columns, from `c12`
 */
export const mysqlColumns = (
  more = "",
): string => `select c.table_schema as c0, c.table_name as c1, t.table_type as c2, c.column_name as c3,
  lower(c.data_type) as c4, cast(c.column_type as char) as c5, c.is_nullable as c6, lower(c.extra) as c7,
  cast(c.column_default as char) as c8, c.collation_name as c9, c.table_schema = database() as c10,
  timediff(now(), utc_timestamp()) = 0 as c11${more}
  from information_schema.columns c
  join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    and binary t.table_schema = binary c.table_schema and binary t.table_name = binary c.table_name`;

/** Selects columns of indexes. @param more further columns, from `c7` */
export const mysqlIndexes = (
  more = "",
): string => `select c.table_schema as c0, c.table_name as c1, c.index_name as c2, c.non_unique as c3,
  c.column_name as c4, c.collation as c5, c.sub_part as c6${more}
  from information_schema.statistics c`;
const NAMES = `select table_name as c0 from information_schema.tables where table_schema = database()`;

/** Reads the catalogue of MariaDB and MySQL. @see https://mariadb.com/kb/en/information-schema-tables/ */
export function* readMysqlCatalogue(wanted: readonly WantedTable[]): CatalogueSteps<CheckedSchema> {
  const parameters = wanted.flatMap(({ names }) => names);
  const tests = wanted.map(({ names }) =>
    names.length > 1
      ? "(c.table_schema = ? and c.table_name = ?)"
      : "(c.table_schema = database() and c.table_name = ?)",
  );
  const where = `where (${tests.join(" or ")})`;
  const columns = yield { sql: `${mysqlColumns()} ${where} order by c.ordinal_position`, parameters, width: 12 };
  const indexes = yield {
    sql: `${mysqlIndexes()} ${where} order by c.index_name, c.seq_in_index`,
    parameters,
    width: 7,
  };
  const found = collectTables(wanted, columns.map(toMysqlColumn), indexes.map(toMysqlIndexColumn), finderOf(columns));
  const tables = yield* withTriggers(wanted, found, MYSQL_TRIGGERS);
  const isComplete = wanted.every(({ text }) => tables.has(text));
  const names = isComplete ? [] : yield { sql: NAMES, parameters: [], width: 1 };
  const isUtcSession = columns.every((row) => isYes(row[11]));
  return { tables, ignoresCase: true, isUtcSession, tableNames: names.map(([name]) => textOf(name)) };
}

/** The server decides whether letter case matters. Prefers the same case. */
function finderOf(columns: readonly CatalogueRow[]): FindTable {
  const own = new Set(columns.filter((row) => isYes(row[10])).map(([schema]) => textOf(schema)));
  return ({ names }, tables) => {
    const [table = "", schema] = names.toReversed();
    const near = tables
      .get(table.toLowerCase())
      ?.filter((each) =>
        schema === undefined ? own.has(each.schema) : each.schema.toLowerCase() === schema.toLowerCase(),
      );
    return near?.find((each) => each.table === table) ?? near?.[0];
  };
}

/** Returns a row of `mysqlColumns`. */
export function toMysqlColumn(row: CatalogueRow): ListedColumn {
  const [schema, table, kind, name, type, definition, isNullable, extra, defaultValue, collation] = row;
  return {
    schema: textOf(schema),
    table: textOf(table),
    kind: textOf(kind).includes("VIEW") ? "view" : "table",
    column: {
      name: textOf(name),
      isHidden: false,
      type: textOf(type),
      definition: textOf(definition),
      nullable: isYes(isNullable),
      isGenerated: /virtual generated|stored generated|persistent/.test(textOf(extra)),
      defaultValue: textOrNull(defaultValue),
      defaultCell: null,
      collation: textOrNull(collation),
      labels: labelsOf(textOf(type), textOf(definition)),
    },
  };
}

/** The values in `enum('a','b')`. */
function labelsOf(type: string, definition: string): readonly string[] | null {
  if (type !== "enum") return null;
  return Array.from(definition.matchAll(/'((?:[^']|'')*)'/g), ([, label = ""]) => label.replaceAll("''", "'"));
}

/** Returns a row of `mysqlIndexes`. */
export function toMysqlIndexColumn([schema, table, index, isNotUnique, name, order]: CatalogueRow): ListedIndexColumn {
  const column = textOrNull(name);
  return {
    schema: textOf(schema),
    table: textOf(table),
    index: textOf(index),
    isUnique: !isYes(isNotUnique),
    isPartial: false,
    column: column === null ? null : { name: column, collation: null, nullsFirst: textOrNull(order) !== "D" },
  };
}

/** The collation that compares by code point. */
const BY_CODE_POINT = "utf8mb4_nopad_bin";

/**
 * Reads how foreign keys of MariaDB compare texts: by the collation that both columns have.
 * @see https://mariadb.com/kb/en/information-schema-key_column_usage-table/
 */
export function* readMysqlTexts(
  wanted: readonly WantedTable[],
  { tables }: CheckedSchema,
): CatalogueSteps<readonly ComparedTexts[]> {
  const tests = wanted.map(({ names }) =>
    names.length > 1
      ? "(k.table_schema = ? and k.table_name = ?)"
      : "(k.table_schema = database() and k.table_name = ?)",
  );
  const rows = yield {
    sql: `select k.table_schema as c0, k.table_name as c1, k.column_name as c2, k.referenced_table_schema as c3,
  k.referenced_table_name as c4, k.referenced_column_name as c5, k.table_schema = database() as c6,
  k.referenced_table_schema = database() as c7
  from information_schema.key_column_usage k where k.referenced_table_name is not null and (${tests.join(" or ")})`,
    parameters: wanted.flatMap(({ names }) => names),
    width: 8,
  };
  const named = (schema: unknown, table: unknown, isOwn: unknown): readonly string[] =>
    wanted.filter((each) => isNamed(each, textOf(schema), textOf(table), isYes(isOwn))).map(({ text }) => text);
  const collationOf = (table: string, column: string): string | null =>
    tables.get(table)?.columns.find(({ name }) => name === column)?.collation ?? null;
  return rows.flatMap(([schema, table, column, otherSchema, otherTable, otherColumn, isOwn, isOwnOther]) => {
    const [childColumn, parentColumn] = [textOf(column), textOf(otherColumn)];
    return named(schema, table, isOwn).flatMap((child) =>
      named(otherSchema, otherTable, isOwnOther).flatMap((parent): readonly ComparedTexts[] => {
        const collation = collationOf(parent, parentColumn);
        // Columns with two collations cannot be compared without one of them.
        const isShared = collation === collationOf(child, childColumn);
        if (collation === null || collation === BY_CODE_POINT || !isShared) return [];
        return [{ child, childColumn, parent, parentColumn, comparison: { type: null, collation, isShared } }];
      }),
    );
  });
}

/** The server may ignore the letter case of tables. */
function isNamed({ names }: WantedTable, schema: string, table: string, isOwn: boolean): boolean {
  const [wanted = "", wantedSchema] = names.toReversed().map((name) => name.toLowerCase());
  if (wanted !== table.toLowerCase()) return false;
  return wantedSchema === undefined ? isOwn : wantedSchema === schema.toLowerCase();
}
