import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import type { SelectedProperty } from "../../language/query/clauses.ts";
import type { Row } from "../../language/query/row-shape.ts";
import { setMember, toEntity } from "../read/read-entity.ts";
import { writtenColumns, type WrittenColumns } from "./changed-columns.ts";
import { UnreadableRowError } from "./sql-session.ts";
import type { SqlTable } from "./sql-table.ts";
import { type StoredColumn, UnstorableValueError, type Values } from "./stored-columns.ts";
import type { WriteStatement } from "./write-statements.ts";

/** A stored row. */
export interface Stored {
  readonly entity: Values;
  /** The values of the requested ignored properties, which are not part of an entity. */
  readonly beside: Values;
}

/**
 * Returns the values to store in a new row, without generated values and with the initial row version.
 * @param linked values that follow from related rows, which take precedence over those of the entity
 */
export function valuesToStore(table: SqlTable, values: Values, linked: Values): Values {
  checkComputed(table, values);
  const { written, rowVersion } = table;
  const given = {};
  for (const { field } of written) {
    if (Object.hasOwn(values, field)) setMember(given, field, values[field]);
  }
  for (const field of Object.keys(linked)) setMember(given, field, linked[field]);
  if (rowVersion !== null) setMember(given, rowVersion.field, firstVersion(rowVersion));
  return given;
}

/** Returns the fields of the values that have columns, in the order of the columns. */
export function fieldsToWrite({ plans }: SqlTable, values: Values): readonly string[] {
  const fields: string[] = [];
  for (const field of plans.keys()) {
    if (Object.hasOwn(values, field) && values[field] !== undefined) fields.push(field);
  }
  return fields;
}

/**
 * Returns the columns of values, with their cells.
 * @param stored the stored values of the row; null for a new row
 * @throws UnstorableValueError
 */
export function cellsToWrite(table: SqlTable, values: Values, stored: Values | null = null): WrittenColumns {
  const written: CellsMade = { columns: [], cells: [] };
  for (const field of table.plans.keys()) addCells(written, table, field, values, stored);
  return written;
}

/** A new row, and the columns that it is written to. */
export interface NewRow extends WrittenColumns {
  /** What the columns are to contain, among other values. */
  readonly values: Values;
}

/**
 * Returns a new row without linked values, with the cells of its `valuesToStore`: no copy is made of it.
 * @throws UnstorableValueError, and as `checkComputed`
 */
export function newRowOf(table: SqlTable, given: Values): NewRow {
  checkComputed(table, given);
  const { rowVersion, writtenFields } = table;
  const values = rowVersion === null ? given : { ...given, [rowVersion.field]: firstVersion(rowVersion) };
  const written: CellsMade = { columns: [], cells: [] };
  for (const field of table.plans.keys()) if (writtenFields.has(field)) addCells(written, table, field, values, null);
  return { values, ...written };
}

interface CellsMade {
  readonly columns: StoredColumn[];
  readonly cells: unknown[];
}

/** Adds the columns and cells of one property; none if the values do not contain it. */
function addCells(written: CellsMade, table: SqlTable, field: string, values: Values, stored: Values | null): void {
  const value = Object.hasOwn(values, field) ? values[field] : undefined;
  if (value === undefined) return;
  const property = table.stored(field);
  const column = property.columns[0];
  if (property.toCell !== undefined && column !== undefined) {
    written.columns.push(column);
    written.cells.push(property.toCell(value));
    return;
  }
  const { columns, cells } = writtenColumns(property, value, stored?.[field]);
  written.columns.push(...columns);
  written.cells.push(...cells);
}

function firstVersion({ type }: StructuralProperty): PrimitiveValue {
  return type.name === "Edm.Int64" ? 1n : 1;
}

/**
 * Checks the values that hooks and trusted code give to computed properties: each needs its own column.
 * @throws Error for a property that nothing can write, and for one whose column has another value
 */
