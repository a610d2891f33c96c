import { PostgresAdapter, sql } from "kysely";
import type { ArraySyntax } from "../../columns/column-format.ts";
import { infixOperators, refuseModulo, castValues } from "../../forms/arithmetic.ts";
import type { DialectCapabilities } from "../../forms/dialect-capabilities.ts";
import type { DialectProfile, DialectValues } from "../../forms/dialect-profile.ts";
import { comparedTextForm } from "../../forms/text-columns.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { PG_CATALOGUE, PG_SPREAD_CATALOGUE } from "./catalogue.ts";
import { pgColumnFormat, pgSpreadColumnFormat } from "./column-format.ts";
import { PG_DOCUMENTS } from "./documents.ts";
import { PG_FAULTS } from "./faults.ts";
import { PG_FORMS, PG_MARK, pgNumbers, IN_SUBQUERY, REPEATED, type Once } from "./forms.ts";
import { PG_JSON_SYNTAX } from "./json.ts";
import {
  PG_FUNCTIONS,
  PG_SPREAD_FUNCTIONS,
  PG_SPREAD_SYNTAX,
  PG_SYNTAX,
  PG_WRITES,
  PG_STREAMING,
  writeArray,
} from "./syntax.ts";
import { PG_DATE, PG_MIDNIGHT, pgOffsetOfText, PG_TEXTS } from "./temporal-forms.ts";

/** The types of arrays whose items the database may round. */
const CASTS: Readonly<Record<string, Sql>> = {
  "Edm.Decimal": sql`::numeric[]`,
  "Edm.Double": sql`::float8[]`,
  "Edm.DateTimeOffset": sql`::timestamptz[]`,
  "Edm.TimeOfDay": sql`::time[]`,
};

/** How PostgreSQL stores collections in arrays of one dimension. */
const PG_ARRAYS: ArraySyntax = Object.freeze<ArraySyntax>({
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
const PG_VALUES: DialectValues = pgValues(IN_SUBQUERY, pgColumnFormat);

/** The same for distributed databases. */
const PG_SPREAD_VALUES: DialectValues = pgValues(REPEATED, pgSpreadColumnFormat);

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

/** PostgreSQL from version 14 on. */
export const PG_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  name: "PostgreSQL",
  // Also by name, because the application may use another copy of Kysely.
  isSpokenBy: (adapter) => adapter instanceof PostgresAdapter || /postgres|pglite/i.test(adapter.constructor.name),
  functions: PG_FUNCTIONS,
  values: PG_VALUES,
  syntax: PG_SYNTAX,
  documents: PG_DOCUMENTS,
  json: PG_JSON_SYNTAX,
  writes: PG_WRITES,
  catalogue: PG_CATALOGUE,
  faults: PG_FAULTS,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "lateral",
    correlatedSubqueries: true,
    listsWhole: true,
    searchesLists: true,
    excludedRows: "computed",
    countsWithPage: true,
    joins: true,
    bindsKeys: false,
    returnsAnything: true,
    readsInWrites: true,
    locksByCondition: true,
  }),
  maxParameters: 65_535,
  streaming: PG_STREAMING,
  positions: true,
  transactionIsolation: "repeatable read",
  // PGlite has no connections.
  mayEndProcess: (adapter) => !/pglite/i.test(adapter.constructor.name),
  whenDistributed: {
    functions: PG_SPREAD_FUNCTIONS,
    values: PG_SPREAD_VALUES,
    syntax: PG_SPREAD_SYNTAX,
    catalogue: PG_SPREAD_CATALOGUE,
  },
});
