import { sql } from "kysely";
import type { LinkColumn, LinkJoin } from "../../edm/model.ts";
import type { ColumnFormat } from "../columns/column-format.ts";
import type { DialectProfile } from "../dialects/dialect-profile.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import type { RowOperand } from "../statement/sql-operand.ts";

/** A table of links behind `from`. */
export function linkTable({ table }: LinkJoin, alias: string): Sql {
  return sql`${sql.table(table)} as ${sql.id(alias)}`;
}

/**
 * A column of a table of links as an operand.
 * @param like the form of the column that has the values of the property, where it is known
 */
export function linkColumn(column: LinkColumn, alias: string, profile: DialectProfile, like?: SqlForm): RowOperand {
  const { form } = linkFormat(column, profile, like);
  return { kind: "row", sql: sql`${sql.id(alias, column.column)}`, form, nulls: "column" };
}

/**
 * Returns the format of a column of a table of links: Guids in any letter case where the column of the property holds
 * them so, else the default of the type.
 */
export function linkFormat(column: LinkColumn, profile: DialectProfile, like: SqlForm | undefined): ColumnFormat {
  const { property } = column;
  const { columnFormat } = profile.values;
  const format = isAnyCase(column, profile, like) ? columnFormat(property, "text") : columnFormat(property, undefined);
  if (format === null) throw new Error(`${property.name} is no single value.`);
  return format;
}

/** Whether a column of a table of links holds Guids in any letter case. */
export function isAnyCase({ property, ...column }: LinkColumn, { values }: DialectProfile, like?: SqlForm): boolean {
  if (property.type.name !== "Edm.Guid") return false;
  return column.isAnyCase === true || (like !== undefined && values.columnFormat(property, "text")?.form === like);
}
