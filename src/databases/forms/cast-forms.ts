import { sql } from "kysely";
import { keptPerNumber } from "../../base/memo.ts";
import { asBytes, asText } from "../../edm/value-codec.ts";
import { toHex } from "../cells/hex.ts";
import { readInteger } from "../cells/text-cells.ts";
import {
  convertedForm,
  plainForm,
  type Conversion,
  type Encode,
  type Mark,
  type Sql,
  type SqlForm,
} from "../statement/sql-form.ts";
import { enumForms, type EnumForms, mappedForms, type MappedForms } from "./enum-forms.ts";
import { hexForm } from "./hex-form.ts";
import { numericTemporalForms, type NumericTemporalForms } from "./numeric-temporal-forms.ts";

type Cast = (value: Sql) => Sql;
type SortTerms = NonNullable<SqlForm["sortTerms"]>;

/** The casts of bound values in one database. */
interface Casts {
  readonly boolean: Cast;
  readonly integer: Cast;
  readonly decimal: Cast;
  /** An exact number of seconds. */
  readonly seconds: Cast;
  readonly double: Cast;
  /** A text, compared by code point. */
  readonly text: Cast;
  /** A text within a list of keys, for comparison with a text column. */
  readonly keyText: Cast;
  /** The bytes of hexadecimal digits. */
  readonly bytes: Cast;
  /** The hexadecimal digits of bytes in lower case. */
  readonly digits: Cast;
  /** The text of a column of Guids in lower case. */
  readonly lowerGuid: Cast;
  /** A Guid within a list of keys; absent if Guids are texts. */
  readonly keyGuid?: Cast;
  /** The name of a member of an enumeration, as `enumForms` takes it. */
  readonly enumName?: Cast;
  /** See `enumForms`. */
  readonly indexesEnumNames?: true;
  /** The terms by which texts and bytes are sorted; absent if the value alone is. */
  readonly sortTerms?: { readonly text: SortTerms; readonly bytes: SortTerms };
  /** The integer of a member, after its name was mapped. */
  readonly enumNumber?: Cast;
  /** The text of a cell of an enumeration, as `SqlForm.merged`. */
  readonly merged?: Cast;
  /** The casts of bound arrays; absent if the database has none. */
  readonly arrays?: ArrayCasts;
}

interface ArrayCasts {
  readonly integers: Cast;
  readonly decimals: Cast;
  readonly guids: Cast;
  readonly texts: Cast;
  /** Texts as the database converts them to the type of the column that they are compared with. */
  readonly asColumn: Cast;
}

/** The encodings of values that are not bound as text, or that may be out of range. */
interface Bound {
  readonly boolean: Encode;
  readonly decimal: Encode;
  readonly double: Encode;
  /** `true` or `false` in a statement. */
  readonly truth: (value: boolean) => Sql;
}

/** How the database returns sorted values, where their text is not enough. */
interface Marks {
  readonly boolean: Mark;
  readonly integer: Mark;
  readonly decimal?: Mark;
  readonly double: Mark;
  /** The text of a column of strings, whose collation does not matter. */
  readonly string?: Mark;
  readonly binary: Mark;
}

/** The forms of one database, by type. */
export interface CastForms {
  readonly boolean: SqlForm;
  /** All integer types, as 64-bit integers; columns may have fewer bits. */
  readonly integer: SqlForm;
  readonly decimal: SqlForm;
  /** Edm.Double and Edm.Single. NaN becomes null. */
  readonly double: SqlForm;
  /** A computed Edm.Single, if it may be infinite and other doubles may not. */
  readonly single?: SqlForm;
  /** Edm.String, by code point. */
  readonly string: SqlForm;
  /** Edm.String in a column with its own collation: `=` of the column may match more values, but can use its indexes. */
  readonly stringColumn: SqlForm;
  /** Edm.Guid in lower case. */
  readonly guid: SqlForm;
  readonly anyCaseGuid: SqlForm;
  readonly binary: SqlForm;
  /** Edm.String as bytes, whose digits are the value. */
  readonly hex: SqlForm;
  /** Dates, times, timestamps and durations, in the form for computations. */
  readonly temporal: NumericTemporalForms;
  readonly enums: EnumForms;
  /** Enumerations and booleans as cells of an existing database. */
  readonly mapped: MappedForms;
  readonly marks: Marks;
}

