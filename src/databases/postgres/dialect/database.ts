import { sql } from "kysely";
import { once } from "../../../base/memo.ts";
import type { FunctionName } from "../../../edm/canonical-functions.ts";
import type { StructuralProperty } from "../../../edm/model.ts";
import { toHex } from "../../cells/hex.ts";
import { writeKeyList } from "../../cells/write-key-list.ts";
import type { ArraySyntax } from "../../columns/column-format.ts";
import type { SnapshotSyntax } from "../../connection/synchronous-reader.ts";
import { infixOperators, refuseModulo, castValues } from "../../forms/arithmetic.ts";
import { castFunctions } from "../../forms/cast-functions.ts";
import { castComputedFormats } from "../../forms/computed-formats.ts";
import type { Database } from "../../forms/database.ts";
import type { DialectCapabilities } from "../../forms/dialect-capabilities.ts";
import type { DialectSession } from "../../forms/dialect-session.ts";
import type { DialectSyntax } from "../../forms/dialect-syntax.ts";
import type { DialectValues, TranslateCall, DocumentSyntax, Term } from "../../forms/dialect-values.ts";
import { comparedTextForm } from "../../forms/text-columns.ts";
import { textDocuments } from "../../forms/text-documents.ts";
import { argumentAt, WHITE_SPACE } from "../../forms/translate-call.ts";
import type { WriteSyntax } from "../../forms/write-syntax.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import type { Sql } from "../../statement/sql-form.ts";
import { computed } from "../../statement/sql-operand.ts";
import { pgAggregates, pgSpreadAggregates } from "./aggregates.ts";
import { PG_CATALOGUE, PG_SPREAD_CATALOGUE } from "./catalogue.ts";
import { pgColumnFormat, pgSpreadColumnFormat } from "./column-format.ts";
import { PG_FAULTS, pgWithinText } from "./faults.ts";
import { pgForms, PG_MARK, pgNumbers, pgText, IN_SUBQUERY, REPEATED, type Once, pgUsualNumbers } from "./forms.ts";
import { PG_JSON_SYNTAX } from "./json.ts";
import { listExact, listLabels, listNotNull } from "./listed-columns.ts";
import { PG_LITERALS } from "./literals.ts";
import { PG_ROW_GUARD } from "./row-guard.ts";
import { pgDate, pgMidnight, pgOffsetOfText, pgTexts } from "./temporal-forms.ts";
import { castInPostgres } from "./type-casts.ts";

/** How PostgreSQL looks into JSON: columns of type `jsonb`, or of type `json` or text, which are read as `jsonb`. */
const pgDocuments: () => DocumentSyntax = once(() =>
  textDocuments({
    forms: pgForms(),
    texts: pgTexts(),
    boolean: (text) => sql`${text}::boolean`,
    integer: (text) => sql`${text}::numeric::int8`,
    decimal: (text) => sql`${text}::numeric`,
    double: (text) => sql`${text}::float8`,
    string: (text) => sql`(${text} collate "C")`,
    textAt,
    textOfItem: (item) => sql`(${item} #>> '{}')`,
    isNull: (document, path) => sql`${textAt(document, path)} is null`,
    length: (document, path) => sql`jsonb_array_length(${arrayAt(document, path)})::int8`,
    itemsAt: (document, path, alias) =>
      sql`jsonb_array_elements(${arrayAt(document, path)}) with ordinality as ${alias}(value, ordinal)`,
  }),
);

function textAt(document: Sql, path: readonly StructuralProperty[]): Sql {
  return sql`(${document}::jsonb #>> ${keys(path)})`;
}

/** The array at the end of a path; null for any other value. */
function arrayAt(document: Sql, path: readonly StructuralProperty[]): Sql {
  const value = path.length === 0 ? sql`${document}::jsonb` : sql`(${document}::jsonb #> ${keys(path)})`;
  return sql`case jsonb_typeof(${value}) when 'array' then ${value} end`;
}

function keys(path: readonly StructuralProperty[]): Sql {
  if (path.length === 0) return sql`'{}'`;
  return sql`array[${sql.join(path.map(({ field }) => sql`${sql.lit(field)}`))}]`;
}

