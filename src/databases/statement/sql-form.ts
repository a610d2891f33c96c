import type { RawBuilder } from "kysely";
import type { StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";

/** A piece of SQL. */
export type Sql = RawBuilder<unknown>;

/** Encodes a canonical value as the database stores it. */
export type Encode = (value: PrimitiveValue) => unknown;

/** How a database represents the values of one type in an operand. One frozen object per form. */
export interface SqlForm {
  readonly name: string;
  /** Returns the greatest cell that is not above a value. Without `sortable`, cells sort like their values. */
  readonly floor: Encode;
  /** Returns the least cell that is not below a value. */
  readonly ceiling: Encode;
  /**
   * Returns the least cell above a value, and the greatest below it, for columns that cannot be compared with every value: `>`
   * and `<` include this cell. Null without such a cell; then `floor` and `ceiling` are null, too, if they have none. Absent if
   * `floor` and `ceiling` are enough.
   */
  readonly beside?: { readonly above: Encode; readonly below: Encode };
  /**
   * Returns the only cell of a value, or something that no cell equals. Null if several cells represent one value: all from
   * `ceiling` to `floor`.
   */
  readonly exact: Encode | null;
  /** Return further cells that responses show as exactly this value, because other programs write them; absent: none. */
  readonly spellings?: readonly Encode[];
  /** Without `exact`: whether no value has two cells. `ceiling` and `floor` differ for a value without a cell. */
  readonly isSingle?: true;
  /** Whether `exact`, `floor` and `ceiling` may return null, for a value without a cell: NaN, or one beyond the column. */
  readonly mayBeNull: boolean;
  /** Converts cells so that they sort like their values; absent if they already do. */
  readonly sortable?: Conversion;
  /**
   * Returns the sorted value, if different cells represent one value; absent if `sortable` is enough. It has the form of
   * `sortable`, or this one.
   */
  readonly ordered?: (operand: Sql) => Sql;
  /**
   * Returns the terms by which a sort distinguishes all values that a comparison does; absent if the value alone does.
   * @param maxLength the declared length of the property; undefined if none is known
   */
  readonly sortTerms?: (sorted: Sql, maxLength: number | undefined) => readonly Sql[];
  /**
   * Returns the same value as `sortable` for an order or for a list of values, where the machines of a database
   * return it; absent if `sortable` serves there, too.
   */
  readonly gathered?: (operand: Sql) => Sql;
  /**
   * Returns the text of a cell, for the least cell of a group that several machines find together: they cannot
   * merge values of enumeration types. Absent if the cell itself serves.
   */
  readonly merged?: (operand: Sql) => Sql;
  /** How a sorted cell of this form is returned and compared with; absent: as `DialectValues.mark` says. */
  readonly mark?: Mark;
  /** The conversion for `gt`, `ge`, `lt` and `le` with a constant, if not `sortable`: some constants have no cell. */
  readonly ranged?: Conversion;
  /** The conversion for an equality with a constant, if it is cheaper than `sortable`. */
  readonly equatable?: Conversion;
  /** Converts to the form in which any two operands of the type are compared; absent if this is that form. */
  readonly comparable?: Conversion;
  /** Converts to the form that functions and arithmetic take; absent if this is that form. */
  readonly computable?: Conversion;
  /** Returns a part of a date or of a timestamp in UTC as an integer; absent if it is computed from the `computable` form. */
  readonly part?: (name: CalendarPart, cell: Sql) => Sql;
  /** Casts a placeholder if the database needs to know its type; absent if it does not. */
  readonly place?: (value: Sql) => Sql;
  /** Casts the placeholder of an exact cell, if its type is narrower; absent if `place` does. */
  readonly placeExact?: (value: Sql) => Sql;
  /**
   * The form of the bare cells, if their equality is true for all equal values and for some others: it is added to the exact
   * condition so that an index can serve it.
   */
  readonly indexed?: SqlForm;
  /**
   * For names and texts that a column of an enumeration type of the database may contain: the cells that statements bind, and
   * the forms for a type with all of these labels, and with some. Absent forms: this one.
   */
  readonly labels?: { readonly cells: readonly string[]; readonly all?: SqlForm; readonly some?: SqlForm };
  /** Converts a value of a key list, as `DialectSyntax.keyTable` reads it, to a cell; absent if it already is one. */
  readonly fromKey?: (value: Sql) => Sql;
  /** Casts a bound array of cells; absent if the database has no array of such cells. */
  readonly toArray?: (array: Sql) => Sql;
  /** For an Edm.Decimal as an integer: the value is the integer divided by ten to the power of this scale. */
  readonly scale?: number;
  /**
   * The form of the same cells as the wider type: Edm.DateTimeOffset for an Edm.Date stored as midnights in UTC; Edm.Double for
   * a computed Edm.Single, if an infinite one has no cell that is a Double.
   */
  readonly wider?: SqlForm;
  /** For timestamps that are not stored as text: the least number of fraction digits that responses show of a property. */
  readonly shownDigits?: (property: StructuralProperty) => number;
  /** Whether statements over such columns need a session time zone of UTC. */
  readonly inUtcSession?: true;
}

/** A part of a date or of a timestamp. */
export type CalendarPart = "year" | "month" | "day" | "hour" | "minute" | "second";

/** A change of form within a statement. */
export interface Conversion {
  readonly form: SqlForm;
  readonly apply: (operand: Sql) => Sql;
  /** Whether it changes only how cells are compared, such as their collation. */
  readonly keepsCells?: true;
  /** Whether it makes some cells null. */
  readonly mayBeNull?: true;
}

/**
 * Selects the sorted value of a row exactly, so that the next page starts after the row: `place` casts a bound mark back.
 */
export interface Mark {
  readonly toSelected: (sorted: Sql) => Sql;
  /** Returns the mark of a selected cell that is not null; undefined if a comparison with it might not be exact. */
  readonly read: (cell: unknown) => PrimitiveValue | undefined;
}

/** Makes marks that are selected as text. @param exact matches the texts that `place` casts back exactly; by default all */
export function textMark(toSelected: Mark["toSelected"], exact?: RegExp): Mark {
  const read: Mark["read"] = (cell) =>
    typeof cell === "string" && (exact === undefined || exact.test(cell)) ? cell : undefined;
  return Object.freeze({ toSelected, read });
}

/** Makes a form with one cell per value, which sort like the values. */
export function plainForm(name: string, encode: Encode, others: Partial<SqlForm> = {}): SqlForm {
  return Object.freeze({ name, floor: encode, ceiling: encode, exact: encode, mayBeNull: false, ...others });
}

/** Makes a form whose cells are converted to another form before they are sorted, compared or computed with. */
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

/** Makes a form in which several cells may represent one value: all from `ceiling` to `floor`. */
export function rangeForm(
  name: string,
  bounds: Pick<SqlForm, "floor" | "ceiling">,
  others: Partial<SqlForm> = {},
): SqlForm {
  return Object.freeze<SqlForm>({ name, ...bounds, exact: null, mayBeNull: false, ...others });
}

/** Makes a form as `rangeForm` does, in which no value has two cells. */
export function singleForm(
  name: string,
  bounds: Pick<SqlForm, "floor" | "ceiling">,
  others: Partial<SqlForm> = {},
): SqlForm {
  return rangeForm(name, bounds, { isSingle: true, ...others });
}

/** Whether several cells of a column may represent one value, so that two rows can have the same key. */
export function mayRepeatValues({ exact, isSingle, spellings, equatable, sortable }: SqlForm): boolean {
  const conversion = equatable ?? sortable;
  if (conversion !== undefined) return conversion.keepsCells !== true;
  return spellings !== undefined || (exact === null && isSingle !== true);
}

/** Converts an operand to the form that sorts by value. */
function toSortable(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.sortable);
}

