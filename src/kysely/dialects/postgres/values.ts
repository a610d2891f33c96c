import { sql } from "kysely";
import { totalOffsetMinutesOf } from "../../../edm/date-time-offset.ts";
import { isInteger } from "../../../edm/primitive-type.ts";
import { protocolError } from "../../../errors/odata-error.ts";
import type {
  ArithmeticExpression,
  ArithmeticOperator,
  ConvertExpression,
  NegateExpression,
  ScalarType,
} from "../../../query/expression.ts";
import { canonicalForms } from "../../forms/canonical-forms.ts";
import { numericKind } from "../../functions/numeric-kind.ts";
import { computeTemporal } from "../../functions/numeric-temporal-arithmetic.ts";
import { bindConstant } from "../../statement/parameter-slot.ts";
import { toComputable, type Sql } from "../../statement/sql-form.ts";
import { computed, type ConstantOperand, type RowOperand } from "../../statement/sql-operand.ts";
import type { DialectValues, Term } from "../dialect-profile.ts";
import { PG_ARRAYS } from "./arrays.ts";
import { pgColumnFormat } from "./column-format.ts";
import {
  PG_BINARY,
  PG_BOOLEAN,
  PG_DECIMAL,
  PG_DOUBLE,
  PG_GUID,
  PG_INTEGER,
  PG_STRING,
  PG_TEMPORAL,
  PG_ENUMS,
} from "./forms.ts";
import { PG_NUMBERS } from "./numbers.ts";
import { PG_SYNTAX } from "./syntax.ts";
import { PG_DATE, PG_MIDNIGHT, PG_TEXT_TIMESTAMP, pgOffsetOfText } from "./temporal-forms.ts";

/** The integers next to those of 64 bits. */
const BELOW_INT64 = "-9223372036854775809";
const ABOVE_INT64 = "9223372036854775808";

const canonicalForm = canonicalForms({
  boolean: PG_BOOLEAN,
  integer: PG_INTEGER,
  decimal: PG_DECIMAL,
  double: PG_DOUBLE,
  string: PG_STRING,
  guid: PG_GUID,
  binary: PG_BINARY,
  temporal: PG_TEMPORAL,
  enums: PG_ENUMS,
});

/** How PostgreSQL holds values, and computes with them. */
export const PG_VALUES: DialectValues = Object.freeze<DialectValues>({
  canonicalForm,
  columnFormat: pgColumnFormat,
  guidsAreTexts: false,
  arrays: PG_ARRAYS,
  documentText: (column) => sql`${column}::text`,
  compute,
  negate,
  convert,
  offsetOf,
});

const OPERATORS: Readonly<Record<"add" | "sub" | "mul", Sql>> = { add: sql`+`, sub: sql`-`, mul: sql`*` };

function compute({ operator, type }: ArithmeticExpression, left: Term, right: Term): RowOperand {
  switch (numericKind(type)) {
    case "integer":
      return computed({ sql: computeIntegers(operator, left, right), form: PG_INTEGER });
    case "decimal":
      return computed({ sql: computeDecimals(operator, left, right), form: PG_DECIMAL });
    case "double":
      return computed({ sql: computeDoubles(operator, left, right), form: PG_DOUBLE });
    case "temporal":
      return computeTemporal(operator, left, right, { numbers: PG_NUMBERS, forms: PG_TEMPORAL });
  }
}

/** As numeric, which knows no overflow; what is beyond Int64 is null. */
function computeIntegers(operator: ArithmeticOperator, left: Term, right: Term): Sql {
  const [first, second] = [sql`${left.sql}::numeric`, sql`${right.sql}::numeric`];
  switch (operator) {
    case "div":
      return withinInt64(sql`div(${first}, nullif(${second}, 0))`);
    case "mod":
      return withinInt64(sql`mod(${first}, nullif(${second}, 0))`);
    default:
      return withinInt64(sql`(${first} ${OPERATORS[operator]} ${second})`);
  }
}

function withinInt64(value: Sql): Sql {
  return sql`${PG_NUMBERS.between(value, BELOW_INT64, ABOVE_INT64)}::int8`;
}

function computeDecimals(operator: ArithmeticOperator, left: Term, right: Term): Sql {
  switch (operator) {
    case "div":
      return PG_NUMBERS.divideDecimals(left.sql, right.sql, left.isShort && right.isShort);
    case "mod":
      return sql`mod(${left.sql}, nullif(${right.sql}, 0))`;
    default:
      return sql`(${left.sql} ${OPERATORS[operator]} ${right.sql})`;
  }
}

function computeDoubles(operator: ArithmeticOperator, left: Term, right: Term): Sql {
  switch (operator) {
    case "div":
      return PG_SYNTAX.once(sql`array[${left.sql}, ${right.sql}]`, (pair) =>
        quotient(sql`${pair}[1]`, sql`${pair}[2]`),
      );
    case "mod":
      throw protocolError(
        "UnsupportedQueryOption",
        "PostgreSQL cannot evaluate 'mod' of Doubles exactly: use it on integers or Decimals.",
      );
    default:
      return sql`nullif(${left.sql} ${OPERATORS[operator]} ${right.sql}, 'NaN')`;
  }
}

/** As IEEE 754 has it: a division by zero is infinite, with the signs of both; what is not a number is null. */
function quotient(dividend: Sql, divisor: Sql): Sql {
  const isPositive = sql`(${dividend} > 0) = (${divisor}::text <> '-0')`;
  const infinity = sql`case when ${dividend} = 0 then null when ${isPositive} then 'Infinity' else '-Infinity' end`;
  return sql`case when ${divisor} = 0 then (${infinity})::float8 else nullif(${dividend} / ${divisor}, 'NaN') end`;
}

function negate({ type }: NegateExpression, term: Term): RowOperand {
  const form = canonicalForm(type);
  const value = sql`(- ${term.sql})`;
  // The least Int64 has no opposite.
  return computed({ sql: form === PG_INTEGER ? withinInt64(sql`(- ${term.sql}::numeric)`) : value, form });
}

function convert({ operand, type }: ConvertExpression, translated: RowOperand): RowOperand {
  switch (type.name) {
    case "Edm.Decimal":
      return isInteger(operand.type)
        ? { ...translated, sql: sql`${translated.sql}::numeric`, form: PG_DECIMAL }
        : translated;
    case "Edm.Single":
    case "Edm.Double": {
      if (translated.form === PG_DOUBLE) return translated;
      return { ...translated, sql: sql`${toComputable(translated).sql}::float8`, form: PG_DOUBLE };
    }
    case "Edm.DateTimeOffset":
      if (translated.form.midnight !== undefined) return { ...translated, form: translated.form.midnight };
      if (translated.form === PG_DATE) return { ...translated, form: PG_MIDNIGHT };
      if (operand.type?.name !== "Edm.Date") return translated;
      return computed({ sql: sql`(${toComputable(translated).sql}::numeric * 86400)`, form: PG_TEMPORAL.epoch });
    default:
      return translated;
  }
}

function offsetOf(operand: RowOperand | ConstantOperand, type: ScalarType): Sql | undefined {
  if (type.name !== "Edm.DateTimeOffset") return undefined;
  if (operand.kind === "constant") {
    return sql`${bindConstant(operand.constant, (value) => String(totalOffsetMinutesOf(String(value))))}::numeric`;
  }
  return operand.form === PG_TEXT_TIMESTAMP ? pgOffsetOfText(operand.sql) : operand.offset;
}
