import { sql, type Compilable } from "kysely";
import { keptPerForeign } from "../../base/memo.ts";
import { describe, isObject } from "../../definition/option-table.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { DialectSyntax } from "../dialects/dialect-profile.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { RowsUse } from "./relation.ts";

/** An SQL query with its values, as other query builders give it. */
export interface SqlText {
  /** One `select`; `?` for each of its values, or `$1`, `$2`, … in PostgreSQL. */
  readonly sql: string;
  /** In the order of the question marks. */
  readonly parameters: readonly unknown[];
}

/** Where rows come from: the name of a table or view, a query of Kysely, or the text of one. */
export type BaseQuery = string | Compilable | SqlText;

/** What stands behind `from`, and the values in it. */
export interface From {
  readonly parameters: readonly unknown[];
  /** The name of the table; absent for a query. */
  readonly table?: string | undefined;
  /** Two of one text are alike but for their values. */
  readonly text: string;
  /** The column that tells of each row whether it is one of them, where databases may compute with others before. */
  readonly seen?: string | undefined;
  /**
   * What stands behind `from`, with an alias. The values are those that an execution has for a set, or for the source
   * itself (null), so that one statement serves all base queries of one text.
   */
  readonly as: (alias: string, entitySet: EntitySet | null, use: RowsUse) => Sql;
}

/** A piece of a text, and which value follows it; null: none, for it is the last one. */
interface Piece {
  readonly text: string;
  readonly value: number | null;
}

/**
 * Makes what stands behind `from`. A query becomes a derived table, which databases take apart again.
 * @param report is told when it is none of the forms
 * @returns null then
 */
export function toFrom(base: unknown, { valuePlaces }: DialectSyntax, report: ReportFault): From | null {
  if (typeof base === "string" && base !== "") return ofTable(base);
  const query = isCompilable(base) ? compile(base) : base;
  if (!isSqlText(query)) {
    report(`\`from\` is ${describe(base)}.`, "Give the name of a table, a query of Kysely, or { sql, parameters }.");
    return null;
  }
  const pieces = splitAtValues(query, valuePlaces);
  const wanted = pieces.reduce((count, { value }) => Math.max(count, value === null ? 0 : value + 1), 0);
  const given = query.parameters.length;
  if (wanted === given) return ofText(query, pieces);
  // One too few, and a value would be missing where one of the client stands.
  report(
    `the query asks for ${String(wanted)} values, and has ${String(given)}.`,
    "Give `parameters` a value for each `?`.",
  );
  return null;
}

function ofTable(name: string): From {
  return Object.freeze<From>({
    parameters: [],
    table: name,
    text: `table ${name}`,
    as: (alias) => sql`${sql.table(name)} as ${sql.id(alias)}`,
  });
}

function ofText({ sql: text, parameters }: SqlText, pieces: readonly Piece[]): From {
  const as: From["as"] = (alias, entitySet) =>
    ofPieces(pieces, alias, (value) => bindSlot(({ base }) => base(entitySet)[value]));
  return Object.freeze<From>({ parameters, text, as });
}

/**
 * Makes a derived table of a text.
 * @param bind makes what stands in the place of a value, by its number
 */
export function toDerivedTable(
  query: SqlText,
  { valuePlaces }: DialectSyntax,
  alias: string,
  bind: (value: number) => Sql,
): Sql {
  return ofPieces(splitAtValues(query, valuePlaces), alias, bind);
}

function ofPieces(pieces: readonly Piece[], alias: string, bind: (value: number) => Sql): Sql {
  const parts = pieces.map(({ text, value }) => {
    return value === null ? sql.raw(text) : sql`${sql.raw(text)}${bind(value)}`;
  });
  // On lines of its own, for it may end in a comment.
  return sql`(\n${sql.join(parts, sql``)}\n) as ${sql.id(alias)}`;
}

/** The pieces by the first pattern that finds the place of a value. */
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

/** A query object never changes, so it is compiled once. */
const compile = keptPerForeign((query: Compilable): SqlText => withColumns(query).compile());

/** A query that names no columns means all: `db.selectFrom("orders").where(…)` is no SQL as it stands. */
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