/** Converts an operand to the form that is less or greater than constants. */
export function toRanged(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.ranged ?? operand.form.sortable);
}

/** Returns the expression that rows are sorted by: equal values sort equally. */
export function toOrdered(operand: FormedSql): FormedSql {
  const { ordered } = operand.form;
  if (ordered === undefined) return toSortable(operand);
  return { sql: ordered(operand.sql), form: operand.form.sortable?.form ?? operand.form };
}

/** Returns the same as `toOrdered`, where the machines of a database may return it. */
export function toGathered(operand: FormedSql): FormedSql {
  const ordered = toOrdered(operand);
  return { ...ordered, sql: operand.form.gathered?.(operand.sql) ?? ordered.sql };
}

/** Converts an operand to the form for an equality with a constant. */
export function toEquatable(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.equatable ?? operand.form.sortable);
}

/** Converts an operand to the form that compares with any other operand of its type. */
export function toComparable(operand: FormedSql): FormedSql {
  return convert(operand, operand.form.comparable);
}

/** Converts an operand to the form that functions and arithmetic take. */
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

/** How a database refuses a row before it sends it. */
export interface RowGuard {
  /** The bytes of a column of bytes. */
  readonly bytesOf: (column: Sql) => Sql;
  /** The bytes of a selected cell with a text. */
  readonly bytesOfText: (cell: Sql) => Sql;
  /** A cell of bytes, in hexadecimal digits, which is not computed for a row that is refused. */
  readonly unlessLong: (bytes: Sql, most: Sql, cell: Sql) => Sql;
  /** A cell that fails the statement if a row has too many bytes. */
  readonly refuse: (bytes: Sql, most: Sql) => Sql;
  /** Whether that ends a transaction, unless it goes back to a savepoint. */
  readonly endsTransaction: boolean;
  /** Whether this cell has failed the statement. */
  readonly isRefused: (error: Error) => boolean;
}
