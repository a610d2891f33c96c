import { sql } from "kysely";
import type { ArraySyntax } from "../../columns/column-format.ts";
import { comparedTextForm } from "../../forms/compared-text-form.ts";
import { infixOperators, refuseModulo } from "../../functions/arithmetic.ts";
import { castValues } from "../../functions/cast-values.ts";
import type { Sql } from "../../statement/sql-form.ts";
import type { DialectValues } from "../dialect-profile.ts";
import { pgColumnFormat, pgSpreadColumnFormat } from "./column-format.ts";
import { PG_FORMS, PG_MARK, pgNumbers } from "./forms.ts";
import { IN_SUBQUERY, REPEATED, type Once } from "./once.ts";
import { PG_DATE, PG_MIDNIGHT, pgOffsetOfText, PG_TEXTS } from "./temporal-forms.ts";
import { writeArray } from "./write-array.ts";

/** The types of arrays whose items the database may round. */
const CASTS: Readonly<Record<string, Sql>> = {
  "Edm.Decimal": sql`::numeric[]`,
  "Edm.Double": sql`::float8[]`,
  "Edm.DateTimeOffset": sql`::timestamptz[]`,
  "Edm.TimeOfDay": sql`::time[]`,
};

/** How PostgreSQL stores collections in arrays of one dimension. */
export const PG_ARRAYS: ArraySyntax = Object.freeze<ArraySyntax>({
  items: (column, alias) => sql`unnest(${column}) as ${sql.id(alias)}(value)`,
  item: (alias) => sql`${sql.id(alias, "value")}`,
  length: (column) => sql`cardinality(${column})::int8`,
  toSelected: (column, toSelected) => {
    const items = sql`unnest(${column}) with ordinality as odata_items(value, ordinal)`;
    const texts = sql`array(select ${toSelected(sql`odata_items.value`)} from ${items} order by odata_items.ordinal)`;
    // `unnest` flattens arrays of several dimensions. Returned unchanged, they are rejected by the reader.
    const several = sql`when array_ndims(${column}) > 1 then to_jsonb(${column})::text`;
    return sql`(case when ${column} is null then null ${several} else to_jsonb(${texts})::text end)`;
  },
  write: (cells, { type }) => {
    const prefix = type.name === "Edm.Binary" ? "\\x" : "";
    return writeArray(cells.map((cell) => (cell === null ? null : `${prefix}${String(cell)}`)));
  },
  place: (cell, { type }) => sql`${cell}${CASTS[type.name] ?? sql``}`,
  // Arrays are comparable only if their element types match.
  compared: (column, { type }) => sql`${column}${CASTS[type.name] ?? sql``}`,
});

/** How PostgreSQL stores values and computes with them. */
export const PG_VALUES: DialectValues = pgValues(IN_SUBQUERY, pgColumnFormat);

/** The same for distributed databases. */
export const PG_SPREAD_VALUES: DialectValues = pgValues(REPEATED, pgSpreadColumnFormat);

function pgValues(once: Once, columnFormat: DialectValues["columnFormat"]): DialectValues {
  return Object.freeze<DialectValues>({
    columnFormat,
    mark: PG_MARK,
    guidsAreTexts: false,
    arrays: PG_ARRAYS,
    documentText: (column) => sql`${column}::text`,
    comparedText: (comparison) => {
      const [type, collation] = [sql.raw(comparison.type ?? "text"), sql.raw(comparison.collation)];
      return comparedTextForm(comparison, (text) => sql`(${text}::${type} collate ${collation})`);
    },
    ...castValues({
      forms: PG_FORMS,
      numbers: pgNumbers(once),
      // `numeric` does not overflow.
      wide: (value) => sql`${value}::numeric`,
      toDouble: (value) => sql`${value}::float8`,
      divideIntegers: (left, right) => sql`div(${left}, nullif(${right}, 0))`,
      integerRemainder: (left, right) => sql`mod(${left}, nullif(${right}, 0))::int8`,
      decimalRemainder: (left, right) => sql`mod(${left.sql}, nullif(${right.sql}, 0))`,
      double: {
        ...infixOperators((left, operator, right) => sql`nullif(${left.sql} ${operator} ${right.sql}, 'NaN')`),
        div: (left, right) => once.pair(left.sql, right.sql, quotient),
        mod: refuseModulo("PostgreSQL"),
      },
      date: PG_DATE,
      midnight: PG_MIDNIGHT,
      textTimestamp: PG_TEXTS.timestamp,
      offsetOfText: pgOffsetOfText,
      asOffset: (place) => sql`${place}::numeric`,
    }),
  });
}

/** Divides as in IEEE 754: a division by zero is infinite, with the sign of both terms. NaN is null. */
function quotient(dividend: Sql, divisor: Sql): Sql {
  const isPositive = sql`(${dividend} > 0) = (${divisor}::text <> '-0')`;
  const infinity = sql`case when ${dividend} = 0 then null when ${isPositive} then 'Infinity' else '-Infinity' end`;
  return sql`case when ${divisor} = 0 then (${infinity})::float8 else nullif(${dividend} / ${divisor}, 'NaN') end`;
}
