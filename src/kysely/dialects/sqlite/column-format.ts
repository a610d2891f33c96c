import { sql } from "kysely";
import { fromScaled, parseDecimal } from "../../../edm/decimal.ts";
import { enumFromNumber } from "../../../edm/enum-codec.ts";
import type { EnumType, StructuralProperty } from "../../../edm/model.ts";
import type { PrimitiveTypeName } from "../../../edm/primitive-type.ts";
import {
  BEFORE_ALL_TEXTS,
  BEHIND_ALL_TEXTS,
  DEFAULT_PRECISION,
  MAX_PRECISION,
  readStoredTimestamp,
} from "../../cells/instant.ts";
import {
  booleanText,
  doubleText,
  guidText,
  int32Text,
  int64Text,
  scaledText,
  stringText,
  utcText,
} from "../../cells/text-cells.ts";
import { makeColumnFormat, ofCodec, onlyCell, type ColumnFormat, type ReadCell } from "../../columns/column-format.ts";
import type { StorageForm } from "../../columns/storage-option.ts";
import { mappedFormat } from "../../forms/mapped-format.ts";
import { storedFormats } from "../../forms/stored-instants.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import { DECIMAL_FORM, REAL_DECIMAL_FORM, scaledDecimalForm } from "./decimal-forms.ts";
import {
  ANY_CASE_GUID_FORM,
  BINARY_FORM,
  BOOLEAN_FORM,
  DOUBLE_FORM,
  SQLITE_ENUMS,
  SQLITE_MAPPED,
  GUID_FORM,
  INTEGER_FORM,
  STRING_COLUMN_FORM,
} from "./forms.ts";
import { SQLITE_STORED_INSTANTS } from "./stored-instants.ts";
import { DATE_FORM, DURATION_FORM, INSTANT_FORM, TIME_FORM, utcForm } from "./temporal-forms.ts";

const MAPPED: Parameters<typeof mappedFormat>[2] = {
  forms: SQLITE_MAPPED,
  selectNumber: (column) => column,
  selectText: (column) => column,
  toNumber: (cell) => (typeof cell === "bigint" ? Number(cell) : cell),
};

const STORED = storedFormats(SQLITE_STORED_INSTANTS);
const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

/**
 * How SQLite holds a primitive or enumeration property, in a column or within a document.
 * @param storage as `columns` says; undefined for the default of the type
 * @returns null when values of the type cannot be stored so
 */
export function sqliteColumnFormat(
  property: StructuralProperty,
  storage: StorageForm | undefined,
): ColumnFormat | null {
  const { type } = property;
  if (type.kind === "ComplexType") return null;
  if (typeof storage === "object") return mappedFormat(property, storage, MAPPED);
  if (type.kind === "EnumType") {
    if (storage !== undefined) return null;
    if (!type.isFlags) return makeColumnFormat(property, SQLITE_ENUMS.byName(type), readEnumName(property, type));
    return makeColumnFormat(property, SQLITE_ENUMS.byNumber(type), (cell) =>
      typeof cell === "number" ? enumFromNumber(type, cell) : null,
    );
  }
  const stored = storage === undefined ? undefined : STORED[`${type.name} ${storage}`]?.(property);
  if (stored !== undefined) return makeColumnFormat(property, stored.form, stored.read, stored);
  if (
    storage !== undefined &&
    storage !== "text" &&
    type.name !== "Edm.Decimal" &&
    type.name !== "Edm.DateTimeOffset"
  ) {
    return null;
  }
  switch (type.name) {
    case "Edm.Decimal":
      return decimalFormat(property, storage);
    case "Edm.DateTimeOffset":
      return instantFormat(property, storage);
    case "Edm.Guid":
      return makeColumnFormat(property, storage === "text" ? ANY_CASE_GUID_FORM : GUID_FORM, ofCodec(property), {
        toJson: guidText,
      });
    default:
      if (storage !== undefined) return null;
      return plainFormat(property, type.name);
  }
}

function plainFormat(property: StructuralProperty, name: keyof typeof FORMS): ColumnFormat {
  switch (name) {
    case "Edm.Int64":
      return makeColumnFormat(property, INTEGER_FORM, readInt64, { toSelected: asText, toJson: int64Text });
    case "Edm.Int32":
      return makeColumnFormat(property, INTEGER_FORM, readPlain(property), { toJson: int32Text });
    case "Edm.String":
      return makeColumnFormat(property, FORMS[name], readPlain(property), { toJson: stringText });
    case "Edm.Boolean":
      return makeColumnFormat(property, FORMS[name], readPlain(property), { toJson: booleanText });
    case "Edm.Double":
      return makeColumnFormat(property, FORMS[name], readPlain(property), { toJson: doubleText });
    case "Edm.Date":
      return makeColumnFormat(property, FORMS[name], readPlain(property), { toCell: withinYears(FORMS[name]) });
    case "Edm.TimeOfDay":
      return makeColumnFormat(property, FORMS[name], readPlain(property), { toCell: (value) => value });
    default:
      return makeColumnFormat(property, FORMS[name], readPlain(property));
  }
}

