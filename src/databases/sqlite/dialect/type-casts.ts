import { sql } from "kysely";
import { isInteger } from "../../../edm/primitive-type.ts";
import { castIn } from "../../../language/query/cast-call.ts";
import type { SqlCall, TranslateCall } from "../../forms/dialect-values.ts";
import { argumentAt } from "../../forms/translate-call.ts";
import { castConstant, shownDigits, shownScale } from "../../forms/type-casts.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { computed } from "../../statement/sql-operand.ts";
import { sqliteCanonicalForm, STRING_FORM } from "./forms.ts";

/** Translates `cast`: by the function of `sqliteDialect`, unless SQLite has the same texts. */
export const castInSqlite: TranslateCall = (call) => {
  const constant = castConstant(call);
  if (constant !== undefined) return constant;
  const { source, target, digits } = castIn(call.expression);
  const value = argumentAt(call, 0);
  const text = target.name === "Edm.String" ? ownText(call, value) : undefined;
  if (text !== undefined) return computed({ sql: text, form: STRING_FORM });
  const shown = target.name === "Edm.String" ? (shownDigits(call) ?? shownScale(call)) : undefined;
  const written = shown ?? digits;
  return computed({
    sql: sql`odata_cast(${sql.lit(source.name)}, ${sql.lit(target.name)}, ${sql.lit(written)}, ${value})`,
    form: sqliteCanonicalForm(target),
  });
};

/** Returns the text of a value without a function; undefined if SQLite would write another one. */
function ownText({ expression }: SqlCall, value: Sql): Sql | undefined {
  const { source } = castIn(expression);
  // A whole number may be stored as REAL.
  if (isInteger(source)) return sql`cast(cast(${value} as integer) as text)`;
  switch (source.name) {
    case "Edm.Boolean":
      return sql`(case ${value} when 1 then 'true' when 0 then 'false' end)`;
    case "Edm.Guid":
    case "Edm.Date":
      return value;
    default:
      return undefined;
  }
}
