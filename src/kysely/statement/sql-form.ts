import type { RawBuilder } from "kysely";
import type { PrimitiveValue } from "../../edm/value-codec.ts";

/** A piece of SQL. */
export type Sql = RawBuilder<unknown>;

/** Writes a canonical value as a database holds it. */
export type Encode = (value: PrimitiveValue) => unknown;

/** How values of one type stand in a database: what an operand of a statement is made of. One frozen object per form. */
export interface SqlForm {
  readonly name: string;
  /** The greatest cell that is not above a value. Cells are in the order of their values where `sortable` is absent. */
  readonly floor: Encode;
  /** The least cell that is not below a value. */
  readonly ceiling: Encode;
  /**
   * The one cell that stands for a value; where there is none, something that no cell equals. Null when several cells
   * stand for one value: those from `ceiling` to `floor`.
   */
  readonly exact: Encode | null;
  /** Whether `exact` and its like may answer null, for a value that no cell can hold: NaN. */
  readonly mayBeNull: boolean;
  /** What brings cells in the order of their values; absent where they are. */
  readonly sortable?: Conversion;
  /** What sorts cells, where several of one value differ; absent where `sortable` is enough. */
  readonly ordered?: (operand: Sql) => Sql;
  /** What comes before an equality with a constant, where that is less than `sortable`. */
  readonly equatable?: Conversion;
  /** To the form in which any two operands of the type are compared; absent where this is that form. */
  readonly comparable?: Conversion;
  /** To the form that functions and arithmetic take; absent where this is that form. */
  readonly computable?: Conversion;
  /** Wraps the place of a bound value, where the database must be told its type; absent where it need not. */
  readonly place?: (value: Sql) => Sql;
  /**
   * The form of the cells as they stand, where an equality of them is true for whatever is equal, and for more: it is
   * asked for beside the other, for the index that serves it.
   */
  readonly indexed?: SqlForm;
  /** Makes a cell of a value within a list of keys, as `DialectSyntax.keyTable` reads it; absent where it is one. */
  readonly fromKey?: (value: Sql) => Sql;
  /** Of an Edm.Date whose cells are midnights in UTC: the form of the same cells as Edm.DateTimeOffset. */
  readonly midnight?: SqlForm;
  /** Whether statements over such columns need a session time zone of UTC. */
  readonly inUtcSession?: true;
}

/** A change of form within a statement. */
export interface Conversion {
  readonly form: SqlForm;
  readonly apply: (operand: Sql) => Sql;
}

/** A form whose cells are in order, one per value. */
export function plainForm(name: string, encode: Encode, others: Partial<SqlForm> = {}): SqlForm {
  return Object.freeze({ name, floor: encode, ceiling: encode, exact: encode, mayBeNull: false, ...others });
}

/** A form whose cells are converted to another one before they are sorted, compared or computed with. */
export function convertedForm(
  name: string,
  encode: Encode,
  conversion: Conversion,
  others: Partial<SqlForm> = {},
): SqlForm {
  return plainForm(name, encode, {
    sortable: conversion,
    comparable: conversion,
    computable: conversion,
    ...others,
  });
}

/** A form of which several cells may stand for one value: those from `ceiling` to `floor`. */
export function rangeForm(
  name: string,
  bounds: Pick<SqlForm, "floor" | "ceiling">,
  others: Partial<SqlForm> = {},
): SqlForm {
  return Object.freeze<SqlForm>({ name, ...bounds, exact: null, mayBeNull: false, ...others });
}

/** An operand in the form that sorts by value. */
export function toSortable(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.sortable);
}

/** An operand as rows are sorted by it: equal values have one place. */
export function toOrdered(operand: FormedSql): Sql {
  return operand.form.ordered?.(operand.sql) ?? toSortable(operand).sql;
}

/** An operand in the form that tells equality with a constant. */
export function toEquatable(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.equatable ?? operand.form.sortable);
}

/** An operand in the form that compares with any other of its type. */
export function toComparable(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.comparable);
}

/** An operand in the form that functions and arithmetic take. */
export function toComputable(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.computable);
}

/** A piece of SQL with the form of its values. */
export interface FormedSql {
  readonly sql: Sql;
  readonly form: SqlForm;
}

function convert(operand: FormedSql, conversion: Conversion | undefined): FormedSql {
  return conversion === undefined ? operand : { sql: conversion.apply(operand.sql), form: conversion.form };
}