export function checkComputed(table: SqlTable, values: Values): void {
  for (const property of table.computed) {
    const { field } = property;
    if (!Object.hasOwn(values, field) || values[field] === undefined) continue;
    const columns = new Set(table.stored(field).columns.map(({ column }) => column));
    const shares = ({ field: other }: StructuralProperty): boolean =>
      other !== field &&
      Object.hasOwn(values, other) &&
      values[other] !== undefined &&
      table.stored(other).columns.some(({ column }) => columns.has(column));
    const problem = problemOf(property, table, columns.size, shares);
    if (problem !== null) throw new Error(`\`${field}\` of ${table.name} cannot be given: ${problem}.`);
  }
}

function problemOf(
  property: StructuralProperty,
  { rowVersion, written }: SqlTable,
  columns: number,
  shares: (other: StructuralProperty) => boolean,
): string | null {
  if (property === rowVersion) return "`rowVersion` counts it";
  if (columns === 0) return "an SQL expression computes it";
  const other = written.find(shares);
  return other === undefined ? null : `the write stores \`${other.field}\` in the same column`;
}

/**
 * Returns the key of a new row; null if the database generates it, and has not returned it.
 * @param insertId the generated key, if the database returned it
 */
export function keyOfNewRow(
  { entityType }: SqlTable,
  given: Values,
  insertId?: bigint,
): readonly PrimitiveValue[] | null {
  const values = entityType.key.map((property): unknown => {
    const { field, computed, type } = property;
    if (!computed || given[field] !== undefined) return given[field];
    if (insertId === undefined || insertId === 0n) return undefined;
    if (type.name === "Edm.Int64") return insertId;
    // An unsigned integer of 64 bits.
    return type.name === "Edm.Decimal" ? String(BigInt.asUintN(64, insertId)) : Number(insertId);
  });
  return values.includes(undefined) ? null : (values as readonly PrimitiveValue[]);
}

/** Returns the properties of a written row to return, with further ones, and which of them are not part of the entity. */
export function returnedWith(
  whole: readonly SelectedProperty[],
  beside: readonly StructuralProperty[],
): { readonly selected: readonly SelectedProperty[]; readonly beyond: readonly StructuralProperty[] } {
  const beyond = beside.filter(({ field }) => !whole.some(({ property }) => property.field === field));
  return { beyond, selected: beyond.length === 0 ? whole : [...whole, ...beyond.map((property) => ({ property }))] };
}

/** Separates an entity from ignored properties that were read with it; those of `beyond` are not part of it. */
export function splitRow(
  row: object,
  beside: readonly StructuralProperty[],
  beyond: readonly StructuralProperty[],
): Stored {
  if (beside.length === 0) return { entity: row as Values, beside: {} };
  const entity: Record<string, unknown> = { ...row };
  const others = beside.map(({ field }) => [field, entity[field]] as const);
  for (const { field } of beyond) Reflect.deleteProperty(entity, field);
  return { entity, beside: Object.fromEntries(others) };
}

/** Blames a key that the database may have changed, for a new row without the given key. @throws UnstorableValueError */
export function checkKeyKept(columns: readonly StoredColumn[]): void {
  const changed = columns.find(({ path, mayRound: rounds }) => rounds && path[0]?.isKey === true);
  if (changed !== undefined) throw new UnstorableValueError(changed.path, "The column cannot store the whole value.");
}

/** Returns the first row as an entity; null for none. */
export function firstOf([row]: readonly Row[], { rowShape }: Pick<WriteStatement, "rowShape">): Values | null {
  return row === undefined ? null : (toEntity({ row, rowShape }) as Values);
}

/** Returns the written row that a statement returned. @throws UnreadableRowError */
export function writtenIn(rows: readonly Row[], statement: Pick<WriteStatement, "rowShape">): Values | null {
  try {
    return firstOf(rows, statement);
  } catch (error) {
    throw new UnreadableRowError(error);
  }
}
