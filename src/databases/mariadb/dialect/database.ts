import { sql } from "kysely";
import { once } from "../../../base/memo.ts";
import type { FunctionName } from "../../../edm/canonical-functions.ts";
import { writeKeyList } from "../../cells/write-key-list.ts";
import type { SnapshotSyntax } from "../../connection/synchronous-reader.ts";
import { infixOperators, refuseModulo, castValues } from "../../forms/arithmetic.ts";
import { castFunctions } from "../../forms/cast-functions.ts";
import { castComputedFormats } from "../../forms/computed-formats.ts";
import type { Database } from "../../forms/database.ts";
import type { DialectCapabilities } from "../../forms/dialect-capabilities.ts";
import type { DialectSession } from "../../forms/dialect-session.ts";
import type { DialectSyntax } from "../../forms/dialect-syntax.ts";
import type { DialectValues, TranslateCall, DocumentSyntax } from "../../forms/dialect-values.ts";
import { comparedTextForm } from "../../forms/text-columns.ts";
import { jsonPath, textDocuments } from "../../forms/text-documents.ts";
import { argumentAt, bindText, constantAt, operandAt, WHITE_SPACE } from "../../forms/translate-call.ts";
import type { WriteSyntax } from "../../forms/write-syntax.ts";
import type { TextComparison } from "../../introspect/schema.ts";
import { bindFixed } from "../../statement/parameter-slot.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import { computed } from "../../statement/sql-operand.ts";
import { myAggregates } from "./aggregates.ts";
import { MY_CATALOGUE } from "./catalogue.ts";
import { myColumnFormat, myDate, myMidnight, myOffsetOfText, myTexts } from "./column-format.ts";
import { MY_FAULTS, myWithinText } from "./faults.ts";
import { GREATEST_DOUBLE, myForms, MY_MARK, myNumbers, myTextDecimal, myText } from "./forms.ts";
import { MY_LITERALS } from "./literals.ts";
import { doublesOnce, namedOnce } from "./named-once.ts";
import { MY_ROW_GUARD } from "./row-guard.ts";
import { castInMariaDb } from "./type-casts.ts";

/** How MariaDB looks into JSON: columns of type `json` or text. */
const myDocuments: () => DocumentSyntax = once(() =>
  textDocuments({
    forms: myForms(),
    texts: myTexts(),
    boolean: (text) => sql`(${text} + 0)`,
    integer: (text) => sql`cast(cast(${text} as decimal(65, 30)) as signed)`,
    decimal: (text) => text,
    decimalForm: myTextDecimal(),
    double: (text) => sql`(${text} + 0e0)`,
    string: (text) => sql`(${text} collate utf8mb4_nopad_bin)`,
    textAt: (document, path) => sql`json_value(${document}, ${jsonPath(path)})`,
    textOfItem: (item) => sql`json_value(${item}, '$')`,
    isNull: (document, path) => sql`ifnull(json_type(json_extract(${document}, ${jsonPath(path)})), 'NULL') = 'NULL'`,
    // `json_length` of a value that is not an array is 1.
    length: (document, path) =>
      sql`(case json_type(json_extract(${document}, ${jsonPath(path)})) when 'ARRAY' then json_length(${document}, ${jsonPath(path)}) end)`,
    itemsAt: (document, path, alias) =>
      sql`json_table(ifnull(json_extract(${document}, ${jsonPath(path)}), '[]'), '$[*]' columns(ordinal for ordinality, value json path '$')) as ${alias}`,
  }),
);

/** More rows than any table has, because an offset requires a limit. */
const ALL_ROWS = sql`18446744073709551615`;

