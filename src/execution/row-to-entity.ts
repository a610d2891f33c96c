import type { EntitySet, StructuralProperty } from "../edm/model.ts";
import { parentProperties } from "../plan/plan-related.ts";
import type { SelectedProperty } from "../query/clauses.ts";
import type { Row, RowColumn, RowShape } from "../query/row-shape.ts";

/** Makes the application's object of a row. */
export type RowReader = (row: Row) => object;

const readers = new WeakMap<RowShape, RowReader>();

/**
 * The reader of rows as the application's objects, made once per layout: what a handler would return, with the
 * properties that the source read.
 */
export function rowReader(rowShape: RowShape): RowReader {
  let reader = readers.get(rowShape);
  if (reader === undefined) readers.set(rowShape, (reader = toObject(rowShape.columns)));
  return reader;
}

function toObject(columns: ReadonlyMap<StructuralProperty, RowColumn>): RowReader {
  const readValues = Array.from(columns, ([{ field }, column]) => [field, valueReader(column)] as const);
  return (row) => Object.fromEntries(readValues.map(([field, read]) => [field, read(row)]));
}

function valueReader(column: RowColumn): (row: Row) => unknown {
  if (column.kind !== "complex") return (row) => column.toValue(row[column.index]);
  const members = toObject(column.members);
  return (row) => {
    const value = members(row);
    // A complex value is null where all of its cells are.
    return Object.values(value).every((member) => member === null) ? null : value;
  };
}

const selections = new WeakMap<EntitySet, readonly SelectedProperty[]>();

/**
 * The properties to read of entities that expressions lead to: all, and the ignored ones by which navigations of the set
 * lead on from them.
 * @returns the same object for a set each time
 */
export function wholeEntity(entitySet: EntitySet): readonly SelectedProperty[] {
  let selected = selections.get(entitySet);
  if (selected === undefined) {
    const joins = [...entitySet.navigationJoins.values()].flatMap(parentProperties);
    const properties = new Set([...entitySet.entityType.properties, ...joins]);
    selected = Object.freeze(Array.from(properties, (property) => ({ property })));
    selections.set(entitySet, selected);
  }
  return selected;
}
