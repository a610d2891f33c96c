import { sql } from "kysely";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { RowShape } from "../../language/query/row-shape.ts";
import type { Sql } from "../statement/sql-form.ts";
import type { Translator } from "../statement/sql-operand.ts";
import { DerivedRelation } from "./derived-relation.ts";
import { selectMarks } from "./json-marks.ts";
import { outsideConditions, type PathScope } from "./path-scope.ts";
import type { Rows, StatementState } from "./relation.ts";
import { addCell, addValue, cellName, guarded, selectColumns, type Cells, selectJoined } from "./select-columns.ts";
import { withComputed } from "./select-computed.ts";
import { translateSelection, type PageClauses, type RowQuery } from "./translate-query.ts";

/** The alias of the derived table to which the limit applies. */
const PAGE = "page";
/** The aliases of the keys of a page, and of their number. */
const KEYS = "keys";
const KEY_COUNT = "odata_count";

/**
 * Translates the query of a page: filter, then order, then skip and top. The cells of excluded rows are not computed: where
 * the database would do so, the limit applies to a derived table.
 */
export function translatePage(rows: Rows, statement: StatementState, clauses: PageClauses): RowQuery {
  const { joined, hasTop, hasSkip } = clauses;
  const isLimited = (hasTop || hasSkip) && joined.length === 0;
  if (isLimited && statement.profile.capabilities.excludedRows === "computed") {
    return translateLimited(rows, statement, clauses);
  }
  return translateSelection(rows, statement, clauses, (scope, cells, sorter) => {
    const columns = selectAll(clauses.selected, scope, cells, sorter);
    const joined = selectJoined(clauses.joined, scope.it, statement, cells);
    const marks = marksOf(rows, statement, clauses, { columns, sorter, cells });
    addTotal(clauses, cells);
    return { rowShape: Object.freeze({ columns, joined, marks }) };
  });
}

/** Selects properties and computed values of a row. */
function selectAll(
  selected: readonly SelectedProperty[],
  scope: PathScope,
  cells: Cells,
  translator: Translator,
): RowShape["columns"] {
  const { profile } = scope.statement;
  const declared = selectColumns(selected, scope.it, cells);
  return withComputed(declared, selected, { profile, scope: outsideConditions(scope), translator }, (value, property) =>
    addValue(cells, value.format.toSelected(value.sql), property),
  );
}

/** The selected columns of a page, and the cells to add to. */
interface SelectedPage {
  readonly columns: RowShape["columns"];
  readonly sorter: Translator;
  readonly cells: Cells;
  /** Selects a sorted value within the derived table to which the limit applies; absent without such a table. */
  readonly inner?: (sorted: Sql) => Sql;
}

/** Selects the marks of a page, if they are wanted. */
function marksOf(
  { plans }: Rows,
  { profile }: StatementState,
  { marked }: Pick<PageClauses, "marked">,
  { columns, sorter, cells, inner = (sorted) => sorted }: SelectedPage,
): RowShape["marks"] {
  if (marked === undefined) return undefined;
  const { values } = profile;
  return selectMarks({ order: marked, translator: sorter, values, plans, columns }, (sorted, { toSelected }) =>
    addCell(cells, toSelected(inner(sorted))),
  );
}

function addTotal({ total }: PageClauses, cells: Cells): void {
  if (total !== undefined) addCell(cells, sql`(${total})`);
}

/** Translates the query of a page that computes its cells from the columns of a derived table. */
function translateLimited(rows: Rows, statement: StatementState, clauses: PageClauses): RowQuery {
  const cells: Cells = [];
  const { query: limited, rowShape } = translateSelection(rows, statement, clauses, (scope, within, sorter) => {
    const declared = selectColumns(clauses.selected, new DerivedRelation(scope.it, PAGE, within), cells);
    const inner = (value: Sql): Sql => sql.id(PAGE, cellName(addCell(within, value)));
    const context = { profile: statement.profile, scope: outsideConditions(scope), translator: sorter };
    const columns = withComputed(declared, clauses.selected, context, ({ sql: value, format }, property) =>
      addValue(cells, format.toSelected(inner(value)), property),
    );
    const marks = marksOf(rows, statement, clauses, { columns, sorter, cells, inner });
    return { rowShape: Object.freeze({ columns, joined: undefined, marks }) };
  });
  addTotal(clauses, cells);
  const selected = cells.length === 0 ? sql`null` : sql.join(guarded(cells, statement.profile));
  const query = sql`select ${selected} from (${limited}) as ${sql.id(PAGE)}`;
  return { query, rowShape, width: cells.length };
}

/**
 * Translates the query of a page that joins the keys in a derived table with their rows. A database that sends rows between
 * its machines sends only the keys of excluded rows: it reads the derived table first, because of its limit. The machines
 * read at different times, so the rows must still meet the filter, and the last cell is the number of keys.
 * @see docs/decisions/0050-keys-before-rows.md
 */
export function translateKeysFirst(
  rows: Rows,
  statement: StatementState,
  clauses: Omit<PageClauses, "joined" | "total">,
): RowQuery {
  const { query: keys, width } = translateSelection(rows, statement, clauses, ({ it }, cells) => {
    for (const column of it.keyColumns()) addCell(cells, column);
    return {};
  });
  const count = sql`count(*) over () as ${sql.id(KEY_COUNT)}`;
  const page = sql`(select ${sql.id(KEYS)}.*, ${count} from (${keys}) as ${sql.id(KEYS)}) as ${sql.id(PAGE)}`;
  const names = Array.from({ length: width }, (_none, index) => sql.id(PAGE, cellName(index)));
  // Two relations have columns.
  const outer = { ...statement, isRelational: true };
  const whole = { ...clauses, hasTop: false, hasSkip: false };
  return translateSelection(rows, outer, whole, (scope, cells, sorter) => {
    const { it, level } = scope;
    const tests = it.keyColumns().map((column, index): Sql => sql`${column} = ${names[index]}`);
    level.join(() => sql` inner join ${page} on ${sql.join(tests, sql` and `)}`);
    const columns = selectAll(clauses.selected, scope, cells, sorter);
    const marks = marksOf(rows, outer, clauses, { columns, sorter, cells });
    addCell(cells, sql.id(PAGE, KEY_COUNT));
    return { rowShape: Object.freeze({ columns, joined: undefined, marks }) };
  });
}
