import { sql } from "kysely";
import { argumentAt } from "../../functions/translate-call.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { TranslateCall } from "../dialect-profile.ts";
import { DECIMAL_FORM } from "./decimal-forms.ts";
import { DOUBLE_FORM } from "./forms.ts";

/**
 * Rounding in SQLite. Its own `round` adds a half and cuts, which is wrong for 0.49999999999999994, and knows no
 * Decimals.
 */

export const roundOf: TranslateCall = (call) => {
  const bankers = sql.lit(call.roundingMode === "BankersRounding" ? 1 : 0);
  const argument = argumentAt(call, 0);
  return call.expression.type.name === "Edm.Decimal"
    ? computed({ sql: sql`odata_decimal_round(${argument}, ${bankers})`, form: DECIMAL_FORM })
    : computed({ sql: sql`odata_double_round(${argument}, ${bankers})`, form: DOUBLE_FORM });
};

export const floorOf: TranslateCall = (call) =>
  call.expression.type.name === "Edm.Decimal"
    ? computed({ sql: sql`odata_decimal_floor(${argumentAt(call, 0)})`, form: DECIMAL_FORM })
    : computed({ sql: sql`floor(${argumentAt(call, 0)})`, form: DOUBLE_FORM });

export const ceilingOf: TranslateCall = (call) =>
  call.expression.type.name === "Edm.Decimal"
    ? computed({ sql: sql`odata_decimal_ceiling(${argumentAt(call, 0)})`, form: DECIMAL_FORM })
    : computed({ sql: sql`ceil(${argumentAt(call, 0)})`, form: DOUBLE_FORM });
