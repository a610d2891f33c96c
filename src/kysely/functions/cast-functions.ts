import { sql } from "kysely";
import type { FunctionName } from "../../query/functions.ts";
import type { DialectSyntax, SqlCall, TranslateCall } from "../dialects/dialect-profile.ts";
import type { CastForms } from "../forms/cast-forms.ts";
import type { NumberSyntax } from "../forms/numeric-temporal-forms.ts";
import { bindConstant } from "../statement/parameter-slot.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import { computed } from "../statement/sql-operand.ts";
import { numericTemporalFunctions } from "./numeric-temporal-functions.ts";
import { argumentAt, constantAt } from "./translate-call.ts";

/** A position or length beyond that of any text. */
const FAR = 2_147_483_646;

/** How a database that casts bound values writes what functions are made of. */
interface FunctionSyntax {
  readonly forms: CastForms;
  readonly numbers: NumberSyntax;
  readonly once: DialectSyntax["once"];
  /** Where a part stands in a text, counted from 1; 0: nowhere. */
  readonly position: (text: Sql, part: Sql) => Sql;
  /** A count of characters as the form of integers. */
  readonly asCount: (count: Sql) => Sql;
  /** A text by code point, of a function that answers another collation. */
  readonly byCodePoint: (text: Sql) => Sql;
  readonly substringOf: (text: Sql, startAndLength: Sql) => Sql;
  readonly lower: (text: Sql) => Sql;
  readonly upper: (text: Sql) => Sql;
  readonly trim: (text: Sql) => Sql;
  readonly concat: (first: Sql, second: Sql) => Sql;
  /** A bound number of characters. */
  readonly boundCount: (place: Sql) => Sql;
  /** A number of characters within 0 and a limit; null for null. */
  readonly clamped: (value: Sql, limit: Sql) => Sql;
  /** A double, a midpoint rounded away from zero: exact for 0.49999999999999994, which adding a half is not. */
  readonly roundDouble: (value: Sql) => Sql;
  readonly ceiling: Sql;
}

/**
 * Makes the SQL forms of canonical functions but `startswith`, which indexes serve differently. Characters are code
 * points, letter case counts, and `%` and `_` are characters like any other.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export function castFunctions(
  syntax: FunctionSyntax,
): Readonly<Record<Exclude<FunctionName, "startswith">, TranslateCall>> {
  const { forms, numbers, once, position, asCount, byCodePoint } = syntax;
  const text = (make: (...parts: readonly Sql[]) => Sql): TranslateCall =>
    from(forms.string, (...parts) => byCodePoint(make(...parts)));
  return {
    contains: from(forms.boolean, (value, part) => sql`(${position(value, part)} > 0)`),
    endswith: from(forms.boolean, (value, part) => sql`(right(${value}, char_length(${part})) = ${part})`),
    length: from(forms.integer, (value) => asCount(sql`char_length(${value})`)),
    indexof: from(forms.integer, (value, part) => asCount(sql`(${position(value, part)} - 1)`)),
    // A negative start counts as 0, a negative length as 0.
    substring: (call) => {
      const length = call.operands.length > 2 ? sql`, ${clampedAt(call, 2, syntax)}` : sql``;
      const places = sql`(${clampedAt(call, 1, syntax)} + 1)${length}`;
      return computed({ sql: syntax.substringOf(argumentAt(call, 0), places), form: forms.string });
    },
    tolower: text(syntax.lower),
    toupper: text(syntax.upper),
    trim: text(syntax.trim),
    concat: text(syntax.concat),
    ...numericTemporalFunctions({
      numbers,
      forms: forms.temporal,
      once,
      decimal: forms.decimal,
      integer: forms.integer,
    }),
    round: roundOf(syntax),
    floor: whole(sql`floor`, forms),
    ceiling: whole(syntax.ceiling, forms),
  };
}

/** Makes a translation from the arguments. */
function from(form: SqlForm, make: (...parts: readonly Sql[]) => Sql): TranslateCall {
  return (call) => {
    const parts = call.operands.map((_operand, index) => argumentAt(call, index));
    return computed({ sql: make(...parts), form });
  };
}

/** An integer of 0 to FAR. */
function clampedAt(call: SqlCall, index: number, { boundCount, clamped }: FunctionSyntax): Sql {
  const constant = constantAt(call, index);
  if (constant === undefined) return clamped(argumentAt(call, index), sql.lit(FAR));
  return boundCount(bindConstant(constant, (value) => String(Math.min(Math.max(Number(value), 0), FAR))));
}

function roundOf({ forms, once, roundDouble }: FunctionSyntax): TranslateCall {
  return (call) => {
    const value = argumentAt(call, 0);
    const isBankers = call.roundingMode === "BankersRounding";
    if (call.expression.type.name === "Edm.Decimal") {
      return computed({ sql: isBankers ? roundToEven(value, once) : sql`round(${value})`, form: forms.decimal });
    }
    // The function of the database rounds doubles to even.
    return computed({ sql: isBankers ? sql`round(${value})` : roundDouble(value), form: forms.double });
  };
}

/** Of a Decimal: a midpoint goes to the even neighbour. */
function roundToEven(value: Sql, once: DialectSyntax["once"]): Sql {
  return once(value, (name) => {
    const isOdd = sql`mod(abs(${name}), 1) = 0.5 and mod(round(${name}), 2) <> 0`;
    return sql`round(${name}) - case when ${isOdd} then sign(${name}) else 0 end`;
  });
}

function whole(name: Sql, { decimal, double }: CastForms): TranslateCall {
  return (call) =>
    computed({
      sql: sql`${name}(${argumentAt(call, 0)})`,
      form: call.expression.type.name === "Edm.Decimal" ? decimal : double,
    });
}
