import type { DatabaseKind } from "../../../databases/introspect/database-schema.ts";
import type { ColumnRules } from "./column-rules.ts";
import { MYSQL_RULES } from "./mysql-rules.ts";
import { POSTGRES_RULES } from "./postgres-rules.ts";
import { SQLITE_RULES } from "./sqlite-rules.ts";

const RULES: Readonly<Record<DatabaseKind, ColumnRules>> = {
  sqlite: SQLITE_RULES,
  postgres: POSTGRES_RULES,
  mysql: MYSQL_RULES,
};

/** Returns what the columns of a kind of database contain. */
export function rulesOf(kind: DatabaseKind): ColumnRules {
  return RULES[kind];
}
