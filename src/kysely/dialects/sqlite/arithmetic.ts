import { sql } from "kysely";
import {
  arithmeticOf,
  infixOperators,
  INFIX,
  type ArithmeticTable,
  type Compute,
  type Operators,
} from "../../functions/arithmetic.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DialectValues, Term } from "../dialect-profile.ts";
import { sqliteCanonicalForm } from "./forms.ts";

/** SQLite turns integers beyond Int64 into REAL. Writes long operands once, or the text would double per level. */
function withinInt64(result: Sql, isShort: boolean): Sql {
  if (isShort) return sql`(case typeof(${result}) when 'integer' then ${result} end)`;
  return sql`(select iif(typeof(odata_value) = 'integer', odata_value, null) from (select ${result} as odata_value))`;
}

/** Casts to REAL, because SQLite computes with whole numbers that are bound as INTEGER as integers. */
function asReal({ sql: term }: Term): Sql {
  return sql`cast(${term} as real)`;
}

function by(name: Sql): Compute {
  return (left, right) => sql`${name}(${left.sql}, ${right.sql})`;
}

function byOpposite(name: Sql): Compute {
  return (left, right) => sql`${name}(${left.sql}, odata_duration_negate(${right.sql}))`;
}

function integer(operator: Sql): Compute {
  return (left, right) => withinInt64(sql`(${left.sql} ${operator} ${right.sql})`, left.isShort && right.isShort);
}

const INTEGERS: Operators = {
  add: integer(INFIX.add),
  sub: integer(INFIX.sub),
  mul: integer(INFIX.mul),
  div: integer(INFIX.div),
  mod: integer(INFIX.mod),
};

const DECIMALS: Operators = {
  add: by(sql`odata_decimal_add`),
  sub: by(sql`odata_decimal_subtract`),
  mul: by(sql`odata_decimal_multiply`),
  div: by(sql`odata_decimal_divide`),
  mod: by(sql`odata_decimal_modulo`),
};

const DOUBLES: Operators = {
  ...infixOperators((left, operator, right) => sql`(${asReal(left)} ${operator} ${asReal(right)})`),
  div: by(sql`odata_double_divide`),
  mod: by(sql`odata_double_modulo`),
};

const TEMPORAL: ArithmeticTable["temporal"] = {
  "Edm.DateTimeOffset add Edm.Duration": by(sql`odata_instant_add`),
  "Edm.DateTimeOffset sub Edm.Duration": byOpposite(sql`odata_instant_add`),
  "Edm.DateTimeOffset sub Edm.DateTimeOffset": by(sql`odata_instant_subtract`),
  "Edm.Date add Edm.Duration": by(sql`odata_date_add`),
  "Edm.Date sub Edm.Duration": byOpposite(sql`odata_date_add`),
  "Edm.Date sub Edm.Date": by(sql`odata_date_subtract`),
  "Edm.Duration add Edm.Duration": by(sql`odata_duration_add`),
  "Edm.Duration sub Edm.Duration": by(sql`odata_duration_subtract`),
  "Edm.Duration mul": by(sql`odata_duration_multiply`),
  "Edm.Duration div": by(sql`odata_duration_divide`),
};

/**
 * Arithmetic in SQLite. Integers are Int64: overflows and divisions by zero are null. Decimals are exact. Doubles are IEEE
 * 754, except that NaN is null.
 */
export const SQLITE_ARITHMETIC: Pick<DialectValues, "compute" | "negate"> = arithmeticOf(
  {
    integer: INTEGERS,
    decimal: DECIMALS,
    double: DOUBLES,
    temporal: TEMPORAL,
    negate: {
      integer: (term) => withinInt64(sql`(- ${term.sql})`, term.isShort),
      decimal: (term) => sql`odata_decimal_negate(${term.sql})`,
      double: (term) => sql`(- ${asReal(term)})`,
      temporal: (term) => sql`odata_duration_negate(${term.sql})`,
    },
  },
  sqliteCanonicalForm,
);
