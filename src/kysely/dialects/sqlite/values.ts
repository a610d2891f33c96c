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
import { ANY_DATE_FORM, INSTANT_FORM, DATE_FORM, MIDNIGHT_FORM } from "./temporal-forms.ts";
import { withKnownCollations } from "./text-collation.ts";

/** How SQLite holds values, and computes with them. */
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
 * A conversion to a wider type in SQLite. Where the cells of the operand are in the order of the target type they stay
 * as they are, so that an index on a column serves comparisons with a constant of the target type.
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
  // An Int64 beyond 2^53 is rounded by the conversion, which SQLite's own comparison with a REAL does not do.
  if (name === "Edm.Int64") return { ...translated, sql: sql`cast(${translated.sql} as real)`, form: DOUBLE_FORM };
  return { ...translated, form: DOUBLE_FORM };
}

function toTimestamp(translated: RowOperand): RowOperand {
  const { midnight } = translated.form;
  if (midnight !== undefined) return { ...translated, form: midnight };
  if (translated.form === DATE_FORM) return { ...translated, form: MIDNIGHT_FORM };
  if (translated.form !== ANY_DATE_FORM) return translated;
  return { ...translated, sql: sql`(${translated.sql} || 'T00:00:00Z')`, form: INSTANT_FORM };
}

function primitiveType({ type }: Expression): PrimitiveType {
  if (type?.kind === "PrimitiveType") return type;
  throw new Error("Only primitive values can be converted.");
}
