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
import { myColumnFormat } from "./column-format.ts";
import {
  MY_BINARY,
  MY_BOOLEAN,
  MY_DECIMAL,
  MY_DOUBLE,
  MY_GUID,
  MY_INTEGER,
  MY_STRING,
  MY_TEMPORAL,
  MY_ENUMS,
} from "./forms.ts";
import { doublesOnce, MY_NUMBERS } from "./numbers.ts";
import { MY_DATE, MY_MIDNIGHT, MY_TEXT_TIMESTAMP, myOffsetOfText } from "./temporal-forms.ts";

/** The integers next to those of 64 bits. */
const BELOW_INT64 = "-9223372036854775809";
const ABOVE_INT64 = "9223372036854775808";

const canonicalForm = canonicalForms({
  boolean: MY_BOOLEAN,
  integer: MY_INTEGER,
  decimal: MY_DECIMAL,
  double: MY_DOUBLE,
  string: MY_STRING,
  guid: MY_GUID,
  binary: MY_BINARY,
  temporal: MY_TEMPORAL,
  enums: MY_ENUMS,
});

/** How MariaDB holds values, and computes with them. */
export const MY_VALUES: DialectValues = Object.freeze<DialectValues>({
  canonicalForm,
  columnFormat: myColumnFormat,
  guidsAreTexts: true,
  documentText: (column) => sql`cast(${column} as char)`,
  compute,
  negate,
  convert,
  offsetOf,
});

const OPERATORS: Readonly<Record<"add" | "sub" | "mul", Sql>> = { add: sql`+`, sub: sql`-`, mul: sql`*` };

function compute({ operator, type }: ArithmeticExpression, left: Term, right: Term): RowOperand {
  switch (numericKind(type)) {
    case "integer":
      return computed({ sql: computeIntegers(operator, left, right), form: MY_INTEGER });
    case "decimal":
      return computed({ sql: computeDecimals(operator, left, right), form: MY_DECIMAL });
    case "double":
      return computed({ sql: computeDoubles(operator, left, right), form: MY_DOUBLE });
    case "temporal":
      return computeTemporal(operator, left, right, { numbers: MY_NUMBERS, forms: MY_TEMPORAL });
  }
}

/** As decimals, which have room for any result; what is beyond Int64 is null. */
function computeIntegers(operator: ArithmeticOperator, left: Term, right: Term): Sql {
  const [first, second] = [wide(left.sql), wide(right.sql)];
  switch (operator) {
    case "div":
      return withinInt64(sql`truncate(${first} * 1.${sql.raw("0".repeat(30))} / ${second}, 0)`);
    case "mod":
      return sql`cast(mod(${first}, ${second}) as signed)`;
    default:
      return withinInt64(sql`(${first} ${OPERATORS[operator]} ${second})`);
  }
}

function wide(value: Sql): Sql {
  return sql`cast(${value} as decimal(20, 0))`;
}

function withinInt64(value: Sql): Sql {
  return sql`cast(${MY_NUMBERS.between(value, BELOW_INT64, ABOVE_INT64)} as signed)`;
}

function computeDecimals(operator: ArithmeticOperator, left: Term, right: Term): Sql {
  switch (operator) {
    case "div":
      return MY_NUMBERS.divideDecimals(left.sql, right.sql, true);
    case "mod":
      // A remainder of zero may be a negative zero, which equals no other until something is added.
      return sql`(mod(${left.sql}, ${right.sql}) + 0)`;
    default:
      return sql`(${left.sql} ${OPERATORS[operator]} ${right.sql})`;
  }
}

function computeDoubles(operator: ArithmeticOperator, left: Term, right: Term): Sql {
  switch (operator) {
    case "div":
      // A quotient by zero is infinite, which no double is there: that is an error of the statement, and never null.
      return doublesOnce(
        [left.sql, right.sql],
        ([dividend, divisor]) =>
          sql`case when ${divisor} = 0 then exp(1000 + ${divisor}) else ${dividend} / ${divisor} end`,
      );
    case "mod":
      throw protocolError(
        "UnsupportedQueryOption",
        "MariaDB cannot evaluate 'mod' of Doubles exactly: use it on integers or Decimals.",
      );
    default:
      return sql`(${left.sql} ${OPERATORS[operator]} ${right.sql})`;
  }
}

function negate({ type }: NegateExpression, term: Term): RowOperand {
  const form = canonicalForm(type);
  // The least Int64 has no opposite.
  return computed({ sql: form === MY_INTEGER ? withinInt64(sql`(- ${wide(term.sql)})`) : sql`(- ${term.sql})`, form });
}

function convert({ operand, type }: ConvertExpression, translated: RowOperand): RowOperand {
  switch (type.name) {
    case "Edm.Decimal":
      return isInteger(operand.type) ? { ...translated, sql: wide(translated.sql), form: MY_DECIMAL } : translated;
    case "Edm.Single":
    case "Edm.Double":
      if (translated.form === MY_DOUBLE) return translated;
      return { ...translated, sql: sql`(${toComputable(translated).sql} + 0e0)`, form: MY_DOUBLE };
    case "Edm.DateTimeOffset":
      if (translated.form.midnight !== undefined) return { ...translated, form: translated.form.midnight };
      if (translated.form === MY_DATE) return { ...translated, form: MY_MIDNIGHT };
      if (operand.type?.name !== "Edm.Date") return translated;
      return computed({ sql: sql`(${toComputable(translated).sql} * 86400)`, form: MY_TEMPORAL.epoch });
    default:
      return translated;
  }
}

function offsetOf(operand: RowOperand | ConstantOperand, type: ScalarType): Sql | undefined {
  if (type.name !== "Edm.DateTimeOffset") return undefined;
  if (operand.kind === "constant") {
    return sql`cast(${bindConstant(operand.constant, (value) => String(totalOffsetMinutesOf(String(value))))} as signed)`;
  }
  return operand.form === MY_TEXT_TIMESTAMP ? myOffsetOfText(operand.sql) : operand.offset;
}
