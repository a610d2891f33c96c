import { sql } from "kysely";
import type { SelectedProperty } from "../../query/clauses.ts";
import type { JsonMember } from "../cells/json-rows.ts";
import type { JsonCell, JsonSyntax } from "../columns/json-syntax.ts";
import { planOf, type PlansByField } from "../columns/table-columns.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { Rows, StatementScope } from "./relation.ts";
import { addCell, cellName } from "./select-columns.ts";
import { translateSelection, type PageClauses } from "./translate-query.ts";

/** A query of a page as JSON, and the members of its objects. */
export interface JsonQuery {
  readonly query: Sql;
  readonly members: readonly JsonMember[];
  /** The number of cells in the row. */
  readonly width: number;
}

/** The bytes, the number of objects, and of those without JSON. */
const WIDTH = 3;

/** A property that the database can write as JSON. */
interface WritableProperty {
  readonly property: SelectedProperty["property"];
  readonly column: string;
  readonly json: JsonCell;
}

/**
 * Finds the columns of properties that the database can write as JSON.
 * @param writesDoubles whether it writes floating-point numbers with all digits
 * @returns null if it cannot write one of them, or has too many
 */
export function findWritable(
  selected: readonly SelectedProperty[],
  plans: PlansByField,
  { maxMembers }: JsonSyntax,
  writesDoubles: () => boolean,
): readonly WritableProperty[] | null {
  const found = selected.flatMap(({ property }) => {
    const plan = planOf(property, plans);
    const json = plan.kind === "scalar" ? plan.format.json : undefined;
    return plan.kind === "scalar" && json !== undefined ? [{ property, column: plan.column, json }] : [];
  });
  if (found.length < selected.length || found.length === 0 || found.length > maxMembers) return null;
  return found.every(({ json }) => json.isDouble !== true || writesDoubles()) ? found : null;
}

/** Translates the query of a page as JSON, in the order of the rows. */
export function translateJsonPage(
  rows: Rows,
  statement: StatementScope,
  clauses: Omit<PageClauses, "selected" | "joined">,
  writable: readonly WritableProperty[],
  { page }: JsonSyntax,
): JsonQuery {
  const { query, parts } = translateSelection(rows, statement, clauses, ({ it }, cells) => ({
    parts: writable.map(({ property, column, json }) => {
      const cell = sql.id(cellName(addCell(cells, it.column(column))));
      return { name: property.name, cell, toArgument: json.toArgument };
    }),
  }));
  return { query: page(parts, query), members: writable.map(toMember), width: WIDTH };
}

function toMember({ property: { name, nullable }, json: { scan } }: WritableProperty): JsonMember {
  return { head: new TextEncoder().encode(`,${JSON.stringify(name)}:`).length, nullable, scan };
}
