import { sql } from "kysely";
import { protocolError } from "../../../base/errors/odata-error.ts";
import { once } from "../../../base/memo.ts";
import { QUOTIENT_SCALE } from "../../../edm/decimal-arithmetic.ts";
import { asBoolean, asText, type PrimitiveValue } from "../../../edm/value-codec.ts";
import { doublesAround } from "../../cells/instant.ts";
import { castForms, type CastForms, integerMark, scaledDecimals } from "../../forms/cast-forms.ts";
import type { DialectSyntax } from "../../forms/dialect-syntax.ts";
import type { NumberSyntax } from "../../forms/numeric-temporal-forms.ts";
import { roundedReals } from "../../forms/real-decimals.ts";
import { NESTED_TOO_DEEPLY } from "../../placement/refusals.ts";
import {
  convertedForm,
  type Mark,
  rangeForm,
  textMark,
  type Conversion,
  type Sql,
  type SqlForm,
} from "../../statement/sql-form.ts";

/** How a statement uses a value several times. */
export interface Once {
  readonly value: DialectSyntax["once"];
  /** The same for two values, of the same type. */
  readonly pair: (left: Sql, right: Sql, make: (left: Sql, right: Sql) => Sql) => Sql;
}

// The offset keeps the planner from writing the value in place of each name, which multiplies nested values.
const inSubquery: Once["value"] = (value, make) =>
  sql`(select ${make(sql`odata_value`)} from (select ${value} as odata_value offset 0) as odata_once)`;

/** Writes values once, in a subquery. */
export const IN_SUBQUERY: Once = Object.freeze<Once>({
  value: inSubquery,
  pair: (left, right, make) =>
    inSubquery(sql`array[${left}, ${right}]`, (pair) => make(sql`${pair}[1]`, sql`${pair}[2]`)),
});

/** Repeats values, for databases on several machines, which refuse subqueries without tables. */
export const REPEATED: Once = Object.freeze<Once>({
  value: (value, make) => make(repeatable(value)),
  pair: (left, right, make) => make(repeatable(left), repeatable(right)),
});

/** The most pieces of a value that is repeated: each level of nested calls would multiply them. */
const MOST_PIECES = 500;

function repeatable(value: Sql): Sql {
  if (countPieces(value.toOperationNode(), new Map()) <= MOST_PIECES) return sql`(${value})`;
  throw protocolError("UnsupportedQueryOption", NESTED_TOO_DEEPLY);
}

/** @param counted the pieces of parts that are counted already, since a value may contain a part many times */
function countPieces(node: object, counted: Map<object, number>): number {
  const known = counted.get(node);
  if (known !== undefined) return known;
  const parts: unknown = "parameters" in node ? node.parameters : [];
  let pieces = 1;
  for (const part of Array.isArray(parts) ? parts : []) {
    if (typeof part === "object" && part !== null) pieces += countPieces(part as object, counted);
  }
  counted.set(node, pieces);
  return pieces;
}

const asInteger = (place: Sql): Sql => sql`${place}::int8`;
const asNumeric = (place: Sql): Sql => sql`${place}::numeric`;
/** Compares a string by code point. An expression has one collation, so each of its strings states it. */
export const byCodePoint = (text: Sql): Sql => sql`(${text}::text collate "C")`;

/** Selects a value as text. */
export const pgText = (value: Sql): Sql => sql`${value}::text`;
/** Selects a `real` with the same digits that comparisons use. */
export const pgDoubleText = (value: Sql): Sql => sql`${value}::float8::text`;
export const pgHexadecimal = (value: Sql): Sql => sql`encode(${value}, 'hex')`;

/** Selects the sorted values of rows as text. */
export const PG_MARK: Mark = textMark(pgText);