/** The SQL for databases on several machines, without subqueries that have no tables. */
const PG_SPREAD_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  json: PG_JSON_SYNTAX,
  // By default, null is last ascending. Terms that are never null omit this, so that a plain index serves them.
  hiddenColumns: ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"],
  columnKey: (name) => name,
  orderTerm: (term, descending, nullable) => {
    if (!nullable) return descending ? sql`${term} desc` : term;
    return descending ? sql`${term} desc nulls last` : sql`${term} asc nulls first`;
  },
  listLabels,
  listExact,
  readFirst: sql` offset 0`,
  // PostgreSQL computes it in advance for a constant that is not null.
  unfolded: (constant, cells) => sql`coalesce(${constant}, nullif(${cells}, ${cells}))`,
  // With a test for NULL next to the bound of an index, PostgreSQL reads the index from its start.
  unexpectedNulls: { areLast: (descending) => !descending, listNotNull },
  limit: (top, skip) => {
    const most = top === null ? sql`` : sql` limit ${top}`;
    return skip === null ? most : sql`${most} offset ${skip}`;
  },
  // No index serves `is not distinct from`.
  isSame: (left, right) => sql`(${left} is not distinct from ${right})`,
  isDifferent: (left, right) => sql`(${left} is distinct from ${right})`,
  ifNull: (value, fallback) => sql`coalesce(${value}, ${fallback})`,
  choose: (condition, whenTrue, otherwise) => sql`(case when ${condition} then ${whenTrue} else ${otherwise} end)`,
  booleanValue: (value) => (value ? sql`true` : sql`false`),
  asCondition: (cell) => cell,
  marksRows: true,
  once: REPEATED.value,
  keyTable: (list, forms) => {
    const cells = forms.map((form, index) => {
      const cell = sql`(value ->> ${sql.lit(index)})`;
      return sql`${form.fromKey?.(cell) ?? cell} as ${sql.id(`k${String(index)}`)}`;
    });
    const ordinal = sql`(ordinality - 1)::int as ordinal`;
    const rows = sql`jsonb_array_elements(${list}::jsonb) with ordinality as odata_keys(value, ordinality)`;
    return sql`(select ${sql.join([ordinal, ...cells])} from ${rows})`;
  },
  valuePlaces: [
    /\b[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|\$(\d+)/g,
    // `?` is an operator. It is the place of a value only if a statement has values but no `$1`.
    /\b[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g,
  ],
  writeKeys: writeKeyList,
  keyArrays: {
    write: writeArray,
    contains: (array, value) => sql`${value} = any(${array})`,
    positionOf: (array, value) => sql`array_position(${array}, ${value}) - 1`,
  },
});

/** The SQL of PostgreSQL that all statements need. */
const PG_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  ...PG_SPREAD_SYNTAX,
  listExact: undefined,
  once: IN_SUBQUERY.value,
  // Without the offset, PostgreSQL would write the values in place of their names.
  computeOnce: (condition, values, alias) => sql`(select ${condition} from (select ${values} offset 0) as ${alias})`,
});

/** The SQL of PostgreSQL that only writes need. */
const PG_WRITES: WriteSyntax = Object.freeze<WriteSyntax>({
  isolations: Object.freeze({
    "read committed": "read committed",
    "repeatable read": "repeatable read",
    serializable: "serializable",
  }),
  returnsRows: true,
  defaultRow: sql`default values`,
  // A weaker lock than `for update`: it waits for no insert that refers to the row, which may itself wait for the row.
  rowLock: sql` for no key update`,
  deletionLock: sql` for update`,
  currentRow: sql``,
  unlessThere: () => sql` on conflict do nothing`,
});

/**
 * Writes an array literal of texts, numbers and booleans. Items are quoted, so that commas, braces and NULL have no special
 * meaning.
 */
function writeArray(items: readonly unknown[]): string {
  return `{${items.map(writeItem).join(",")}}`;
}

