import { sql } from "kysely";
import { protocolError } from "../../base/errors/odata-error.ts";
import { required } from "../../base/required.ts";
import { MAX_YEAR, SECONDS_PER_DAY, toEpochDays } from "../../edm/calendar.ts";
import { totalOffsetMinutesOf } from "../../edm/date-time-offset.ts";
import { type PrimitiveType, isInteger } from "../../edm/primitive-type.ts";
import { MAX_FRACTION_DIGITS } from "../../edm/time-of-day.ts";
import { SINGLE_LIMIT } from "../../edm/value-codecs.ts";
import type { ArithmeticOperator } from "../../language/query/expression.ts";
import { bindConstant } from "../statement/parameter-slot.ts";
import { type Sql, toComputable, type SqlForm } from "../statement/sql-form.ts";
import { computed, type RowOperand } from "../statement/sql-operand.ts";
import type { CastForms } from "./cast-forms.ts";
import type { DialectValues, Term } from "./dialect-values.ts";
import { canonicalForms } from "./enum-forms.ts";
import { between, toDays, type DecimalTerm, type NumberSyntax } from "./numeric-temporal-forms.ts";

/** Computes with two terms. */
export type Compute = (left: Term, right: Term) => Sql;

/** The arithmetic of a database for numbers of one kind. */
export type Operators = Readonly<Record<ArithmeticOperator, Compute>>;

type NumericKind = "integer" | "decimal" | "double" | "temporal";

/** The arithmetic of one database: a row per kind of values, with a column per operator. */
export interface ArithmeticTable {
  readonly integer: Operators;
  readonly decimal: Operators;
  readonly double: Operators;
  /** Makes a double infinite beyond the range of Edm.Single, whose arithmetic is that of doubles. */
  readonly single: (result: Sql, limit: Sql) => Sql;
  /** By the types of both operands and the operator; without the right type if it may be any number. */
  readonly temporal: Readonly<Record<string, Compute>>;
  readonly negate: Readonly<Record<NumericKind, (term: Term) => Sql>>;
}

/**
 * Makes the arithmetic of a database from its table.
 * @see OData URL Conventions 4.0, section 5.1.1.2
 */
export function arithmeticOf(
  table: ArithmeticTable,
  canonicalForm: DialectValues["canonicalForm"],
): Pick<DialectValues, "compute" | "negate"> {
  return {
    compute: ({ operator, type }, left, right) => {
      const kind = numericKind(type);
      const compute = kind === "temporal" ? temporalOf(table, operator, left, right) : table[kind][operator];
      const value = compute(left, right);
      const isSingle = type.name === "Edm.Single";
      const result = computed({ sql: isSingle ? table.single(value, LIMIT) : value, form: canonicalForm(type) });
      return type.name === "Edm.DateTimeOffset" ? { ...result, offset: left.offset } : result;
    },
    negate: ({ type }, term) => computed({ sql: table.negate[numericKind(type)](term), form: canonicalForm(type) }),
  };
}

const LIMIT = sql.raw(String(SINGLE_LIMIT));

function temporalOf({ temporal }: ArithmeticTable, operator: ArithmeticOperator, left: Term, right: Term): Compute {
  const name = `${left.type.name} ${operator}`;
  const found = temporal[`${name} ${right.type.name}`] ?? temporal[name];
  return required(found, `Arithmetic "${name} ${right.type.name}" is missing.`);
}

function numericKind({ name }: PrimitiveType): NumericKind {
  switch (name) {
    case "Edm.Byte":
    case "Edm.SByte":
    case "Edm.Int16":
    case "Edm.Int32":
    case "Edm.Int64":
      return "integer";
    case "Edm.Decimal":
      return "decimal";
    case "Edm.Single":
    case "Edm.Double":
      return "double";
    default:
      return "temporal";
  }
}

/** The infix operators of SQL. */
export const INFIX: Readonly<Record<ArithmeticOperator, Sql>> = {
  add: sql`+`,
  sub: sql`-`,
  mul: sql`*`,
  div: sql`/`,
  mod: sql`%`,
};

