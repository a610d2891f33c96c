import { sql } from "kysely";
import { totalOffsetMinutesOf } from "../../edm/date-time-offset.ts";
import { isInteger } from "../../edm/primitive-type.ts";
import type { DialectValues, Term } from "../dialects/dialect-profile.ts";
import { canonicalForms } from "../forms/canonical-forms.ts";
import type { CastForms } from "../forms/cast-forms.ts";
import { between, type NumberSyntax } from "../forms/numeric-temporal-forms.ts";
import { bindConstant } from "../statement/parameter-slot.ts";
import { toComputable, type Sql, type SqlForm } from "../statement/sql-form.ts";
import { computed, type RowOperand } from "../statement/sql-operand.ts";
import { arithmeticOf, infixOperators, numericTemporalArithmetic, type Compute, type Operators } from "./arithmetic.ts";

/** The integers directly below and above the 64-bit range. */
const BELOW_INT64 = "-9223372036854775809";
const ABOVE_INT64 = "9223372036854775808";

/** The computations and conversions of a database that represents temporal values as numbers. */
export interface CastSyntax {
  readonly forms: CastForms;
  readonly numbers: NumberSyntax;
  /** Converts an integer to a type that can represent any result. */
  readonly wide: (value: Sql) => Sql;
  readonly toDouble: (value: Sql) => Sql;
  /** Operations on wide integers. The quotient is checked against 64 bits afterwards. */
  readonly divideIntegers: (left: Sql, right: Sql) => Sql;
  readonly integerRemainder: (left: Sql, right: Sql) => Sql;
  readonly decimalRemainder: Compute;
  readonly double: Operators;
  /** A column of dates, and the same column as the timestamps of its midnights. */
  readonly date: SqlForm;
  readonly midnight: SqlForm;
  /** The form of timestamps stored as text, and their offset. */
  readonly textTimestamp: SqlForm;
  readonly offsetOfText: (text: Sql) => Sql;
  /** Casts the bound text of an offset. */
  readonly asOffset: (place: Sql) => Sql;
}

/** Makes computations and conversions through numbers without overflow; integers beyond Int64 become null. */
export function castValues(
  syntax: CastSyntax,
): Pick<DialectValues, "canonicalForm" | "compute" | "negate" | "convert" | "offsetOf"> {
  const { forms, numbers, wide, toDouble, date, midnight } = syntax;
  const canonicalForm = canonicalForms(forms);
  const toTimestamp = (translated: RowOperand, isDate: boolean): RowOperand => {
    if (translated.form.midnight !== undefined) return { ...translated, form: translated.form.midnight };
    if (translated.form === date) return { ...translated, form: midnight };
    if (!isDate) return translated;
    const days = numbers.asDecimal(toComputable(translated).sql);
    return computed({ sql: sql`(${days} * 86400)`, form: forms.temporal.epoch });
  };
  return {
    canonicalForm,
    ...castArithmetic(syntax, canonicalForm),
    convert: ({ operand, type }, translated) => {
      switch (type.name) {
        case "Edm.Decimal":
          return isInteger(operand.type)
            ? { ...translated, sql: wide(translated.sql), bare: undefined, form: forms.decimal }
            : translated;
        case "Edm.Single":
        case "Edm.Double":
          if (translated.form === forms.double) return translated;
          return { ...translated, sql: toDouble(toComputable(translated).sql), bare: undefined, form: forms.double };
        case "Edm.DateTimeOffset":
          return toTimestamp(translated, operand.type?.name === "Edm.Date");
        default:
          return translated;
      }
    },
    offsetOf: (operand, type) => {
      if (type.name !== "Edm.DateTimeOffset") return undefined;
      if (operand.kind === "row") {
        return operand.form === syntax.textTimestamp ? syntax.offsetOfText(operand.sql) : operand.offset;
      }
      const minutes = bindConstant(operand.constant, (value) => String(totalOffsetMinutesOf(String(value))));
      return syntax.asOffset(minutes);
    },
  };
}

function castArithmetic(
  syntax: CastSyntax,
  canonicalForm: DialectValues["canonicalForm"],
): Pick<DialectValues, "compute" | "negate"> {
  const { numbers, wide, double } = syntax;
  const withinInt64 = (value: Sql): Sql => numbers.asInteger(between(value, BELOW_INT64, ABOVE_INT64, numbers));
  const wideTerms =
    (make: (left: Sql, right: Sql) => Sql): Compute =>
    (left, right) =>
      make(wide(left.sql), wide(right.sql));
  const opposite = (term: Term): Sql => sql`(- ${term.sql})`;
  return arithmeticOf(
    {
      integer: {
        ...infixOperators((left, operator, right) =>
          withinInt64(sql`(${wide(left.sql)} ${operator} ${wide(right.sql)})`),
        ),
        div: wideTerms((left, right) => withinInt64(syntax.divideIntegers(left, right))),
        mod: wideTerms(syntax.integerRemainder),
      },
      decimal: {
        ...infixOperators((left, operator, right) => sql`(${left.sql} ${operator} ${right.sql})`),
        mul: numbers.multiplyDecimals,
        div: numbers.divideDecimals,
        mod: syntax.decimalRemainder,
      },
      double,
      temporal: numericTemporalArithmetic(numbers),
      // The least Int64 has no opposite.
      negate: {
        integer: (term) => withinInt64(sql`(- ${wide(term.sql)})`),
        decimal: opposite,
        double: opposite,
        temporal: opposite,
      },
    },
    canonicalForm,
  );
}
