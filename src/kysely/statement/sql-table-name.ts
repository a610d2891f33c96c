import { ExpressionWrapper, sql, TableNode } from "kysely";
import type { TableName } from "../../edm/table-name.ts";
import type { Sql } from "./sql-form.ts";

/**
 * Returns the quoted name of a table. A string is split at its dot; the parts of an object are taken as they are. Plugins
 * of Kysely may change both, for example to add a schema.
 */
export function sqlTableName(table: TableName): Sql {
  if (typeof table === "string") return sql`${sql.table(table)}`;
  const { schema, name } = table;
  const node = schema === undefined ? TableNode.create(name) : TableNode.createWithSchema(schema, name);
  return sql`${new ExpressionWrapper(node)}`;
}
