import { asText } from "../../edm/canonical-form.ts";
import { fromScaled, parseDecimal } from "../../edm/decimal.ts";
import { enumFromNumber } from "../../edm/enum-codec.ts";
import type { EnumType, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import type { PrimitiveValue } from "../../edm/value-codec.ts";
import { unitsAround } from "../cells/decimal-neighbours.ts";
import { DEFAULT_PRECISION, MAX_PRECISION, readStoredTimestamp, roundedUp, toInstant } from "../cells/instant.ts";
import { guidText, scaledText, readInteger } from "../cells/text-cells.ts";
import { makeColumnFormat, ofCodec, onlyCell, type ColumnFormat, type ReadCell } from "../columns/column-format.ts";
import type { ColumnStorage, StorageForm } from "../columns/storage-option.ts";
import type { Sql, SqlForm } from "../statement/sql-form.ts";
import { mappedFormat } from "./mapped-format.ts";

/** The types of which columns may have fewer digits than a value. */
const ROUNDED: ReadonlySet<string> = new Set(["Edm.Decimal", "Edm.Double", "Edm.DateTimeOffset", "Edm.TimeOfDay"]);

/** The parts of a format that differ from those of a column that is selected as text. */
export interface ColumnParts extends Partial<ColumnFormat> {
  readonly form: SqlForm;
  /** As the codec of the property reads it when absent. */
  readonly read?: ReadCell;
}

/**
 * How a database whose cells are selected as text holds values: what a driver makes of other types depends on its
 * settings and those of the session.
 */
export interface TextColumnForms {
  readonly asText: (column: Sql) => Sql;
  /** By default. */
  readonly defaults: Readonly<Record<PrimitiveTypeName, (property: StructuralProperty) => ColumnParts>>;
  readonly enumName: (type: EnumType) => SqlForm;
  readonly enumNumber: (type: EnumType) => SqlForm;
  /** Enumerations and booleans as cells of an existing database. */
  readonly mapped: Parameters<typeof mappedFormat>[2];
  /** By the storage that `columns` says. */
  readonly textDecimal: SqlForm;
  readonly realDecimal: SqlForm;
  readonly scaledDecimal: (scale: number) => SqlForm;
  readonly textTimestamp: SqlForm;
  readonly anyCaseGuid: SqlForm;
  /** Forms of storage of this database, by the names of the type and of the form. They win over the common ones. */
  readonly stored: Readonly<Record<string, (property: StructuralProperty) => ColumnParts>>;
}

/**
 * How a database whose cells are selected as text holds a primitive or enumeration property in a column.
 * @param storage as `columns` says; undefined for the default of the type
 * @returns null when values of the type cannot be stored so
 */
export function textColumnFormat(
  property: StructuralProperty,
  storage: StorageForm | undefined,
  forms: TextColumnForms,
): ColumnFormat | null {
  const { type } = property;
  if (type.kind === "ComplexType") return null;
  if (typeof storage === "object") return mappedFormat(property, storage, forms.mapped);
  if (type.kind === "EnumType") return storage === undefined ? enumFormat(property, type, forms) : null;
  const parts = storage === undefined ? forms.defaults[type.name](property) : storedParts(property, storage, forms);
  if (parts === null) return null;
  const { form, read, ...others } = parts;
  const mayRound = (storage === undefined || storage === "utc") && ROUNDED.has(type.name);
  return makeColumnFormat(property, form, read ?? ofCodec(property), { toSelected: forms.asText, mayRound, ...others });
}

function storedParts(property: StructuralProperty, storage: ColumnStorage, forms: TextColumnForms): ColumnParts | null {
  const { type, facets } = property;
  const { scale } = facets;
  const own = forms.stored[`${type.name} ${storage}`];
  if (own !== undefined) return own(property);
  switch (`${type.name} ${storage}`) {
    case "Edm.Decimal text":
      return { form: forms.textDecimal, read: readDecimal };
    case "Edm.Decimal real":
      return { form: forms.realDecimal, read: readDecimal };
    case "Edm.Decimal scaled":
      return typeof scale === "number" ? scaledParts(scale, forms) : null;
    case "Edm.DateTimeOffset text":
      return { form: forms.textTimestamp, read: readTimestamp };
    case "Edm.Guid text":
      return { form: forms.anyCaseGuid, toJson: guidText };
    default:
      return null;
  }
}

function scaledParts(scale: number, { scaledDecimal }: TextColumnForms): ColumnParts {
  const read: ReadCell = (cell) => {
    const units = readInteger(cell);
    return units === null ? null : fromScaled(units, scale);
  };
  const toCell = (value: PrimitiveValue): unknown => {
    const { floor, ceiling } = unitsAround(asText(value), scale);
    return floor === ceiling && BigInt.asIntN(64, floor) === floor ? String(floor) : undefined;
  };
  return { form: scaledDecimal(scale), read, toJson: scaledText(scale), toCell };
}

function enumFormat(property: StructuralProperty, type: EnumType, forms: TextColumnForms): ColumnFormat {
  const others = { toSelected: forms.asText };
  if (type.isFlags) {
    const read: ReadCell = (cell) => {
      const number = readInteger(cell);
      return number === null ? null : enumFromNumber(type, Number(number));
    };
    return makeColumnFormat(property, forms.enumNumber(type), read, others);
  }
  const ofName = ofCodec(property);
  // A number would be read here, and found by no filter.
  const read: ReadCell = (cell) => (typeof cell === "string" && type.members.has(cell) ? ofName(cell) : null);
  return makeColumnFormat(property, forms.enumName(type), read, others);
}

/** Fraction digits of a second, of a database that has no more than six. */
const SERVER_DIGITS = 6;

/** The cell of a time; undefined for one with more digits. */
export function timeCell(value: PrimitiveValue): unknown {
  return /[1-9]/.test((asText(value).split(".")[1] ?? "").slice(SERVER_DIGITS)) ? undefined : value;
}

/** Makes the cells of timestamps; undefined for those with more digits than the property has. */
export function timestampCell(property: StructuralProperty, form: SqlForm): (value: PrimitiveValue) => unknown {
  const digits = fractionDigits(property, SERVER_DIGITS);
  return (value) => (roundedUp(toInstant(asText(value)), digits) === null ? onlyCell(form, value) : undefined);
}

/** How many digits of a second are written: a property that declares no precision has the greatest. */
export function fractionDigits({ facets: { precision = MAX_PRECISION } }: StructuralProperty, most: number): number {
  return precision === MAX_PRECISION ? DEFAULT_PRECISION : Math.min(precision, most);
}

/** Reads an integer within the bounds of its type, which a number holds. */
export function smallIntegerReader(property: StructuralProperty): ReadCell {
  const ofNumber = ofCodec(property);
  return (cell) => {
    const integer = readInteger(cell);
    return integer === null ? null : ofNumber(Number(integer));
  };
}

/** A Decimal with the digits that the cell has. */
export function readDecimal(cell: unknown): string | null {
  return typeof cell === "string" ? parseDecimal(cell) : null;
}

/** A timestamp of any offset and width. */
export function readTimestamp(cell: unknown): string | null {
  return typeof cell === "string" ? readStoredTimestamp(cell) : null;
}

/** A number that was selected as text; any other cell as it is. */
export function numberOfText(cell: unknown): unknown {
  return typeof cell === "string" && cell !== "" ? Number(cell) : cell;
}
