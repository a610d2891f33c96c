import { sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import { numericTemporalFunctions } from "../../functions/numeric-temporal-functions.ts";
import { argumentAt, constantAt, WHITE_SPACE } from "../../functions/translate-call.ts";
import { bindConstant, bindFixed } from "../../statement/parameter-slot.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import { computed } from "../../statement/sql-operand.ts";
import type { SqlCall, TranslateCall } from "../dialect-profile.ts";
import { PG_FORMS } from "./forms.ts";
import { PG_NUMBERS } from "./numbers.ts";
import { PG_SYNTAX } from "./syntax.ts";

/** A position or length beyond that of any text. */
const FAR = 2_147_483_646;

/** Makes a translation from the arguments. */
function from(form: SqlForm, make: (...parts: readonly Sql[]) => Sql): TranslateCall {
  return (call) => {
    const parts = call.operands.map((_operand, index) => argumentAt(call, index));
    return computed({ sql: make(...parts), form });
  };
}

const text = (make: (...parts: readonly Sql[]) => Sql): TranslateCall =>
  from(PG_FORMS.string, (...parts) => sql`(${make(...parts)} collate "C")`);

/** A negative start counts as 0, a negative length as 0. */
const substring: TranslateCall = (call) => {
  const start = sql`(${clamped(call, 1)} + 1)`;
  const length = call.operands.length > 2 ? sql`, ${clamped(call, 2)}` : sql``;
  return computed({ sql: sql`(substr(${argumentAt(call, 0)}, ${start}${length}) collate "C")`, form: PG_FORMS.string });
};

/** An integer of 0 to FAR. */
function clamped(call: SqlCall, index: number): Sql {
  const constant = constantAt(call, index);
  if (constant === undefined) {
    // Those two pass over null, which the function is to see.
    const value = sql`least(greatest(odata_value, 0), ${sql.lit(FAR)})::int`;
    return sql`(select case when odata_value is not null then ${value} end from (select ${argumentAt(call, index)} as odata_value) as odata_once)`;
  }
  return sql`${bindConstant(constant, (value) => String(Math.min(Math.max(Number(value), 0), FAR)))}::int`;
}

/** Of a double: exact for 0.49999999999999994, which adding a half is not. The infinities stay. */
function roundDouble(value: Sql): Sql {
  return PG_SYNTAX.once(
    value,
    (name) => sql`trunc(${name}) + case when abs(${name} - trunc(${name})) >= 0.5 then sign(${name}) else 0 end`,
  );
}

/** Of a Decimal: a midpoint goes to the even neighbour. */
function roundToEven(value: Sql): Sql {
  const isOdd = (name: Sql): Sql => sql`mod(abs(${name}), 1) = 0.5 and mod(round(${name}), 2) <> 0`;
  return PG_SYNTAX.once(value, (name) => sql`round(${name}) - case when ${isOdd(name)} then sign(${name}) else 0 end`);
}

const round: TranslateCall = (call) => {
  const value = argumentAt(call, 0);
  const isBankers = call.roundingMode === "BankersRounding";
  if (call.expression.type.name === "Edm.Decimal") {
    return computed({ sql: isBankers ? roundToEven(value) : sql`round(${value})`, form: PG_FORMS.decimal });
  }
  // The function of the database rounds doubles to even.
  return computed({ sql: isBankers ? sql`round(${value})` : roundDouble(value), form: PG_FORMS.double });
};

function whole(name: Sql): TranslateCall {
  return (call) =>
    computed({
      sql: sql`${name}(${argumentAt(call, 0)})`,
      form: call.expression.type.name === "Edm.Decimal" ? PG_FORMS.decimal : PG_FORMS.double,
    });
}

/**
 * One SQL form per canonical function, for PostgreSQL. Characters are code points, letter case counts, and `%` and `_`
 * are characters like any other.
 * @see OData URL Conventions 4.0, section 5.1.1.4
 */
export const PG_FUNCTIONS: Readonly<Record<FunctionName, TranslateCall>> = {
  contains: from(PG_FORMS.boolean, (value, part) => sql`(strpos(${value}, ${part}) > 0)`),
  // Served by an index with the collation "C".
  startswith: from(PG_FORMS.boolean, (value, part) => sql`starts_with(${value}, ${part})`),
  endswith: from(PG_FORMS.boolean, (value, part) => sql`(right(${value}, char_length(${part})) = ${part})`),
  length: from(PG_FORMS.integer, (value) => sql`char_length(${value})::int8`),
  indexof: from(PG_FORMS.integer, (value, part) => sql`(strpos(${value}, ${part}) - 1)::int8`),
  substring,
  tolower: text((value) => sql`lower(${value} collate "und-x-icu")`),
  toupper: text((value) => sql`upper(${value} collate "und-x-icu")`),
  trim: text((value) => sql`btrim(${value}, ${bindFixed(WHITE_SPACE)}::text)`),
  concat: text((first, second) => sql`(${first} || ${second})`),
  ...numericTemporalFunctions({
    numbers: PG_NUMBERS,
    forms: PG_FORMS.temporal,
    once: PG_SYNTAX.once,
    decimal: PG_FORMS.decimal,
    integer: PG_FORMS.integer,
  }),
  round,
  floor: whole(sql`floor`),
  ceiling: whole(sql`ceil`),
};
