import { sql, type Compilable } from "kysely";
import { describe, isObject } from "../definition/option-table.ts";
import { ROWS_ALIAS } from "./path-scope.ts";
import type { Sql } from "./sql-form.ts";
import type { ReportFault } from "./table-columns.ts";

/** An SQL query with its values, as other query builders give it. */
export interface SqlText {
  /** One `select`; `?` for each of its values. */
  readonly sql: string;
  /** In the order of the question marks. */
  readonly parameters: readonly unknown[];
}

/** Where rows come from: the name of a table or view, a query of Kysely, or the text of one. */
export type BaseQuery = string | Compilable | SqlText;

/** What stands behind `from`, and the values in it, which come before all others of a statement. */
export interface From {
  readonly sql: Sql;
  readonly parameters: readonly unknown[];
  /** Two of one text are alike but for their values. */
  readonly text: string;
}

const compiled = new WeakMap<Compilable, SqlText>();

/**
 * Makes what stands behind `from`. A query becomes a derived table, which databases take apart again.
 * @param report is told when it is none of the forms
 * @returns null then
 */
export function toFrom(base: unknown, report: ReportFault): From | null {
  if (typeof base === "string" && base !== "") return ofTable(base);
  if (isCompilable(base)) return ofText(compile(base));
  if (isSqlText(base)) {
    const wanted = countParameters(base.sql);
    const given = base.parameters.length;
    if (wanted === given) return ofText(base);
    // One too few, and a literal of the client would be bound in the place of it.
    report(
      `the query asks for ${String(wanted)} values, and has ${String(given)}.`,
      "Give `parameters` a value for each `?`.",
    );
    return null;
  }
  report(`\`from\` is ${describe(base)}.`, "Give the name of a table, a query of Kysely, or { sql, parameters }.");
  return null;
}

function ofTable(name: string): From {
  return { sql: sql`${sql.table(name)} as ${sql.id(ROWS_ALIAS)}`, parameters: [], text: `table ${name}` };
}

function ofText({ sql: text, parameters }: SqlText): From {
  // On lines of its own, for it may end in a comment.
  return { sql: sql`(\n${sql.raw(text)}\n) as ${sql.id(ROWS_ALIAS)}`, parameters, text };
}

/** Quoted texts and names, comments, and the places of values, which alone have a group. */
const PLACES = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g;

/** The values that a text asks for: a `?` is the one behind the greatest so far, `?3` the third. */
function countParameters(text: string): number {
  let count = 0;
  for (const [, number] of text.matchAll(PLACES)) {
    if (number !== undefined) count = number === "" ? count + 1 : Math.max(count, Number(number));
  }
  return count;
}

/** A query object never changes, so it is compiled once. */
function compile(query: Compilable): SqlText {
  const known = compiled.get(query);
  if (known !== undefined) return known;
  const text = query.compile();
  compiled.set(query, text);
  return text;
}

function isCompilable(base: unknown): base is Compilable {
  return typeof base === "object" && base !== null && "compile" in base && typeof base.compile === "function";
}

function isSqlText(base: unknown): base is SqlText {
  return isObject(base) && typeof base["sql"] === "string" && Array.isArray(base["parameters"]);
}
