import { sql } from "kysely";
import { required } from "../../base/required.ts";
import type { NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { Row, RowColumn, RowShape, ScalarColumn, JoinedShape } from "../../language/query/row-shape.ts";
import type { JoinedNavigation } from "../../language/query/source.ts";
import { readArray, readDocument } from "../columns/column-format.ts";
import { everyMember, planOf, type ColumnPlan, type PlansByField } from "../columns/table-columns.ts";
import type { Database } from "../forms/database.ts";
import { bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import { joinNavigation, joinRelated } from "./join-navigation.ts";
import { outsideConditions, relationScope } from "./path-scope.ts";
import { Relation, Level, type StatementState } from "./relation.ts";
import { makeTranslator } from "./translate-expression.ts";

/** The cells that a statement selects; translation adds to them. */
export interface Cells extends Array<Sql> {
  /** The cells that may be long, by index; absent: none. */
  long?: Map<number, LongCell>;
}

interface LongCell {
  readonly cell: Sql;
  /** The column of bytes, which the cell contains in hexadecimal digits; absent: the cell is a text. */
  readonly bytes?: Sql | undefined;
}

/** Texts and bytes with a lower limit are never long. */
const LONG = 65_536;

const MOST_ROW_BYTES: Sql = bindSlot(({ maxRowBytes }) => maxRowBytes);

/** Adds a cell of a property, whose values may be long. @param column of a cell with bytes @returns its index */
export function addValue(
  cells: Cells,
  cell: Sql,
  { type, facets, isCollection }: StructuralProperty,
  column: Sql = cell,
): number {
  const index = addCell(cells, cell);
  const isText = isCollection || type.kind === "ComplexType" || type.name === "Edm.String";
  if ((isText || type.name === "Edm.Binary") && (isCollection || (facets.maxLength ?? LONG) >= LONG)) {
    (cells.long ??= new Map<number, LongCell>()).set(index, { cell, bytes: isText ? undefined : column });
  }
  return index;
}

/**
 * Returns the list of cells to select: after them a guard that fails the statement for a row with more bytes than the response
 * may have, so that the database does not send it.
 * @param at returns the selected cell of an index; by default, it is as it was added
 */
export function guarded(cells: Cells, { values: { rowGuard } }: Database, at?: (index: number) => Sql): readonly Sql[] {
  const { long } = cells;
  if (rowGuard === undefined || long === undefined) {
    return at === undefined ? cells : cells.map((_cell, index) => at(index));
  }
  const selected = cells.map((cell, index) => {
    if (at !== undefined) return at(index);
    const { bytes, cell: value = cell } = long.get(index) ?? {};
    if (bytes === undefined) return cell;
    return sql`${rowGuard.unlessLong(rowGuard.bytesOf(bytes), MOST_ROW_BYTES, value)} as ${sql.id(cellName(index))}`;
  });
  const sizes = [...long].map(([index, { cell, bytes }]) => {
    const found = at?.(index);
    if (bytes === undefined) return sql`coalesce(${rowGuard.bytesOfText(found ?? cell)}, 0)`;
    // Each byte has two digits.
    return found === undefined
      ? sql`coalesce(${rowGuard.bytesOf(bytes)}, 0)`
      : sql`coalesce(${rowGuard.bytesOfText(found)} / 2, 0)`;
  });
  const guard = rowGuard.refuse(sql`(${sql.join(sizes, sql` + `)})`, MOST_ROW_BYTES);
  return [...selected, sql`${guard} as ${sql.id("odata_guard")}`];
}

/**
 * Selects the columns of the selected properties, and no others, with one exception: for a partly selected complex value
 * that may be null, it also selects members that show whether the value is null. Computed values are left to `withComputed`.
 * @param cells the cells to add to
 * @param documentOf makes the reader of a column with JSON
 */
export function selectColumns(
  wanted: readonly SelectedProperty[],
  relation: Relation,
  cells: Cells,
  documentOf: DocumentReader = readDocument,
): RowShape["columns"] {
  const { plans, key } = relation.rows;
  const selected = present(wanted, relation);
  const columns = selectProperties(selected, plans, { relation, cells, documentOf });
  if (!selected.some(({ property, withIgnored }) => mayForgive(planOf(property, plans), withIgnored))) return columns;
  // The log names the key of a row with a cell that cannot be read.
  const missing = key.filter(({ field }) => !selected.some(({ property }) => property.field === field));
  const keys = missing.map((property) => ({ property }));
  return new Map([...columns, ...selectProperties(keys, plans, { relation, cells, documentOf })]);
}

/** Selects columns as `selectColumns` does, but in forms that do not depend on the session, where there are any. */
export function returnedColumns(
  selected: readonly SelectedProperty[],
  relation: Relation,
  cells: Cells,
): RowShape["columns"] {
  const { plans } = relation.rows;
  const selection = { relation, cells, documentOf: readDocument, isReturned: true };
  return selectProperties(present(selected, relation), plans, selection);
}

/** Returns the properties with columns: computed values have none. */
function present(wanted: readonly SelectedProperty[], { rows: { absent } }: Relation): readonly SelectedProperty[] {
  const selected = wanted.some(isComputed) ? wanted.filter((each) => !isComputed(each)) : wanted;
  return absent.size === 0 ? selected : selected.filter(({ property }) => !absent.has(property.field));
}

function isComputed({ computed }: SelectedProperty): boolean {
  return computed !== undefined;
}

/** Whether a database on several machines returns a column from a write. Expressions of the application are unknown. */
export function isReturnable(plan: ColumnPlan): boolean {
  switch (plan.kind) {
    case "complex":
      return [...everyMember(plan).values()].every(isReturnable);
    case "array":
      return false;
    case "scalar":
      return plan.expression === undefined && plan.format.toReturned !== null;
    default:
      return plan.expression === undefined;
  }
}

function mayForgive(plan: ColumnPlan, withIgnored = false): boolean {
  if (plan.kind !== "complex") return plan.unreadable !== undefined;
  const members = withIgnored ? everyMember(plan) : plan.members;
  return [...members.values()].some((member) => mayForgive(member, withIgnored));
}

/** Makes the reader of a column with JSON. @param withIgnored see `SelectedProperty` */
type DocumentReader = (property: StructuralProperty, withIgnored?: true) => (cell: unknown) => unknown;

/** Adds a cell. @returns its index */
export function addCell(cells: Cells, expression: Sql): number {
  cells.push(sql`${expression} as ${sql.id(cellName(cells.length))}`);
  return cells.length - 1;
}

/** Returns the alias of a cell, for drivers that return rows as objects. */
export function cellName(index: number): string {
  return `c${index}`;
}

/**
 * Converts rows that a driver returned as objects to arrays of cells.
 * @param width the number of cells, which have their aliases; undefined for columns with other names
 */
export function toRows(objects: readonly unknown[], width: number | undefined): readonly Row[] {
  if (width === undefined) return objects.map((row): Row => Object.values(row as object));
  const names = Array.from({ length: width }, (_none, index) => cellName(index));
  return (objects as ReadonlyArray<Readonly<Record<string, unknown>>>).map((row) =>
    names.map((name) => row[name] ?? null),
  );
}

/** The relation to select from, and the cells to add to. */
interface Selection {
  readonly relation: Relation;
  readonly cells: Cells;
  readonly documentOf: DocumentReader;
  /** Whether the cells must not depend on the session. */
  readonly isReturned?: boolean;
  /** The keys of the enclosing complex properties, each with a dot; absent: none. */
  readonly path?: string;
}

function selectProperties(
  selected: readonly SelectedProperty[],
  plans: PlansByField,
  selection: Selection,
): ReadonlyMap<StructuralProperty, RowColumn> {
  const columns = new Map<StructuralProperty, RowColumn>();
  for (const each of selected) {
    columns.set(each.property, selectProperty(each, planOf(each.property, plans), selection));
  }
  return columns;
}

function selectProperty(selected: SelectedProperty, plan: ColumnPlan, selection: Selection): RowColumn {
  const { relation, cells } = selection;
  switch (plan.kind) {
    case "scalar": {
      const { format } = plan;
      const { toValue, toJson, toSelected } = format;
      const select = selection.isReturned === true ? (format.toReturned ?? toSelected) : toSelected;
      const cell = relation.column(plan.column);
      const index = addValue(cells, select(cell), plan.property, cell);
      return Object.freeze({
        kind: "scalar",
        index,
        toValue: (cell: unknown) => (cell === null ? null : toValue(cell)),
        toJson,
        unreadable: plan.unreadable,
      });
    }
    case "document":
      return Object.freeze({
        kind: "document",
        index: addValue(cells, plan.toSelected(relation.column(plan.column)), plan.property),
        toValue: selection.documentOf(plan.property, selected.withIgnored),
        unreadable: plan.unreadable,
      });
    case "array": {
      const array = plan.syntax.toSelected(relation.column(plan.column), plan.format.toSelected);
      return Object.freeze({
        kind: "document",
        index: addValue(cells, array, plan.property),
        toValue: readArray(plan.property, plan.format),
        unreadable: plan.unreadable,
      });
    }
    case "converted": {
      const index = addValue(cells, relation.column(plan.column), plan.property);
      const toValue = (cell: unknown): unknown => (cell === null || cell === undefined ? null : plan.toValue(cell));
      const { isCollection, type } = plan.property;
      const { unreadable } = plan;
      if (isCollection || type.kind === "ComplexType") {
        return Object.freeze({ kind: "document", index, toValue, unreadable });
      }
      // The conversion of a single value ends in the codec of the property.
      return Object.freeze({
        kind: "scalar",
        index,
        toValue: toValue as ScalarColumn["toValue"],
        unreadable: plan.unreadable,
      });
    }
    case "complex": {
      const below: Selection = { ...selection, path: `${selection.path ?? ""}${plan.property.field}.` };
      const members = selectProperties(selectedMembers(selected), plan.members, below);
      const hidden = ignoredMembers(selected, below);
      const ignored = hidden.length === 0 ? undefined : selectProperties(hidden, plan.ignored, below);
      const presence = plan.presence === undefined ? undefined : addCell(cells, relation.column(plan.presence));
      return Object.freeze({ kind: "complex", presence, members, ignored });
    }
  }
}

/** Returns the ignored members to read, except members without a column. */
function ignoredMembers(
  { property: { type }, withIgnored }: SelectedProperty,
  { relation, path = "" }: Selection,
): readonly SelectedProperty[] {
  if (withIgnored === undefined || type.kind !== "ComplexType") return [];
  const { absent } = relation.rows;
  return type.ignoredProperties
    .filter(({ field }) => !absent.has(path + field))
    .map((property) => ({ property, withIgnored }));
}

/** A member that is never null shows whether the value is null; without one, all members together do. */
function selectedMembers({ property, nested, withIgnored }: SelectedProperty): readonly SelectedProperty[] {
  if (property.type.kind !== "ComplexType") throw new Error(`${property.name} has no members.`);
  const all = property.type.properties.map((member) => ({ property: member, withIgnored }));
  if (nested === undefined) return all;
  if (!property.nullable || nested.some((member) => isNeverNull(member.property))) return nested;
  const marker = all.find((member) => isNeverNull(member.property));
  if (marker !== undefined) return [...nested, marker];
  const given = new Map(nested.map((member) => [member.property, member]));
  return all.map((member) => given.get(member.property) ?? member);
}

function isNeverNull({ nullable, isCollection, type }: StructuralProperty): boolean {
  return !nullable && !isCollection && type.kind !== "ComplexType";
}

/**
 * Joins single-valued expansions and adds the required cells of the related entities after those of their parents.
 * @returns the shapes of the related entities in a row; undefined for none
 */
export function selectJoined(
  joined: readonly JoinedNavigation[],
  parent: Relation,
  statement: StatementState,
  cells: Cells,
): RowShape["joined"] {
  if (joined.length === 0) return undefined;
  const shapes = new Map<NavigationProperty, JoinedShape>();
  for (const each of joined) {
    const related = joinExpansion(each, parent, statement);
    const columns = selectColumns(each.selected, related, cells);
    const key = keyCell(related, columns, cells);
    const isPresent = (row: Row): boolean => row[key] !== null;
    shapes.set(
      each.expansion.navigationProperty,
      Object.freeze({ columns, isPresent, joined: selectJoined(each.joined, related, statement, cells) }),
    );
  }
  return shapes;
}

function joinExpansion({ expansion, target }: JoinedNavigation, parent: Relation, statement: StatementState): Relation {
  const { navigationProperty, entitySet, filter, roundingMode } = expansion;
  const navigation = { navigationProperty, entitySet, target };
  if (filter === null) return joinNavigation(parent, navigation, statement);
  return joinRelated(parent, navigation, statement, (related) => {
    // Joins of the condition need their own level, because the condition precedes later joins of the outer level.
    const level = new Level();
    const { alias, rows } = related;
    const it = new Relation({ alias, rows, level, isOptional: false, isQualified: true });
    const translator = makeTranslator({
      profile: statement.profile,
      // Several rows of the page may have the same related entity.
      scope: { ...outsideConditions(relationScope(it, statement)), each: null },
      roundingMode,
    });
    const condition = translator.condition(filter.expression, "filter");
    // MariaDB turns subqueries of such a condition into joins and then loses rows, unless the condition is an operand.
    return [sql`(${level.isJoined ? withJoins(condition, level, statement) : condition}) is true`];
  });
}

/** Wraps a condition with joins: they are attached to a row without values. */
function withJoins(condition: Sql, level: Level, statement: StatementState): Sql {
  const row = sql`(select 1 as ${sql.id("one")}) as ${sql.id(statement.nextAlias())}`;
  return sql`exists (select 1 from ${level.from(row)} where ${condition})`;
}

/** Returns the index of a cell that is null only without a related entity: a cell of its key. */
function keyCell(related: Relation, columns: RowShape["columns"], cells: Cells): number {
  const fields = new Set(related.rows.key.map(({ field }) => field));
  for (const [{ field }, column] of columns) {
    if (fields.has(field) && isScalar(column)) return column.index;
  }
  return addCell(cells, required(related.keyColumns()[0], "An entity type without a key cannot be joined."));
}

function isScalar(column: RowColumn): column is Extract<RowColumn, { readonly kind: "scalar" }> {
  return column.kind === "scalar";
}