/**
 * Makes the forms of a database in which every value is bound as text (except possibly booleans) and cast, so that the way a
 * driver writes numbers, dates and bytes does not matter.
 */
export function castForms(casts: Casts, bound: Bound, marks: Marks): CastForms {
  const { integer: asInteger, text, arrays, sortTerms } = casts;
  const listed = (name: keyof ArrayCasts): Partial<SqlForm> => (arrays === undefined ? {} : { toArray: arrays[name] });
  const of = (name: string, encode: Encode, cast: Cast, others: Partial<SqlForm> = {}): SqlForm =>
    plainForm(name, encode, { place: cast, fromKey: cast, ...others });
  const boolean = of("boolean", bound.boolean, casts.boolean, { mark: marks.boolean });
  const string = of("string", asText, text, {
    ...listed("texts"),
    ...(marks.string && { mark: marks.string }),
    ...(sortTerms && { sortTerms: sortTerms.text }),
  });
  const binary = of("binary", (value) => toHex(asBytes(value)), casts.bytes, {
    mark: marks.binary,
    ...(sortTerms && { sortTerms: sortTerms.bytes }),
  });
  const toString: Conversion = { form: string, apply: text, keepsCells: true };
  const enums = enumsOf(casts, marks);
  return Object.freeze<CastForms>({
    boolean,
    integer: of("integer", String, asInteger, { ...listed("integers"), mark: marks.integer }),
    decimal: of("decimal", bound.decimal, casts.decimal, {
      ...listed("decimals"),
      ...(marks.decimal && { mark: marks.decimal }),
    }),
    double: of("double", bound.double, casts.double, { mayBeNull: true, mark: marks.double }),
    string,
    stringColumn: convertedForm("string column", asText, toString, {
      indexed: plainForm("string as it stands", asText, listed("asColumn")),
      fromKey: casts.keyText,
    }),
    guid: plainForm("guid", asText, {
      comparable: toString,
      computable: toString,
      ...listed("guids"),
      ...(casts.keyGuid && { fromKey: casts.keyGuid }),
    }),
    anyCaseGuid: convertedForm("guid in any case", asText, {
      form: string,
      apply: (column) => text(casts.lowerGuid(column)),
    }),
    binary,
    hex: hexForm({ binary, string, toDigits: (column) => text(casts.digits(column)), toCell: String }),
    marks,
    temporal: numericTemporalForms(asInteger, casts.seconds),
    enums,
    mapped: mappedForms({
      encode: String,
      asInteger,
      asText: text,
      asBoundText: text,
      enums,
      boolean,
      booleanValue: bound.truth,
      ...(casts.merged && { merged: casts.merged }),
    }),
  });
}

/** Makes the forms of enumerations from the casts of names and numbers. */
function enumsOf({ integer, enumName, enumNumber, indexesEnumNames, merged }: Casts, marks: Marks): EnumForms {
  return enumForms({
    encode: String,
    asInteger: integer,
    mark: marks.integer,
    ...(enumName && { asName: enumName }),
    ...(enumNumber && { asNumber: enumNumber }),
    ...(merged && { merged }),
    isIndexed: indexesEnumNames === true,
  });
}

/** Makes the marks of integers of 64 bits. A column with another type may have others. */
export function integerMark(toSelected: Mark["toSelected"]): Mark {
  return Object.freeze<Mark>({ toSelected, read: (cell) => readInteger(cell)?.toString() });
}

/** Returns `true` or `false` for a database with 1 and 0. */
export function truthNumber(value: boolean): Sql {
  return value ? sql`1` : sql`0`;
}

/**
 * Makes the forms of Edm.Decimal as integers: the value times ten to the power of the scale.
 * @param toDecimal makes the Decimal from a cell and its unit, such as 0.01
 */
export function scaledDecimals(
  decimal: SqlForm,
  toDecimal: (cell: Sql, unit: string) => Sql,
  others: Partial<SqlForm> = {},
): (scale: number) => SqlForm {
  return keptPerNumber((scale) => {
    const unit = scale === 0 ? "1" : `0.${"1".padStart(scale, "0")}`;
    const conversion = { form: decimal, apply: (cell: Sql) => toDecimal(cell, unit) };
    return convertedForm(`decimal of scale ${String(scale)}`, asText, conversion, { scale, ...others });
  });
}
