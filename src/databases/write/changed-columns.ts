import { required } from "../../base/required.ts";
import { changesMember, completeValue, isPartial } from "../../definition/sets/merge-delta.ts";
import { absentValue } from "../../edm/absent-value.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import type { SqlTable } from "./sql-table.ts";
import { LEFT, memberOf, onlyNulls, type StoredColumn, type StoredProperty, type Values } from "./stored-columns.ts";

/** A change of some properties of a row, and of some members of complex properties. */
export interface RowValues {
  readonly values: Values;
  /** The stored values of the properties that `mergedProperties` or `keptProperties` returns; columns with JSON by `storedDocument`. */
  readonly stored: Values | null;
  /** The paths of columns whose cells cannot be read, and stay if the values repeat the shown ones; absent: none. */
  readonly left?: ReadonlySet<string> | undefined;
}

/** Columns, with a cell for each. */
export interface WrittenColumns {
  readonly columns: readonly StoredColumn[];
  readonly cells: readonly unknown[];
}

/** Exactly the columns that a change writes, with their cells. */
interface ChangedColumns {
  readonly columns: StoredColumn[];
  readonly cells: unknown[];
}

/**
 * Returns the properties whose stored values determine which columns and cells a change writes: documents, and nullable
 * complex values if the change is written differently to null.
 */
export function mergedProperties(table: SqlTable, values: Values): readonly StructuralProperty[] {
  return table.entityType.properties.filter(
    ({ field }) => Object.hasOwn(values, field) && dependsOnStored(table.stored(field), values[field]),
  );
}

/**
 * Returns the columns that a change writes. Members that the change does not mention are not written, so that concurrent
 * changes of them survive.
 * @param fields the fields of the changed properties
 * @throws IncompleteValueError, UnstorableValueError
 */
export function changedColumns(
  table: SqlTable,
  fields: readonly string[],
  { values, stored }: RowValues,
): ChangedColumns {
  const changed: ChangedColumns = { columns: [], cells: [] };
  for (const field of fields) {
    const current = stored !== null && Object.hasOwn(stored, field) ? stored[field] : undefined;
    addChange(changed, table.stored(field), values[field], current);
  }
  return changed;
}

/** Returns the properties whose stored values have members that a write of the whole values keeps. */
export function keptProperties(table: SqlTable, values: Values): readonly StructuralProperty[] {
  return table.entityType.properties.filter(
    ({ field }) => Object.hasOwn(values, field) && values[field] !== null && table.stored(field).keepsMembers,
  );
}

/**
 * Returns the columns that a value is written to, with their cells.
 * @param current the stored value of a property that `keptProperties` returns; columns with JSON by `storedDocument`
 * @throws UnstorableValueError
 */
export function writtenColumns(
  { columns, toCells, members }: StoredProperty,
  value: unknown,
  current?: unknown,
): WrittenColumns {
  const cells = toCells(value, current);
  if (members === undefined || !cells.includes(LEFT)) return { columns, cells };
  const isWritten = (_each: unknown, index: number): boolean => cells[index] !== LEFT;
  return { columns: columns.filter(isWritten), cells: cells.filter(isWritten) };
}

function dependsOnStored({ property, members }: StoredProperty, change: unknown): boolean {
  if (!isPartial(property, change)) return false;
  if (members === undefined) return true;
  const parts = [...members.parts.values()];
  const present = parts.filter((part) => isPresent(part, change));
  if (present.length === 0 || present.some((part) => part.property.immutable)) return true;
  if (present.some((part) => dependsOnStored(part, memberOf(change, part.property.field)))) return true;
  if (!members.nullable) return false;
  const absent = parts.filter((part) => !part.property.computed && !present.includes(part));
  return !hasCell(present, change) || absent.some((part) => absentValue(part.property) !== null);
}

/** Whether a change stores a value in any column, so that the enclosing complex value is not null afterwards. */
function hasCell(present: readonly StoredProperty[], change: Values): boolean {
  return present.some(({ property, members }) => {
    const value = memberOf(change, property.field);
    if (value === null || members === undefined) return value !== null;
    const parts = [...members.parts.values()].filter((part) => isPresent(part, value as Values));
    return hasCell(parts, value as Values);
  });
}

function isPresent({ property: { field, computed } }: StoredProperty, change: Values): boolean {
  return !computed && Object.hasOwn(change, field) && change[field] !== undefined;
}

/**
 * @param current the stored value; undefined if it does not matter
 * @returns whether the property has a value afterwards
 */
function addChange(changed: ChangedColumns, stored: StoredProperty, change: unknown, current: unknown): boolean {
  const { property, members, path } = stored;
  const { type } = property;
  if (type.kind !== "ComplexType" || !isPartial(property, change)) return addWhole(changed, stored, change);
  if (current === null) return addWhole(changed, stored, completeValue(type, change, path));
  if (members === undefined) {
    const mergeCells = required(stored.mergeCells, `${property.name} is not stored as a complex value.`);
    changed.columns.push(...stored.columns);
    changed.cells.push(...mergeCells(current, change));
    return true;
  }
  let hasValue = false;
  for (const [field, part] of members.parts) {
    const kept = current === undefined ? undefined : memberOf(current, field);
    const isChanged = changesMember(part.property, change);
    const has = isChanged ? addChange(changed, part, change[field], kept) : holdsValue(part, kept);
    hasValue ||= has;
  }
  if (!hasValue && property.nullable && current !== undefined) throw onlyNulls(path);
  return hasValue;
}

function addWhole(changed: ChangedColumns, stored: StoredProperty, value: unknown): boolean {
  const { columns, cells } = writtenColumns(stored, value);
  changed.columns.push(...columns);
  changed.cells.push(...cells);
  return cells.some((cell) => cell !== null);
}

/** Whether any column contains a stored value. */
function holdsValue({ members }: StoredProperty, value: unknown): boolean {
  if (value === null || value === undefined || members === undefined) return value !== null && value !== undefined;
  return Array.from(members.parts, ([field, part]) => holdsValue(part, memberOf(value, field))).includes(true);
}
