import { sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import { numericTemporalFunctions } from "../../functions/numeric-temporal-functions.ts";
import { argumentAt, bindText, constantAt, operandAt, WHITE_SPACE } from "../../functions/translate-call.ts";
import { bindConstant, bindFixed } from "../../statement/parameter-slot.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { SqlCall, TranslateCall } from "../dialect-profile.ts";
import { MY_FORMS } from "./forms.ts";
import { doublesOnce, MY_NUMBERS } from "./numbers.ts";
import { MY_SYNTAX } from "./syntax.ts";

/** A position or length beyond that of any text. */
const FAR = 2_147_483_646;
/** Doubles of that size are whole, and `truncate` is not made for the greatest. */
const WHOLE_FROM = 2 ** 52;
const WHITE_SPACE_AROUND = `^[${WHITE_SPACE}]+|[${WHITE_SPACE}]+\\z`;

/** Makes a translation from the arguments. */
function from(form: SqlForm, make: (...parts: readonly Sql[]) => Sql): TranslateCall {
  return (call) => {
    const parts = call.operands.map((_operand, index) => argumentAt(call, index));
    return computed({ sql: make(...parts), form });
  };
}

const text = (make: (...parts: readonly Sql[]) => Sql): TranslateCall =>
  from(MY_FORMS.string, (...parts) => sql`(${make(...parts)} collate utf8mb4_nopad_bin)`);

/** Of a column and a literal, a pattern is asked beside it: an index with the column's own collation serves that. */
const startsWith: TranslateCall = (call) => {
  const value = argumentAt(call, 0);
  const part = argumentAt(call, 1);
  const test = sql`left(${value}, char_length(${part})) = ${part}`;
  const column = operandAt(call, 0);
  const prefix = constantAt(call, 1);
  if (column.kind === "constant" || column.form !== MY_FORMS.stringColumn || prefix === undefined) {
    return computed({ sql: sql`(${test})`, form: MY_FORMS.boolean });
  }
  const pattern = bindText(prefix, (text) => `${text.replaceAll(/[%_|]/g, "|$&")}%`);
  return computed({ sql: sql`(${column.sql} like ${pattern} escape '|' and ${test})`, form: MY_FORMS.boolean });
};

/** A negative start counts as 0, a negative length as 0. */
const substring: TranslateCall = (call) => {
  const start = sql`(${clamped(call, 1)} + 1)`;
  const length = call.operands.length > 2 ? sql`, ${clamped(call, 2)}` : sql``;
  return computed({ sql: sql`substr(${argumentAt(call, 0)}, ${start}${length})`, form: MY_FORMS.string });
};

/** An integer of 0 to FAR. */
function clamped(call: SqlCall, index: number): Sql {
  const constant = constantAt(call, index);
  if (constant === undefined) return sql`least(greatest(${argumentAt(call, index)}, 0), ${sql.lit(FAR)})`;
  const bound = bindConstant(constant, (value) => String(Math.min(Math.max(Number(value), 0), FAR)));
  return sql`cast(${bound} as signed)`;
}

/** Of a double: exact for 0.49999999999999994, which adding a half is not. */
function roundDouble(value: Sql): Sql {
  return doublesOnce([value], ([name = value]) => {
    const whole = sql`truncate(${name}, 0)`;
    const rounded = sql`${whole} + case when abs(${name} - ${whole}) >= 0.5 then sign(${name}) else 0 end`;
    return sql`case when abs(${name}) >= ${sql.lit(WHOLE_FROM)} then ${name} else ${rounded} end`;
  });
}

/** Of a Decimal: a midpoint goes to the even neighbour. */
function roundToEven(value: Sql): Sql {
  return MY_SYNTAX.once(value, (name) => {
    const isOdd = sql`mod(abs(${name}), 1) = 0.5 and mod(round(${name}), 2) <> 0`;
    return sql`round(${name}) - case when ${isOdd} then sign(${name}) else 0 end`;
  });
}

const round: TranslateCall = (call) => {
  const value = argumentAt(call, 0);
  const isBankers = call.roundingMode === "BankersRounding";
  if (call.expression.type.name === "Edm.Decimal") {
    return computed({ sql: isBankers ? roundToEven(value) : sql`round(${value})`, form: MY_FORMS.decimal });
  }
  // The function of the database rounds doubles to even.
  return computed({ sql: isBankers ? sql`round(${value})` : roundDouble(value), form: MY_FORMS.double });
};

function whole(name: Sql): TranslateCall {
  return (call) =>
    computed({
      sql: sql`${name}(${argumentAt(call, 0)})`,
      form: call.expression.type.name === "Edm.Decimal" ? MY_FORMS.decimal : MY_FORMS.double,
    });
}

/**
 * One SQL form per canonical function, for MariaDB. Characters are code points, letter case counts, and `%` and `_` are
 * characters like any other. `tolower` and `toupper` go by the tables of the database: one letter for one.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export const MY_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = {
  contains: from(MY_FORMS.boolean, (value, part) => sql`(locate(${part}, ${value}) > 0)`),
  startswith: startsWith,
  endswith: from(MY_FORMS.boolean, (value, part) => sql`(right(${value}, char_length(${part})) = ${part})`),
  length: from(MY_FORMS.integer, (value) => sql`char_length(${value})`),
  indexof: from(MY_FORMS.integer, (value, part) => sql`(locate(${part}, ${value}) - 1)`),
  substring,
  tolower: text((value) => sql`lower(${value})`),
  toupper: text((value) => sql`upper(${value})`),
  trim: text((value) => sql`regexp_replace(${value}, ${bindFixed(WHITE_SPACE_AROUND)}, '')`),
  concat: text((first, second) => sql`concat(${first}, ${second})`),
  ...numericTemporalFunctions({
    numbers: MY_NUMBERS,
    forms: MY_FORMS.temporal,
    once: MY_SYNTAX.once,
    decimal: MY_FORMS.decimal,
    integer: MY_FORMS.integer,
  }),
  round,
  floor: whole(sql`floor`),
  ceiling: whole(sql`ceiling`),
};
