import { protocolError } from "../../base/errors/odata-error.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { Row, RowColumn, RowShape } from "../../language/query/row-shape.ts";
import type { ColumnPlan } from "../columns/table-columns.ts";
import { isUnreadable } from "../read/read-page.ts";
import type { WrittenColumns } from "./changed-columns.ts";
import type { SqlTable } from "./sql-table.ts";
import { type StoredColumn, valueAt, type Values } from "./stored-columns.ts";

/**
 * Returns the properties of a change that may have the value which a response showed in place of a cell that cannot be read.
 * @see docs/reference/storage.md, Cells that cannot be read
 */
export function doubtfulProperties(table: SqlTable, values: Values): readonly StructuralProperty[] {
  return table.entityType.properties.filter(({ field }) => {
    const plan = table.plans.get(field);
    return plan !== undefined && Object.hasOwn(values, field) && isDoubtful(plan, values[field]);
  });
}

function isDoubtful(plan: ColumnPlan, value: unknown): boolean {
  if (plan.kind !== "complex") return plan.unreadable !== undefined && isShown(value);
  const given = value ?? null;
  return [...plan.members].some(([field, member]) => {
    if (given === null) return isDoubtful(member, null);
    return Object.hasOwn(given, field) && isDoubtful(member, (given as Values)[field]);
  });
}

/** Whether responses show a value in place of a cell that cannot be read. */
function isShown(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Returns the paths of the columns whose cells in a row cannot be read. */
export function unreadablePaths(row: Row, { columns }: RowShape): ReadonlySet<string> {
  const paths = new Set<string>();
  const add = (below: ReadonlyMap<StructuralProperty, RowColumn>, path: readonly StructuralProperty[]): void => {
    for (const [property, column] of below) {
      if (column.kind === "complex") add(column.members, [...path, property]);
      else if (isUnreadable(column, row)) paths.add(textOf([...path, property]));
    }
  };
  add(columns, []);
  return paths;
}

/**
 * Checks that null was shown where it is given back.
 * @param left the paths of the columns whose cells cannot be read
 * @throws ODataError `NullNotAllowed` for a property that must have a value
 */
export function checkGivenBack(
  doubtful: readonly StructuralProperty[],
  values: Values,
  left: ReadonlySet<string> = new Set(),
): void {
  const wrong = doubtful.find(({ field, nullable, isCollection, type }) => {
    const isSingle = !isCollection && type.kind !== "ComplexType";
    return isSingle && !nullable && (values[field] ?? null) === null && !left.has(field);
  });
  if (wrong === undefined) return;
  const target = wrong.name;
  throw protocolError("NullNotAllowed", `${target} must not be null: give it a value.`, { target });
}

/** Leaves out the columns that would get the value that a response showed in place of their cells. */
export function withoutGivenBack(
  { columns, cells }: WrittenColumns,
  values: Values,
  left: ReadonlySet<string> = new Set(),
): WrittenColumns {
  const isKept = ({ path }: StoredColumn): boolean => !(left.has(textOf(path)) && isShown(valueAt(values, path)));
  if (left.size === 0 || columns.every(isKept)) return { columns, cells };
  return {
    columns: columns.filter(isKept),
    cells: cells.filter((_cell, index) => {
      const column = columns[index];
      return column === undefined || isKept(column);
    }),
  };
}

function textOf(path: readonly StructuralProperty[]): string {
  return path.map(({ field }) => field).join("/");
}
