import { sql } from "kysely";
import type { FunctionName } from "../../query/functions.ts";
import type { DialectSyntax, SqlCall, TranslateCall } from "../dialects/dialect-profile.ts";
import type { CastForms } from "../forms/cast-forms.ts";
import type { NumberSyntax } from "../forms/numeric-temporal-forms.ts";
import { bindConstant } from "../statement/parameter-slot.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import { computed, type JoinedText } from "../statement/sql-operand.ts";
import { numericTemporalFunctions } from "./numeric-temporal-functions.ts";
import { argumentAt, constantAt, joinedTexts } from "./translate-call.ts";

/** A position or length beyond any text. */
const FAR = 2_147_483_646;

/** The SQL of functions in a database that casts bound values. */
interface FunctionSyntax {
  readonly forms: CastForms;
  readonly numbers: NumberSyntax;
  readonly once: DialectSyntax["once"];
  /** Returns the position of a part in a text, counted from 1; 0 if it is not found. */
  readonly position: (text: Sql, part: Sql) => Sql;
  /** Converts a count of characters to the form of integers. */
  readonly asCount: (count: Sql) => Sql;
  /** Makes the result of a function compare by code point. */
  readonly byCodePoint: (text: Sql) => Sql;
  readonly substringOf: (text: Sql, startAndLength: Sql) => Sql;
  readonly lower: (text: Sql) => Sql;
  readonly upper: (text: Sql) => Sql;
  readonly trim: (text: Sql) => Sql;
  readonly concat: (texts: readonly JoinedText[]) => Sql;
  readonly boundCount: (place: Sql) => Sql;
  /** Limits a number of characters to the range from 0 to a limit; null for null. */
  readonly clamped: (value: Sql, limit: Sql) => Sql;
  /** Rounds a double half away from zero, exactly: adding 0.5 would be wrong for 0.49999999999999994. */
  readonly roundDouble: (value: Sql) => Sql;
  readonly ceiling: Sql;
}

/**
 * Makes the SQL of all canonical functions except `startswith`, which uses indexes in different ways. Characters are code
 * points, comparisons are case-sensitive, and `%` and `_` have no special meaning.
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
    concat: (call) => {
      const joined = joinedTexts(call);
      return { ...computed({ sql: byCodePoint(syntax.concat(joined)), form: forms.string }), joined };
    },
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

/** Returns an integer argument, limited to the range from 0 to FAR. */
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