const FORMS: Readonly<Record<Exclude<PrimitiveTypeName, "Edm.Decimal" | "Edm.DateTimeOffset" | "Edm.Guid">, SqlForm>> =
  {
    "Edm.Boolean": BOOLEAN_FORM,
    "Edm.Byte": INTEGER_FORM,
    "Edm.SByte": INTEGER_FORM,
    "Edm.Int16": INTEGER_FORM,
    "Edm.Int32": INTEGER_FORM,
    "Edm.Int64": INTEGER_FORM,
    "Edm.Single": DOUBLE_FORM,
    "Edm.Double": DOUBLE_FORM,
    "Edm.String": STRING_COLUMN_FORM,
    "Edm.Binary": BINARY_FORM,
    "Edm.Date": DATE_FORM,
    "Edm.TimeOfDay": TIME_FORM,
    "Edm.Duration": DURATION_FORM,
  };

function decimalFormat(property: StructuralProperty, storage: StorageForm | undefined): ColumnFormat | null {
  const { scale } = property.facets;
  switch (storage) {
    case undefined:
    case "text":
      return makeColumnFormat(property, DECIMAL_FORM, (cell) =>
        typeof cell === "string" ? parseDecimal(cell) : ofCodec(property)(cell),
      );
    case "real":
      return makeColumnFormat(property, REAL_DECIMAL_FORM, ofCodec(property));
    case "scaled":
      if (typeof scale !== "number") return null;
      return makeColumnFormat(
        property,
        scaledDecimalForm(scale),
        (cell) => {
          const integer = readInt64(cell);
          return integer === null ? null : fromScaled(integer, scale);
        },
        { toSelected: asText, toJson: scaledText(scale), toCell: wholeCell(scaledDecimalForm(scale)) },
      );
    default:
      return null;
  }
}

function instantFormat(property: StructuralProperty, storage: StorageForm | undefined): ColumnFormat | null {
  const { precision } = property.facets;
  switch (storage) {
    case undefined:
    case "utc": {
      // A property that declares no precision has the greatest.
      const digits = precision === undefined || precision === MAX_PRECISION ? DEFAULT_PRECISION : precision;
      const form = utcForm(digits);
      const others = { toJson: utcText, isExact: true, toCell: withinYears(form) };
      return makeColumnFormat(property, form, readTimestamp, others);
    }
    case "text":
      return makeColumnFormat(property, INSTANT_FORM, readTimestamp);
    default:
      return null;
  }
}

/** Undefined for what stands for all dates beyond the years 0 to 9999. */
function withinYears(form: SqlForm): ColumnFormat["toCell"] {
  return (value) => {
    const cell = onlyCell(form, value);
    return cell === BEFORE_ALL_TEXTS || cell === BEHIND_ALL_TEXTS ? undefined : cell;
  };
}

/** Undefined for what stands for all numbers beyond those of 64 bits. */
function wholeCell(form: SqlForm): ColumnFormat["toCell"] {
  return (value) => {
    const cell = onlyCell(form, value);
    return typeof cell === "bigint" ? cell : undefined;
  };
}

function asText(column: Sql): Sql {
  return sql`cast(${column} as text)`;
}

function readTimestamp(cell: unknown): string | null {
  return typeof cell === "string" ? readStoredTimestamp(cell) : null;
}

/** An INTEGER, or its text as SQLite writes it. */
function readInt64(cell: unknown): bigint | null {
  if (typeof cell !== "number" && typeof cell !== "bigint" && (typeof cell !== "string" || !INTEGER.test(cell))) {
    return null;
  }
  const integer = BigInt(cell);
  return BigInt.asIntN(64, integer) === integer ? integer : null;
}

/** The name of a member: a number would be read here, and found by no filter. */
function readEnumName(property: StructuralProperty, { members }: EnumType): ReadCell {
  const read = ofCodec(property);
  return (cell) => (typeof cell === "string" && members.has(cell) ? read(cell) : null);
}

function readPlain(property: StructuralProperty): ReadCell {
  switch (property.type.name) {
    case "Edm.Boolean":
      return (cell) => {
        if (cell === 1 || cell === true) return true;
        return cell === 0 || cell === false ? false : null;
      };
    case "Edm.String":
      return (cell) => (typeof cell === "string" ? cell : null);
    case "Edm.Single":
    case "Edm.Double":
      return (cell) => (typeof cell === "number" || typeof cell === "bigint" ? Number(cell) : null);
    default:
      return ofCodec(property);
  }
}
