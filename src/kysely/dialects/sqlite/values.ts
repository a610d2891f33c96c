import { sql } from "kysely";
import { isInteger, type PrimitiveType } from "../../../edm/primitive-type.ts";
import type { ConvertExpression, Expression } from "../../../query/expression.ts";
import { toComputable } from "../../statement/sql-form.ts";
import { computed, type RowOperand } from "../../statement/sql-operand.ts";
import type { DialectValues } from "../dialect-profile.ts";
import { SQLITE_ARITHMETIC } from "./arithmetic.ts";
import { sqliteColumnFormat } from "./column-format.ts";
import { scaledDecimalForm } from "./decimal-forms.ts";
import { sqliteCanonicalForm, DOUBLE_FORM } from "./forms.ts";
import { INSTANT_FORM, DATE_FORM, MIDNIGHT_FORM } from "./temporal-forms.ts";
import { withKnownCollations } from "./text-collation.ts";

/** How SQLite stores values and computes with them. */
export const SQLITE_VALUES: DialectValues = Object.freeze<DialectValues>({
  canonicalForm: sqliteCanonicalForm,
  columnFormat: sqliteColumnFormat,
  guidsAreTexts: true,
  documentText: (column) => column,
  ...SQLITE_ARITHMETIC,
  convert: convertInSqlite,
  withKnownCollations,
});

/**
 * Converts to a wider type in SQLite. Cells that are already in the order of the target type stay unchanged, so that an index
 * on a column serves comparisons with constants of that type.
 */
export function convertInSqlite({ operand, type }: ConvertExpression, translated: RowOperand): RowOperand {
  switch (type.name) {
    case "Edm.Decimal":
      return isInteger(primitiveType(operand)) ? { ...translated, form: scaledDecimalForm(0) } : translated;
    case "Edm.Single":
    case "Edm.Double":
      return toDouble(operand, translated);
    case "Edm.DateTimeOffset":
      return toTimestamp(translated);
    default:
      return translated;
  }
}

function toDouble(operand: Expression, translated: RowOperand): RowOperand {
  const { name } = primitiveType(operand);
  if (name === "Edm.Decimal") {
    return computed({ sql: sql`odata_double(${toComputable(translated).sql})`, form: DOUBLE_FORM });
  }
  // The conversion rounds Int64 values beyond 2^53. Comparisons of SQLite with REAL would not.
  if (name === "Edm.Int64") return { ...translated, sql: sql`cast(${translated.sql} as real)`, form: DOUBLE_FORM };
  return { ...translated, form: DOUBLE_FORM };
}

function toTimestamp(translated: RowOperand): RowOperand {
  const { midnight } = translated.form;
  if (midnight !== undefined) return { ...translated, form: midnight };
  if (translated.form === DATE_FORM) return { ...translated, form: MIDNIGHT_FORM };
  return { ...translated, sql: sql`(${translated.sql} || 'T00:00:00Z')`, form: INSTANT_FORM };
}

function primitiveType({ type }: Expression): PrimitiveType {
  if (type?.kind === "PrimitiveType") return type;
  throw new Error("Only primitive values can be converted.");
}