/** The forms of PostgreSQL. */
export const pgForms: () => CastForms = once(() =>
  castForms(
    {
      boolean: (place) => sql`${place}::boolean`,
      integer: asInteger,
      decimal: asNumeric,
      seconds: asNumeric,
      double: (place) => sql`${place}::float8`,
      text: byCodePoint,
      keyText: (value) => sql`${value}::text`,
      bytes: (digits) => sql`decode(${digits}::text, 'hex')`,
      digits: pgHexadecimal,
      lowerGuid: (column) => sql`lower(${column}::text)`,
      keyGuid: (value) => sql`${value}::uuid`,
      enumName: (value) => sql`${value}::text`,
      enumNumber: asInteger,
      // The concatenation keeps the cast of a `varchar` from Citus.
      merged: (cell) => sql`(${cell}::text || '')`,
      arrays: {
        integers: (array) => sql`${array}::int8[]`,
        decimals: (array) => sql`${array}::numeric[]`,
        guids: (array) => sql`${array}::uuid[]`,
        texts: (array) => sql`${array}::text[]`,
        asColumn: (array) => array,
      },
    },
    {
      boolean: asBoolean,
      decimal: asText,
      double: (value) => (Number.isNaN(Number(value)) ? null : String(Number(value))),
      truth: (value) => (value ? sql`true` : sql`false`),
    },
    {
      // A driver may bind nothing but a boolean for a boolean.
      boolean: {
        toSelected: pgText,
        read: (cell) => (cell === "true" || cell === "false" ? cell === "true" : undefined),
      },
      integer: integerMark(pgText),
      double: textMark(pgDoubleText),
      binary: textMark(pgHexadecimal),
    },
  ),
);

/**
 * Binds integers for columns with fewer bits, in databases on several machines. To find the machine of a row, these convert
 * every compared number to the type of the column, and fail for a greater number. So each bound number fits the column, or is
 * null, for which no comparison is true.
 */
export const pgBoundedInteger = (bits: 16 | 32): SqlForm => {
  const { integer } = pgForms();
  const asIs: Conversion = { form: integer, apply: (operand) => operand };
  const most = 2n ** BigInt(bits - 1) - 1n;
  const least = -most - 1n;
  const atLeast = (cell: bigint): string | null => (cell > most ? null : String(cell < least ? least : cell));
  const atMost = (cell: bigint): string | null => (cell < least ? null : String(cell > most ? most : cell));
  const numberOf = (value: PrimitiveValue): bigint => BigInt(String(value));
  return Object.freeze<SqlForm>({
    ...integer,
    name: `integer of ${String(bits)} bits`,
    exact: (value) => (BigInt.asIntN(bits, numberOf(value)) === numberOf(value) ? String(value) : null),
    ceiling: (value) => atLeast(numberOf(value)),
    floor: (value) => atMost(numberOf(value)),
    beside: { above: (value) => atLeast(numberOf(value) + 1n), below: (value) => atMost(numberOf(value) - 1n) },
    mayBeNull: true,
    placeExact: (place) => (bits === 16 ? sql`${place}::int2` : sql`${place}::int4`),
    toArray: (array) => (bits === 16 ? sql`${array}::int2[]` : sql`${array}::int4[]`),
    comparable: asIs,
    computable: asIs,
  });
};

/**
 * Edm.String in a column, for databases on several machines: these return the sorted values, and Citus confuses the type of a
 * `varchar` or `citext` that is cast to `text`. A concatenation is `text` for each of them. Conditions use the same expression as
 * orders, so that one index serves both.
 */
export const pgSpreadString: () => SqlForm = once(() => {
  const gathered = (column: Sql): Sql => sql`((${column} || '') collate "C")`;
  const asSorted: Conversion = { form: pgForms().string, apply: gathered, keepsCells: true };
  return Object.freeze<SqlForm>({
    ...pgForms().stringColumn,
    sortable: asSorted,
    comparable: asSorted,
    computable: asSorted,
    gathered,
  });
});

/** Exact arithmetic in PostgreSQL, whose `numeric` has as many digits as a value needs. */
export const pgUsualNumbers: () => NumberSyntax = once(() => pgNumbers(IN_SUBQUERY));

