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
  if (isSqlText(base)) return ofText(base);
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
