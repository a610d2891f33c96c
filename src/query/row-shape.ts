import type { StructuralProperty } from "../edm/model.ts";
import type { PrimitiveValue } from "../edm/value-codec.ts";
import type { ExpandedNavigation } from "./clauses.ts";

/** A row as a source hands it over: cells in the order of its statement, in the source's own form. */
export type Row = readonly unknown[];

/** A property whose value is one cell: a primitive value or an enum member. */
export interface ScalarColumn {
  readonly kind: "scalar";
  readonly index: number;
  /** The canonical value of a cell; null for a cell that stands for null. */
  readonly toValue: (cell: unknown) => PrimitiveValue | null;
  /**
   * The JSON text of a cell that needs no value in between, such as digits; null where it does, or the cell stands for
   * null: then `toValue` is asked.
   */
  readonly toJson?: ((cell: unknown, ieee754Compatible: boolean) => string | null) | undefined;
}

/** A complex property, one column per member (nested ones included). All cells null: the value is null. */
export interface ComplexColumn {
  readonly kind: "complex";
  readonly members: ReadonlyMap<StructuralProperty, RowColumn>;
}

/** A property whose whole value is one cell: a collection, or a complex value kept as a document. */
export interface DocumentColumn {
  readonly kind: "document";
  readonly index: number;
  /** The value as a handler would return it; null for a cell that stands for null. */
  readonly toValue: (cell: unknown) => unknown;
}

/** Where a property stands in a row. */
export type RowColumn = ScalarColumn | ComplexColumn | DocumentColumn;

/**
 * The layout of the rows of one statement, which the source and the writers of the answer share: rows go to text
 * without an object in between. One object per compiled statement, so what is made from it can be kept by its identity.
 */
export interface RowShape {
  readonly columns: ReadonlyMap<StructuralProperty, RowColumn>;
  /** The related entities whose cells stand in the same row; absent: none. */
  readonly joined?: ReadonlyMap<ExpandedNavigation, JoinedShape> | undefined;
}

/** The layout of a related entity within the rows of another. */
export interface JoinedShape extends RowShape {
  /** Whether a row holds a related entity; false: there is none. */
  readonly isPresent: (row: Row) => boolean;
}
