import type { ObjectColumn } from "../../../databases/introspect/database-schema.ts";
import type { DescribedColumn, DescribedProperty, DescribedSet } from "../described-service.ts";
import type { MapColumn } from "./column-mapping.ts";

/** What the columns of one kind of database contain. */
export interface ColumnRules {
  /** Chooses the type and storage of a column. */
  readonly map: MapColumn;
  /** Whether a column accepts cells of any type, and a primary key null. */
  readonly acceptsAnyCell: boolean;
  /**
   * Whether a column may hold cells that its property cannot have, such as infinity, NaN and zero dates.
   * @param holdsUnreadable whether it holds some, or its cells were not checked
   */
  readonly mayBeUnreadable: (chosen: DescribedColumn, definition: string, holdsUnreadable: boolean) => boolean;
  /** Returns a default that is neither a number nor a Boolean; undefined if it is not a literal. */
  readonly literal: (text: string) => Literal | undefined;
  /** The type of a column that is declared to be a number; undefined: it is none. */
  readonly numberType: (column: ObjectColumn) => "Edm.SByte" | "Edm.Int64" | "Edm.Double" | undefined;
  /** Returns how a column becomes a text. */
  readonly asText: (name: string) => Partial<DescribedColumn>;
  /** Returns the conditions of a column of a key; undefined: each cell is a value of the property. */
  readonly keyCondition: (
    property: DescribedProperty,
    column: ObjectColumn,
    set: DescribedSet,
  ) => KeyCondition | undefined;
}

/** A literal of SQL: its text, and whether it was a text between quotation marks. */
export interface Literal {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Conditions of SQL about one column of a key. */
export interface KeyCondition {
  /** Whether the property can have the value. */
  readonly readable: string;
  /** Whether it cannot, in a form that an index serves. */
  readonly unreadable: string;
}