function writeItem(item: unknown): string {
  if (item === null) return "NULL";
  const text = typeof item === "string" ? item : JSON.stringify(item);
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** The SQL of canonical functions in PostgreSQL. */
const usualFunctions: () => Readonly<Record<FunctionName, TranslateCall>> = once(() => pgFunctions(IN_SUBQUERY));

/** The same for databases on several machines. */
const spreadFunctions: () => Readonly<Record<FunctionName, TranslateCall>> = once(() => pgFunctions(REPEATED));

function pgFunctions(both: Once): Readonly<Record<FunctionName, TranslateCall>> {
  const { value: once } = both;
  return {
    ...castFunctions({
      forms: pgForms(),
      numbers: pgUsualNumbers(),
      once,
      position: (text, part) => sql`strpos(${text}, ${part})`,
      asCount: (count) => sql`${count}::int8`,
      byCodePoint: (text) => sql`(${text} collate "C")`,
      substringOf: (text, places) => sql`(substr(${text}, ${places}) collate "C")`,
      lower: (text) => sql`lower(${text} collate "und-x-icu")`,
      upper: (text) => sql`upper(${text} collate "und-x-icu")`,
      trim: (text) => sql`btrim(${text}, ${bindFixed(WHITE_SPACE)}::text)`,
      concat: (texts) => {
        const joined = texts.map(({ sql: text }) => text);
        if (joined.length === 2) return sql`(${sql.join(joined, sql` || `)})`;
        // `array_to_string` ignores null, but the result must be null.
        return once(
          sql`array[${sql.join(joined)}]`,
          (name) => sql`case when array_position(${name}, null) is null then array_to_string(${name}, '') end`,
        );
      },
      boundCount: (place) => sql`${place}::int`,
      // `least` and `greatest` ignore null, but the result must be null.
      clamped: (given, limit) =>
        once(given, (name) => sql`(case when ${name} is not null then least(greatest(${name}, 0), ${limit})::int end)`),
      // Infinities stay unchanged.
      roundDouble: (value) =>
        once(
          value,
          (name) =>
            sql`(trunc(${name}) + case when abs(${name} - trunc(${name})) >= 0.5 then sign(${name}) else 0 end)`,
        ),
      ceiling: sql`ceil`,
    }),
    // An index with the collation "C" serves it.
    startswith: (call) =>
      computed({ sql: sql`starts_with(${argumentAt(call, 0)}, ${argumentAt(call, 1)})`, form: pgForms().boolean }),
    cast: castInPostgres(both),
  };
}

/** PostgreSQL in this process has one connection, which a transaction would keep from all other requests. */
const EMBEDDED = /pglite/i;

/** A time limit in a transaction applies to each of its statements. */
const PG_SNAPSHOTS: SnapshotSyntax = Object.freeze<SnapshotSyntax>({
  hasConnections: (adapter) => !EMBEDDED.test(adapter.constructor.name),
  begin: (timeout) => (timeout === null ? [] : [`set local statement_timeout = ${String(timeout)}`]),
});

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
  write: (cells) =>
    writeArray(
      cells.map((cell) => {
        if (cell === null) return null;
        return cell instanceof Uint8Array ? `\\x${toHex(cell)}` : String(cell);
      }),
    ),
  place: (cell, { type }) => sql`${cell}${CASTS[type.name] ?? sql``}`,
  // Arrays are comparable only if their element types match.
  compared: (column, { type }) => sql`${column}${CASTS[type.name] ?? sql``}`,
});

/** How PostgreSQL stores values and computes with them. */
const usualValues: () => DialectValues = once(() =>
  pgValues(IN_SUBQUERY, { columnFormat: pgColumnFormat, functions: usualFunctions(), aggregates: pgAggregates() }),
);

/** The same for databases on several machines. */
const spreadValues: () => DialectValues = once(() =>
  pgValues(REPEATED, {
    columnFormat: pgSpreadColumnFormat,
    functions: spreadFunctions(),
    aggregates: pgSpreadAggregates(),
  }),
);

