import type { NavigationProperty, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";

/** A row as a source returns it: cells in the order of its statement, in the form of the source. */
export type Row = readonly unknown[];

/** A primitive or enumeration property in one cell. */
export interface ScalarColumn {
  readonly kind: "scalar";
  readonly index: number;
  readonly toValue: (cell: unknown) => PrimitiveValue | null;
  /**
   * Returns the JSON text of a cell directly, such as digits; null if that is not possible or the value is null: then use
   * `toValue`.
   */
  readonly toJson?: ((cell: unknown, ieee754Compatible: boolean) => string | null) | undefined;
  readonly unreadable?: NoteUnreadable | undefined;
}

/**
 * Receives a cell that cannot be read, and the key of its row. The value is then null. Absent: such a cell is an error.
 * @param error why it cannot be read
 */
export type NoteUnreadable = (error: unknown, key: readonly unknown[]) => void;

/**
 * A complex property with one column per member, nested members included. Without `presence`, the value is null if all cells
 * of the members that clients see are null.
 */
export interface ComplexColumn {
  readonly kind: "complex";
  /** The index of the cell that is null exactly if the value is; absent: the cells of the members decide. */
  readonly presence?: number | undefined;
  /** The members that clients see. */
  readonly members: ReadonlyMap<StructuralProperty, RowColumn>;
  /** The ignored members, for rules and handlers; absent: they are not read. */
  readonly ignored?: ReadonlyMap<StructuralProperty, RowColumn> | undefined;
}

/** A collection or complex value in one cell, stored as a document. */
export interface DocumentColumn {
  readonly kind: "document";
  readonly index: number;
  /** Returns the value as a handler would return it, or null. */
  readonly toValue: (cell: unknown) => unknown;
  readonly unreadable?: NoteUnreadable | undefined;
}

/** One term of the order of rows. Its cell contains the value that the database sorted the row by. */
export interface MarkColumn {
  /** The index of the cell; null for a term that is the same for all rows. */
  readonly index: number | null;
  /** Returns the value that the next statement compares with; undefined if such a comparison might not be exact. */
  readonly toMark: (cell: unknown) => PrimitiveValue | null | undefined;
}

/** The place of a property in a row. */
export type RowColumn = ScalarColumn | ComplexColumn | DocumentColumn;

/**
 * The layout of the rows of one statement, which the source and the writers of the response share: rows become text
 * without intermediate objects. There is one object per compiled statement, so results can be cached by its identity.
 * Where a layout is undefined, the entities are objects of the application.
 */
export interface RowShape {
  readonly columns: ReadonlyMap<StructuralProperty, RowColumn>;
  /** The related entities with cells in the same row, by navigation property; absent: none. */
  readonly joined?: ReadonlyMap<NavigationProperty, JoinedShape> | undefined;
  /** The terms of the order of the query, if it has `marked`. */
  readonly marks?: readonly MarkColumn[] | undefined;
}

/** The layout of a related entity in the rows of its parent. */
export interface JoinedShape extends RowShape {
  /** Returns whether a row contains a related entity. */
  readonly isPresent: (row: Row) => boolean;
}