/** The SQL of MariaDB and MySQL that all statements need. */
const MY_SYNTAX: DialectSyntax = Object.freeze<DialectSyntax>({
  // By default, null is first ascending and last descending.
  hiddenColumns: [],
  columnKey: (name) => name.toLowerCase(),
  orderTerm: (term, descending) => (descending ? sql`${term} desc` : term),
  // The database removes a test for NULL from a column that is `not null`.
  unexpectedNulls: { areLast: (descending) => descending, listNotNull: null },
  limit: (top, skip) => {
    if (top === null && skip === null) return sql``;
    return skip === null ? sql` limit ${top}` : sql` limit ${top ?? ALL_ROWS} offset ${skip}`;
  },
  isSame: (left, right) => sql`(${left} <=> ${right})`,
  isDifferent: (left, right) => sql`(not (${left} <=> ${right}))`,
  ifNull: (value, fallback) => sql`ifnull(${value}, ${fallback})`,
  choose: (condition, whenTrue, otherwise) => sql`(case when ${condition} then ${whenTrue} else ${otherwise} end)`,
  booleanValue: (value) => (value ? sql`1` : sql`0`),
  asCondition: (cell) => sql`${cell} = 1`,
  // A query among its columns would prevent merging a derived table.
  marksRows: false,
  once: (value, make) => namedOnce([value], "decimal(65, 30)", make),
  keyTable: (list, forms) => {
    const cells = forms.map((form, index) => {
      const cell = sql`odata_keys.${sql.id(`v${String(index)}`)}`;
      return sql`${form.fromKey?.(cell) ?? cell} as ${sql.id(`k${String(index)}`)}`;
    });
    const values = forms.map(
      (_form, index) => sql`${sql.id(`v${String(index)}`)} longtext path ${sql.lit(`$[${String(index)}]`)}`,
    );
    const columns = sql.join([sql`odata_ordinal for ordinality`, ...values]);
    const rows = sql`json_table(${list}, '$[*]' columns(${columns})) as odata_keys`;
    return sql`(select ${sql.join([sql`odata_keys.odata_ordinal - 1 as ordinal`, ...cells])} from ${rows})`;
  },
  valuePlaces: [/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|--\s[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g],
  writeKeys: writeKeyList,
});

const SET_STATEMENT = "set statement ";

/** Adds a setting that applies to a statement alone. */
function withSetting(setting: string, statement: string): string {
  return statement.startsWith(SET_STATEMENT)
    ? `${SET_STATEMENT}${setting}, ${statement.slice(SET_STATEMENT.length)}`
    : `${SET_STATEMENT}${setting} for ${statement}`;
}

/** MySQL reads a comment. */
function limitTime(timeout: number, statement: string): string {
  const limit = `max_statement_time=${String(timeout / 1000)}`;
  return statement.startsWith(SET_STATEMENT)
    ? withSetting(limit, statement)
    : `/*M!100101 ${SET_STATEMENT}${limit} for */ ${statement}`;
}

/** The bytes of a term that a sort compares: a value of `SORTED_BYTES` and its length. */
const SORT_LENGTH = 65_544;
/** A sort needs memory for 15 rows. */
const SORT_MEMORY = 16 * SORT_LENGTH;

/**
 * By default, a sort compares 1024 bytes of a value. Columns take as many bytes as they can have, so short ones cost no more.
 * @see https://mariadb.com/kb/en/server-system-variables/#max_sort_length
 */
function sortLong(terms: number, statement: string): string {
  const memory = `sort_buffer_size=greatest(@@sort_buffer_size, ${String((terms + 1) * SORT_MEMORY)})`;
  return withSetting(`max_sort_length=${String(SORT_LENGTH)}, ${memory}`, statement);
}

/** The SQL of MariaDB that only writes need. */
const MY_WRITES: WriteSyntax = Object.freeze<WriteSyntax>({
  isolations: Object.freeze({
    "read committed": "read committed",
    // A statement that reads shows the rows as they were at the first one.
    "repeatable read": "serializable",
    serializable: "serializable",
  }),
  returnsRows: false,
  returnsInserted: true,
  defaultRow: sql`() values ()`,
  rowLock: sql` for update`,
  deletionLock: sql` for update`,
  // The row is already locked.
  currentRow: sql` for update`,
  // Setting a column to itself does nothing.
  unlessThere: (column) => sql` on duplicate key update ${column} = ${column}`,
});

/** Doubles of this size are whole. `truncate` fails for the greatest. */
const WHOLE_FROM = 2 ** 52;
const WHITE_SPACE_AROUND = `^[${WHITE_SPACE}]+|[${WHITE_SPACE}]+\\z`;

/** For a column and a literal, adds a pattern that an index with the collation of the column can serve. */
const startsWith: TranslateCall = (call) => {
  const value = argumentAt(call, 0);
  const part = argumentAt(call, 1);
  const test = sql`left(${value}, char_length(${part})) = ${part}`;
  const column = operandAt(call, 0);
  const prefix = constantAt(call, 1);
  if (column.kind === "constant" || column.form !== myForms().stringColumn || prefix === undefined) {
    return computed({ sql: sql`(${test})`, form: myForms().boolean });
  }
  const pattern = bindText(prefix, (text) => `${text.replaceAll(/[%_|]/g, "|$&")}%`);
  return computed({ sql: sql`(${column.sql} like ${pattern} escape '|' and ${test})`, form: myForms().boolean });
};

/** The SQL of canonical functions in MariaDB. `tolower` and `toupper` map each letter to one letter. */
const myFunctions: () => Readonly<Record<FunctionName, TranslateCall>> = once(() => ({
  ...castFunctions({
    forms: myForms(),
    numbers: myNumbers(),
    once: MY_SYNTAX.once,
    position: (text, part) => sql`locate(${part}, ${text})`,
    asCount: (count) => count,
    byCodePoint: (text) => sql`(${text} collate utf8mb4_nopad_bin)`,
    substringOf: (text, places) => sql`substr(${text}, ${places})`,
    lower: (text) => sql`lower(${text})`,
    upper: (text) => sql`upper(${text})`,
    trim: (text) => sql`regexp_replace(${text}, ${bindFixed(WHITE_SPACE_AROUND)}, '')`,
    concat: (texts) => sql`concat(${sql.join(texts.map(({ sql: text }) => text))})`,
    boundCount: (place) => sql`cast(${place} as signed)`,
    clamped: (value, limit) => sql`least(greatest(${value}, 0), ${limit})`,
    roundDouble: (value) =>
      doublesOnce([value], (name) => {
        const whole = sql`truncate(${name}, 0)`;
        const rounded = sql`${whole} + case when abs(${name} - ${whole}) >= 0.5 then sign(${name}) else 0 end`;
        return sql`case when abs(${name}) >= ${sql.lit(WHOLE_FROM)} then ${name} else ${rounded} end`;
      }),
    ceiling: sql`ceiling`,
  }),
  startswith: startsWith,
  cast: castInMariaDb(),
}));

/** The columns of `explain`. @see https://mariadb.com/kb/en/explain/ */
const PLAN_COLUMNS: readonly string[] = "id select_type table type possible_keys key key_len ref rows Extra".split(" ");

/** Explains a statement. The settings of a statement come first. */
function explained(statement: string): string {
  return statement.replace(/^(?:set statement .*? for )?/, "$&explain ");
}

const MY_SNAPSHOTS: SnapshotSyntax = Object.freeze<SnapshotSyntax>({
  hasConnections: () => true,
  // Each statement has its own time limit.
  begin: () => [],
});

/** How MariaDB computes with values. */
const myComputed = once(() =>
  castValues({
    forms: myForms(),
    numbers: myNumbers(),
    wide: (value) => sql`cast(${value} as decimal(20, 0))`,
    toDouble: (value) => sql`(${value} + 0e0)`,
    divideIntegers: (left, right) => sql`truncate(${left} * 1.${sql.raw("0".repeat(30))} / ${right}, 0)`,
    integerRemainder: (left, right) => sql`cast(mod(${left}, ${right}) as signed)`,
    // A remainder may be negative zero, which equals nothing until 0 is added.
    decimalRemainder: (left, right) => sql`(mod(${left.sql}, ${right.sql}) + 0)`,
    double: {
      ...infixOperators((left, operator, right) => sql`(${left.sql} ${operator} ${right.sql})`),
      // Doubles cannot be infinite, so a division by zero fails the statement instead of returning null.
      div: (left, right) =>
        doublesOnce(
          [left.sql, right.sql],
          (dividend, divisor) =>
            sql`case when ${divisor} = 0 then exp(1000 + ${divisor}) else ${dividend} / ${divisor} end`,
        ),
      mod: refuseModulo("MariaDB"),
    },
    // Shown as infinite: the greatest double is beyond every other one, too. See `single` of the forms.
    single: (result, limit) =>
      doublesOnce([result], (name) => sql`if(abs(${name}) >= ${limit}, sign(${name}) * ${GREATEST_DOUBLE}, ${name})`),
    date: myDate(),
    midnight: myMidnight(),
    textTimestamp: myTexts().timestamp,
    offsetOfText: myOffsetOfText,
    asOffset: (place) => sql`cast(${place} as signed)`,
  }),
);

/** How MariaDB stores values and computes with them. */
const myValues: () => DialectValues = once(() =>
  Object.freeze<DialectValues>({
    columnFormat: myColumnFormat,
    computedFormat: castComputedFormats({
      columnFormat: myColumnFormat,
      canonicalForm: myComputed().canonicalForm,
      numberText: myText,
    }),
    mark: MY_MARK,
    guidsAreTexts: true,
    timestampsAreZoneless: true,
    documentText: myText,
    rowGuard: MY_ROW_GUARD,
    comparedText: myComparedText,
    ...myComputed(),
    functions: myFunctions(),
    documents: myDocuments(),
    aggregates: myAggregates(),
    withinText: myWithinText,
  }),
);

/** How statements of MariaDB and MySQL run. */
const MY_SESSION: DialectSession = Object.freeze<DialectSession>({
  // For this statement only. In UTC no hour occurs twice, so an index on a `timestamp` column serves comparisons.
  inUtcSession: (statement) => withSetting("time_zone='+00:00'", statement),
  sortingLong: sortLong,
  // After 1000 times it would return a part of the rows.
  recursing: (statement) => withSetting("max_recursive_iterations=4294967295", statement),
  within: limitTime,
  plan: {
    statement: explained,
    lines: (rows) => [PLAN_COLUMNS, ...rows].map((row) => row.map(String).join("  ")),
  },
  maxParameters: 65_535,
  literals: MY_LITERALS,
  snapshots: MY_SNAPSHOTS,
  catalogue: MY_CATALOGUE,
  faults: MY_FAULTS,
});

/** MariaDB from version 10.6 on. */
export const mariadb: () => Database = once(() =>
  Object.freeze<Database>({
    name: "MariaDB",
    values: myValues(),
    syntax: MY_SYNTAX,
    capabilities: Object.freeze<DialectCapabilities>({
      topPerParent: "window",
      correlatedSubqueries: true,
      listsWhole: false,
      searchesLists: false,
      excludedRows: "skipped",
      countsWithPage: true,
      joins: true,
      bindsKeys: false,
      returnsAnything: true,
      readsInWrites: true,
      locksByCondition: true,
    }),
    writes: MY_WRITES,
    session: MY_SESSION,
  }),
);

/** Texts as a foreign key compares them. Both columns have the collation, whose name begins with its character set. */
function myComparedText(comparison: TextComparison): SqlForm {
  const { collation } = comparison;
  const characterSet = collation.replace(/_.*$/, "");
  const bound = (text: Sql): Sql =>
    sql`(convert(${text} using ${sql.raw(characterSet)}) collate ${sql.raw(collation)})`;
  return comparedTextForm(comparison, bound, (column) => column);
}
