import { sql, type Compilable } from "kysely";
import { keptPerForeign } from "../../base/memo.ts";
import { describe, isObject } from "../../definition/option-table.ts";
import type { EntitySet } from "../../edm/model.ts";
import { isTableName, tableNameText, type QualifiedTableName, type TableName } from "../../edm/table-name.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { Database } from "../forms/database.ts";
import type { Alive } from "../forms/dialect-session.ts";
import type { DialectSyntax } from "../forms/dialect-syntax.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import { sqlTableName } from "../statement/sql-operand.ts";
import { rawExpression, type RowsUse } from "./relation.ts";

/** An SQL query with its values, as other query builders return it. */
export interface SqlText {
  /** One `select` with `?` for each value, or `$1`, `$2`, … in PostgreSQL. */
  readonly sql: string;
  /** In the order of the question marks. */
  readonly parameters: readonly unknown[];
}

/** The source of rows: the name of a table or view, a Kysely query, or the text of a query. */
export type BaseQuery = string | QualifiedTableName | Compilable | SqlText;

/** A table or derived table for `from`, and its values. */
export interface From {
  readonly parameters: readonly unknown[];
  /** The name of the table; absent for a query. */
  readonly table?: string | undefined;
  /** The same, quoted. */
  readonly quoted?: Sql | undefined;
  /** Whether it adds expressions to the rows: such rows have no row ids. */
  readonly isDerived?: true | undefined;
  /** Identifies the query: two with the same text differ only in their values. */
  readonly text: string;
  /** Whether its own conditions end a statement after its time: see `Alive`. */
  readonly isAlive?: true | undefined;
  /** The used columns of the table that `*` does not contain, such as the rowid of SQLite. */
  readonly hidden?: readonly string[] | undefined;
  /** The column that says whether a row belongs to the result, for databases that may evaluate other rows first. */
  readonly seen?: string | undefined;
  /**
   * Whether the rows lack that column although the database needs it: several machines refuse a subquery in it. A
   * statement that computes with such rows reads them first.
   */
  readonly needsFence?: boolean | undefined;
  /**
   * Returns the SQL for `from`, with an alias. Its values come from the execution, for a set or for the source itself
   * (null), so that one statement serves all base queries with the same text.
   */
  readonly as: (alias: string, entitySet: EntitySet | null, use: RowsUse) => Sql;
}

/** A piece of a text, and the number of the value after it; null for the last piece. */
interface Piece {
  readonly text: string;
  readonly value: number | null;
}

/**
 * Makes the SQL for `from`. A query becomes a derived table, which databases flatten again.
 * @param report receives a fault if `base` has none of the three forms
 * @returns null in that case
 */
export function toFrom(
  base: unknown,
  { syntax: { valuePlaces }, session: { alive } }: Pick<Database, "session" | "syntax">,
  report: ReportFault,
): From | null {
  const isQuery = isCompilable(base) || isSqlText(base);
  if (!isQuery && isTableName(base)) return ofTable(base);
  const query = isCompilable(base) ? compile(base, alive) : base;
  if (!isSqlText(query)) {
    const lacks = ["sql", "parameters"].filter((name) => isObject(query) && !(name in query));
    if (lacks.length === 1) {
      report(
        `\`from\` has no \`${lacks.join("")}\`.`,
        "Give { sql, parameters }, with `parameters: []` for a query without placeholders.",
      );
      return null;
    }
    report(`\`from\` is ${describe(base)}.`, "Give the name of a table, a Kysely query, or { sql, parameters }.");
    return null;
  }
  const pieces = splitAtValues(query, valuePlaces);
  const wanted = pieces.reduce((count, { value }) => Math.max(count, value === null ? 0 : value + 1), 0);
  const given = query.parameters.length;
  // People run a Kysely query without the conditions that end it.
  const plain = isCompilable(base) ? splitAtValues(compile(base, undefined), valuePlaces) : pieces;
  if (wanted === given) return ofText(query, pieces, plain);
  // With a value too few, a value of the client would take its place.
  report(
    `the query has ${String(wanted)} placeholders, but ${String(given)} values.`,
    "Give `parameters` one value for each placeholder.",
  );
  return null;
}

function ofTable(table: TableName): From {
  return Object.freeze<From>({
    parameters: [],
    table: tableNameText(table),
    quoted: sqlTableName(table),
    text: `table ${JSON.stringify(table)}`,
    as: (alias) => sql`${sqlTableName(table)} as ${sql.id(alias)}`,
  });
}

function ofText({ sql: text, parameters }: SqlText, pieces: readonly Piece[], plain: readonly Piece[]): From {
  const as: From["as"] = (alias, entitySet, { profile: { session } }) =>
    ofPieces(session.alive === undefined ? plain : pieces, alias, (value) =>
      bindSlot(({ base }) => base(entitySet)[value]),
    );
  return Object.freeze<From>({ parameters, text, as });
}