function pgValues(once: Once, own: Pick<DialectValues, "aggregates" | "columnFormat" | "functions">): DialectValues {
  const { columnFormat } = own;
  const computed = castValues({
    forms: pgForms(),
    numbers: pgNumbers(once),
    // `numeric` does not overflow.
    wide: (value) => sql`${value}::numeric`,
    toDouble: (value) => sql`${value}::float8`,
    divideIntegers: (left, right) => sql`div(${left}, nullif(${right}, 0))`,
    integerRemainder: (left, right) => sql`mod(${left}, nullif(${right}, 0))::int8`,
    decimalRemainder: (left, right) => sql`mod(${left.sql}, nullif(${right.sql}, 0))`,
    double: {
      ...infixOperators(
        (left, operator, right) => sql`nullif(${asDouble(left)} ${operator} ${asDouble(right)}, 'NaN')`,
      ),
      div: (left, right) => once.pair(asDouble(left), asDouble(right), quotient),
      mod: refuseModulo("PostgreSQL"),
    },
    single: (result, limit) =>
      once.value(
        result,
        (name) => sql`(case when abs(${name}) >= ${limit}::float8 then ${name} * 'Infinity'::float8 else ${name} end)`,
      ),
    date: pgDate(),
    midnight: pgMidnight(),
    textTimestamp: pgTexts().timestamp,
    offsetOfText: pgOffsetOfText,
    asOffset: (place) => sql`${place}::numeric`,
  });
  return Object.freeze<DialectValues>({
    ...own,
    documents: pgDocuments(),
    computedFormat: castComputedFormats({ columnFormat, canonicalForm: computed.canonicalForm, numberText: pgText }),
    mark: PG_MARK,
    guidsAreTexts: false,
    timestampsAreZoneless: false,
    arrays: PG_ARRAYS,
    documentText: (column) => sql`${column}::text`,
    rowGuard: PG_ROW_GUARD,
    withinText: pgWithinText,
    comparedText: (comparison) => {
      const [type, collation] = [sql.raw(comparison.type ?? "text"), sql.raw(comparison.collation)];
      return comparedTextForm(comparison, (text) => sql`(${text}::${type} collate ${collation})`);
    },
    ...computed,
  });
}

/** A column of an Edm.Single may be `real`, whose arithmetic has fewer digits and overflows. */
function asDouble({ sql: value, type }: Term): Sql {
  return type.name === "Edm.Single" ? sql`${value}::float8` : value;
}

/** Divides as in IEEE 754: a division by zero is infinite, with the sign of both terms. NaN is null, as is a division of null. */
function quotient(dividend: Sql, divisor: Sql): Sql {
  const isPositive = sql`(nullif(${dividend}, 0) > 0) = (${divisor}::text <> '-0')`;
  // Citus cannot write `case … when true` for its machines.
  const infinity = sql`case (${isPositive})::int when 1 then 'Infinity' when 0 then '-Infinity' end`;
  return sql`case when ${divisor} = 0 then (${infinity})::float8 else nullif(${dividend} / ${divisor}, 'NaN') end`;
}

/** How statements of PostgreSQL run. */
const PG_SESSION: DialectSession = Object.freeze<DialectSession>({
  plan: { statement: (statement) => `explain ${statement}`, lines: (rows) => rows.map(([line]) => String(line)) },
  maxParameters: 65_535,
  literals: PG_LITERALS,
  snapshots: PG_SNAPSHOTS,
  // PGlite has no connections.
  mayEndProcess: (adapter) => !EMBEDDED.test(adapter.constructor.name),
  positions: true,
  catalogue: PG_CATALOGUE,
  faults: PG_FAULTS,
});

/** PostgreSQL from version 14 on. */
export const postgres: () => Database = once(() =>
  Object.freeze<Database>({
    name: "PostgreSQL",
    values: usualValues(),
    syntax: PG_SYNTAX,
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
    writes: PG_WRITES,
    session: PG_SESSION,
    whenSpread: {
      values: spreadValues(),
      syntax: PG_SPREAD_SYNTAX,
      session: Object.freeze({ ...PG_SESSION, catalogue: PG_SPREAD_CATALOGUE }),
    },
  }),
);
