import { sql } from "kysely";
import type { LinkColumn, LinkJoin } from "../../edm/model.ts";
import type { DialectProfile } from "../dialect-profile.ts";
import type { Sql } from "./sql-form.ts";
import type { RowOperand } from "./sql-operand.ts";

/** A table of links behind `from`. */
export function linkTable({ table }: LinkJoin, alias: string): Sql {
  return sql`${sql.table(table)} as ${sql.id(alias)}`;
}

/**
 * A column of a table of links as an operand. It holds the values of its property as the default of their type is
 * stored.
 */
export function linkColumn({ property, column }: LinkColumn, alias: string, { values }: DialectProfile): RowOperand {
  const format = values.columnFormat(property, undefined);
  if (format === null) throw new Error(`${property.name} is no single value.`);
  return { kind: "row", sql: sql`${sql.id(alias, column)}`, form: format.form, nulls: "column" };
}