const NO_NAMES: ReadonlySet<string> = new Set<never>();

/**
 * Adds expressions to the rows of a table or query, as further columns. Databases merge this derived table into the statement.
 * @param hidden the used columns that `*` does not contain, such as the rowid of SQLite
 */
export function withExpressions(from: From, expressions: ReadonlyMap<string, string>, hidden: readonly string[]): From {
  const rows = sql.id("odata_rows");
  const added = [
    ...hidden.map((name) => sql`${rows}.${sql.id(name)} as ${sql.id(name)}`),
    ...Array.from(expressions, ([name, expression]) => sql`${rawExpression(expression)} as ${sql.id(name)}`),
  ];
  const as: From["as"] = (alias, entitySet, use) => {
    if (from.quoted !== undefined) use.notes.table({ alias: "odata_rows", table: from.quoted, columns: NO_NAMES });
    return sql`(select ${rows}.*, ${sql.join(added)} from ${from.as("odata_rows", entitySet, use)}) as ${sql.id(alias)}`;
  };
  return Object.freeze<From>({
    ...from,
    isDerived: true,
    hidden: undefined,
    text: JSON.stringify([from.text, ...expressions]),
    as,
  });
}

/** Returns whether an expression contains placeholders, which would take the values of others. */
export function hasPlaceholders(expression: string, { valuePlaces: [places] }: DialectSyntax): boolean {
  return places !== undefined && split(expression, places).length > 1;
}

function ofPieces(pieces: readonly Piece[], alias: string, bind: (value: number) => Sql): Sql {
  const parts = pieces.map(({ text, value }) => {
    return value === null ? sql.raw(text) : sql`${sql.raw(text)}${bind(value)}`;
  });
  // On separate lines, because the text may end in a comment.
  return sql`(\n${sql.join(parts, sql``)}\n) as ${sql.id(alias)}`;
}

/** Splits a text by the first pattern that finds a placeholder. */
function splitAtValues({ sql: text, parameters }: SqlText, patterns: readonly RegExp[]): readonly Piece[] {
  let pieces: readonly Piece[] = [{ text, value: null }];
  for (const places of patterns) {
    pieces = split(text, places);
    if (pieces.length > 1 || parameters.length === 0) break;
  }
  return pieces;
}

function split(text: string, places: RegExp): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let count = 0;
  for (const match of text.matchAll(places)) {
    const number = match.at(-1);
    if (number === undefined) continue;
    const value = number === "" ? count : Number(number) - 1;
    count = Math.max(count, value + 1);
    pieces.push({ text: text.slice(start, match.index), value });
    start = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(start), value: null }];
}

const compiledOf = keptPerForeign((_query: Compilable) => new Map<Alive | undefined, SqlText>());

/** Compiles a query object once, since it never changes. @param alive ends its statement after its time */
function compile(query: Compilable, alive: Alive | undefined): SqlText {
  const compiled = compiledOf(query);
  let text = compiled.get(alive);
  if (text === undefined) compiled.set(alive, (text = withAlive(withColumns(query), alive).compile()));
  return text;
}

/** Other builders of queries have no plugins. */
function withAlive(query: Compilable, alive: Alive | undefined): Compilable {
  if (alive === undefined || !("withPlugin" in query) || typeof query.withPlugin !== "function") return query;
  const changed: unknown = Reflect.apply(query.withPlugin, query, [alive.inSelects]);
  return isCompilable(changed) ? changed : query;
}

/** Selects all columns of a query that selects none: `db.selectFrom("orders").where(…)` alone is not valid SQL. */
function withColumns(query: Compilable): Compilable {
  if (!("toOperationNode" in query) || typeof query.toOperationNode !== "function") return query;
  const node: unknown = Reflect.apply(query.toOperationNode, query, []);
  const isSelect = isObject(node) && node["kind"] === "SelectQueryNode";
  if (!isSelect || node["selections"] !== undefined || !("selectAll" in query)) return query;
  const { selectAll } = query;
  const all: unknown = typeof selectAll === "function" ? Reflect.apply(selectAll, query, []) : query;
  return isCompilable(all) ? all : query;
}

function isCompilable(base: unknown): base is Compilable {
  return typeof base === "object" && base !== null && "compile" in base && typeof base.compile === "function";
}

function isSqlText(base: unknown): base is SqlText {
  return (
    typeof base === "object" &&
    base !== null &&
    "sql" in base &&
    typeof base.sql === "string" &&
    "parameters" in base &&
    Array.isArray(base.parameters)
  );
}
