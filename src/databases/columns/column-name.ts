import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type { TableName } from "../../edm/table-name.ts";
import type { AnyKysely } from "../connection/synchronous-reader.ts";
import type { WantedTable } from "../introspect/schema.ts";
import { sqlTableName } from "../statement/sql-operand.ts";

/** Returns a name as in statements: Kysely plugins may change it. */
export function columnName(column: string, db: AnyKysely): string {
  return required(namesIn(sql`${sql.id(column)}`.compile(db).sql)[0], "Kysely does not quote names.");
}

/** Returns a table as in statements, with the names in its text. */
export function wantedTable(table: TableName, db: AnyKysely): WantedTable {
  const text = sqlTableName(table).compile(db).sql;
  return { text, names: namesIn(text) };
}

/** Whether the plugins of Kysely name tables in statements, which are SQL fragments, as in queries of the application. */
export function namesTables(db: AnyKysely): boolean {
  if (db.getExecutor().plugins.length === 0) return true;
  const query = db.selectFrom("a_table").selectAll().compile();
  return query.sql.includes(` from ${wantedTable("a_table", db).text}`);
}

function namesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/"((?:[^"]|"")*)"|`((?:[^`]|``)*)`/g), ([, double, back = ""]) =>
    double === undefined ? back.replaceAll("``", "`") : double.replaceAll('""', '"'),
  );
}