/** Makes that arithmetic. */
export function pgNumbers(once: Once): NumberSyntax {
  return Object.freeze<NumberSyntax>({
    asInteger,
    asDecimal: asNumeric,
    floorDivide: (value, divisor) => sql`floor(${value} / ${sql.lit(divisor)}::numeric)`,
    wholeDivide: (value, divisor) => sql`div(${value}, ${sql.lit(divisor)})`,
    literal: (digits) => asNumeric(sql.raw(digits)),
    multiplyDecimals: (left, right) => sql`(${left.sql} * ${right.sql})`,
    divideDecimals: divideDecimals(once),
    decimalOf: (value, isDouble) =>
      asNumeric(isDouble ? sql`nullif(nullif(${value}::text, 'Infinity'), '-Infinity')` : value),
    calendarPart: (part, days) => sql`extract(${sql.raw(part)} from date '2000-01-01' + (${days})::int)`,
  });
}

/** Returns the text that the database writes for a value of any type; null for null. */
export function pgAnyText(column: Sql): Sql {
  return sql`(case when ${column} is not null then format('%s', ${column}) end)`;
}

/** Edm.String as the text of a column of any type, such as `inet`. The database converts bound strings to that type. */
export const pgAnyType: () => SqlForm = once(() =>
  convertedForm("text of any type", asText, {
    form: pgForms().string,
    apply: (operand) => byCodePoint(pgAnyText(operand)),
  }),
);

/**
 * Edm.Decimal as text, or as money. Values are bound as numbers, independent of `lc_monetary`, and cast by the database to
 * the type of the column.
 */
export const pgTextDecimal: () => SqlForm = once(() =>
  convertedForm("decimal as text", asText, { form: pgForms().decimal, apply: asNumeric }, { place: asNumeric }),
);

/** Converts the shortest decimal notation. */
const realToDecimal: () => Conversion = once(() => ({
  form: pgForms().decimal,
  apply: (operand) => sql`${operand}::text::numeric`,
}));

/** Edm.Decimal as double precision. The value of a cell is the shortest Decimal that rounds to it. */
export const pgRealDecimal: () => SqlForm = once(() =>
  rangeForm(
    "real decimal",
    {
      floor: (value) => String(doublesAround(asText(value)).floor),
      ceiling: (value) => String(doublesAround(asText(value)).ceiling),
    },
    {
      place: (place) => sql`${place}::float8`,
      mark: pgForms().marks.double,
      comparable: realToDecimal(),
      computable: realToDecimal(),
    },
  ),
);

/** The same under a constant scale. */
export const pgRoundedReals: () => (scale: number) => SqlForm = once(() => {
  const round = (cell: Sql, scale: number): Sql => sql`round(${pgDoubleText(cell)}::numeric, ${sql.lit(scale)})`;
  const computable = (scale: number): Conversion => ({
    form: pgForms().decimal,
    apply: (cell) => round(cell, scale),
  });
  return roundedReals({
    bind: String,
    comparable: computable,
    computable,
    rounded: (cell, scale) => sql`${round(cell, scale)}::float8`,
    others: { place: (place) => sql`${place}::float8`, mark: pgForms().marks.double },
  });
});

/** Edm.Decimal as an integer: the value times ten to the power of its scale. */
export const pgScaledDecimals: () => (scale: number) => SqlForm = once(() =>
  scaledDecimals(pgForms().decimal, (cell, unit) => sql`(${cell} * ${sql.raw(unit)}::numeric)`, { place: asInteger }),
);

/**
 * The quotient rounded half away from zero to twelve digits, or to as many as the operand with the greater scale has,
 * without trailing zeros. One more digit, truncated, suffices to round correctly. The digits of `/` and of `power` depend on
 * the version of PostgreSQL, so the units are read from texts.
 */
function divideDecimals({ pair }: Once): NumberSyntax["divideDecimals"] {
  return (dividend, divisor) => {
    const areShort = dividend.isShort && divisor.isShort;
    return areShort ? quotient(dividend.sql, divisor.sql) : pair(dividend.sql, divisor.sql, quotient);
  };
}

function quotient(dividend: Sql, divisor: Sql): Sql {
  const digits = sql`greatest(${sql.lit(QUOTIENT_SCALE)}, scale(${dividend}), scale(${divisor}))`;
  const unit = (sign: "" | "-"): Sql => asNumeric(sql`(${sql.lit(`1e${sign}`)} || (${digits} + 1)::text)`);
  const cut = sql`div(${dividend} * ${unit("")}, nullif(${divisor}, 0))`;
  return sql`trim_scale(round(${cut} * ${unit("-")}, ${digits}))`;
}
