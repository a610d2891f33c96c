import { isYes, textOf, type CatalogueSteps } from "./catalogue-steps.ts";
import type { ComparedTexts } from "./compared-texts.ts";
import type { CheckedSchema, WantedTable } from "./schema.ts";

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