/** Makes addition, subtraction and multiplication, which are infix operators in most databases. */
export function infixOperators(write: (left: Term, operator: Sql, right: Term) => Sql): Omit<Operators, "div" | "mod"> {
  const of =
    (operator: Sql): Compute =>
    (left, right) =>
      write(left, operator, right);
  return { add: of(INFIX.add), sub: of(INFIX.sub), mul: of(INFIX.mul) };
}

/** Rejects the remainder of doubles. @param database its name, for the message */
export function refuseModulo(database: string): Compute {
  return () => {
    throw protocolError(
      "UnsupportedQueryOption",
      `${database} cannot evaluate 'mod' of Doubles exactly: use it on integers or Decimals.`,
    );
  };
}

/** The days directly before and after the range of Edm.Date. */
const DAY_BEFORE_ALL = toEpochDays(-MAX_YEAR, 1, 1) - 1;
const DAY_BEHIND_ALL = toEpochDays(MAX_YEAR, 12, 31) + 1;
/** All durations have fewer seconds. */
export const TOO_LONG: bigint = 2n ** 53n;

/** Makes arithmetic on temporal values as exact numbers; null if a term is null or the result is out of range. */
function numericTemporalArithmetic(numbers: NumberSyntax): ArithmeticTable["temporal"] {
  const within =
    (low: number | bigint, high: number | bigint, make: Compute): Compute =>
    (left, right) =>
      between(make(left, right), String(low), String(high), numbers);
  const instant = (make: Compute): Compute =>
    within(DAY_BEFORE_ALL * SECONDS_PER_DAY, DAY_BEHIND_ALL * SECONDS_PER_DAY, make);
  const date = (make: Compute): Compute => within(DAY_BEFORE_ALL, DAY_BEHIND_ALL, make);
  const duration = (make: Compute): Compute => within(-TOO_LONG, TOO_LONG, make);
  const plus: Compute = (left, right) => sql`(${left.sql} + ${right.sql})`;
  const minus: Compute = (left, right) => sql`(${left.sql} - ${right.sql})`;
  const rounded = (value: Sql): Sql => sql`round(${value}, ${sql.lit(MAX_FRACTION_DIGITS)})`;
  const factorOf = ({ sql: value, type: { name }, isShort, constant }: Term): DecimalTerm => {
    const isDouble = name === "Edm.Double" || name === "Edm.Single";
    return { sql: numbers.decimalOf(value, isDouble), isShort, constant: isDouble ? undefined : constant };
  };
  return {
    "Edm.DateTimeOffset add Edm.Duration": instant(plus),
    "Edm.DateTimeOffset sub Edm.Duration": instant(minus),
    "Edm.DateTimeOffset sub Edm.DateTimeOffset": duration(minus),
    "Edm.Date add Edm.Duration": date((left, right) => sql`(${left.sql} + ${toDays(right.sql, numbers)})`),
    "Edm.Date sub Edm.Duration": date((left, right) => sql`(${left.sql} + ${toDays(sql`(- ${right.sql})`, numbers)})`),
    "Edm.Date sub Edm.Date": (left, right) => sql`(${numbers.asDecimal(minus(left, right))} * 86400)`,
    "Edm.Duration add Edm.Duration": duration(plus),
    "Edm.Duration sub Edm.Duration": duration(minus),
    "Edm.Duration mul": duration((left, right) => rounded(sql`(${left.sql} * ${factorOf(right).sql})`)),
    "Edm.Duration div": duration((left, right) => {
      const seconds: DecimalTerm = { sql: left.sql, isShort: left.isShort };
      return rounded(numbers.divideDecimals(seconds, factorOf(right)));
    }),
  };
}

/** The integers directly below and above the 64-bit range. */
const BELOW_INT64 = "-9223372036854775809";
const ABOVE_INT64 = "9223372036854775808";

/** The computations and conversions of a database that represents temporal values as numbers. */
interface CastSyntax {
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
  readonly single: ArithmeticTable["single"];
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
    const { wider } = translated.form;
    if (wider !== undefined) return { ...translated, form: wider };
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
          if (translated.form.wider !== undefined) return { ...translated, form: translated.form.wider };
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
  const { numbers, wide, double, single } = syntax;
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
      single,
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
