import { sql } from "kysely";
import { fromScaled, parseDecimal } from "../../edm/decimal.ts";
import { enumFromNumber } from "../../edm/enum-codec.ts";
import type { EnumType, StructuralProperty } from "../../edm/model.ts";
import type { PrimitiveTypeName } from "../../edm/primitive-type.ts";
import { guidText, int64Text, scaledText, stringText, utcText } from "../cell-text.ts";
import { makeColumnFormat, ofCodec, type ColumnFormat, type ReadCell } from "../column-format.ts";
import type { ColumnStorage } from "../column-option.ts";
import { MY_REAL_DECIMAL, MY_TEXT_DECIMAL, myScaledDecimal } from "../forms/mysql-decimal-forms.ts";
import {
  MY_ANY_CASE_GUID,
  MY_BINARY,
  MY_BOOLEAN,
  MY_DECIMAL,
  MY_DOUBLE,
  MY_GUID,
  MY_INTEGER,
  MY_STRING_COLUMN,
  myEnumName,
  myEnumNumber,
} from "../forms/mysql-forms.ts";
import {
  MY_DATE,
  MY_DATE_TIME,
  MY_DURATION,
  MY_EPOCH,
  MY_TEXT_TIMESTAMP,
  MY_TIME,
} from "../forms/mysql-temporal-forms.ts";
import { DEFAULT_PRECISION, MAX_PRECISION, readStoredTimestamp, writeEpoch } from "../instant.ts";
import type { Sql, SqlForm } from "../sql-form.ts";
import { readBytes, readInteger } from "./text-cells.ts";

/** Most fraction digits of seconds. */
const MAX_DIGITS = 6;
/** The length of `YYYY-MM-DDThh:mm:ss`. */
const SECONDS_LENGTH = 19;
const ZEROS_BEHIND = /\.?0+$/;

/** Cells are selected as text: what a driver makes of other types depends on its settings and those of the session. */
const asText = (column: Sql): Sql => sql`cast(${column} as char)`;

/**
 * How MariaDB and MySQL hold a primitive or enumeration property in a column.
 * @param storage as `columns` says; undefined for the default of the type
 * @returns null when values of the type cannot be stored so
 */
export function myColumnFormat(property: StructuralProperty, storage: ColumnStorage | undefined): ColumnFormat | null {
  const { type } = property;
  if (type.kind === "ComplexType") return null;
  if (type.kind === "EnumType") return storage === undefined ? enumFormat(property, type) : null;
  if (storage !== undefined) return storedFormat(property, type.name, storage);
  const { form, read, ...others } = DEFAULTS[type.name](property);
  return makeColumnFormat(property, form, read ?? ofCodec(property), { toSelected: asText, ...others });
}

/** The parts of a format that differ. */
interface Parts extends Partial<ColumnFormat> {
  readonly form: SqlForm;
  readonly read?: ReadCell;
}

const integer = (property: StructuralProperty): Parts => ({
  form: MY_INTEGER,
  read: (cell) => {
    const found = readInteger(cell);
    return found === null ? null : ofCodec(property)(Number(found));
  },
});
const double = (): Parts => ({ form: MY_DOUBLE, read: (cell) => (typeof cell === "string" ? Number(cell) : null) });

const DEFAULTS: Readonly<Record<PrimitiveTypeName, (property: StructuralProperty) => Parts>> = {
  "Edm.Boolean": () => ({
    form: MY_BOOLEAN,
    read: (cell) => (cell === "1" || cell === "0" ? cell === "1" : null),
    // A `bit` is bytes without it.
    toSelected: (column) => sql`cast(${column} + 0 as char)`,
  }),
  "Edm.Byte": integer,
  "Edm.SByte": integer,
  "Edm.Int16": integer,
  "Edm.Int32": integer,
  "Edm.Int64": () => ({ form: MY_INTEGER, read: readInteger, toJson: int64Text }),
  "Edm.Single": double,
  "Edm.Double": double,
  "Edm.Decimal": decimal,
  "Edm.String": () => ({
    form: MY_STRING_COLUMN,
    read: (cell) => (typeof cell === "string" ? cell : null),
    toSelected: (column) => column,
    toJson: stringText,
  }),
  "Edm.Guid": () => ({ form: MY_GUID, toJson: guidText }),
  "Edm.Binary": () => ({ form: MY_BINARY, read: readBytes, toSelected: (column) => sql`hex(${column})` }),
  "Edm.Date": () => ({ form: MY_DATE }),
  "Edm.TimeOfDay": (property) => ({
    form: MY_TIME,
    read: (cell) => (typeof cell === "string" ? ofCodec(property)(withoutZeros(cell)) : null),
  }),
  "Edm.DateTimeOffset": timestamp,
  "Edm.Duration": () => ({ form: MY_DURATION }),
};

/** A column has one number of digits: where the property declares none, zeros at the end are left out. */
function decimal({ facets }: StructuralProperty): Parts {
  const keepsZeros = typeof facets.scale === "number";
  return {
    form: MY_DECIMAL,
    read: (cell) => (typeof cell === "string" ? parseDecimal(keepsZeros ? cell : withoutZeros(cell)) : null),
  };
}

function timestamp({ facets }: StructuralProperty): Parts {
  // A property that declares no precision has the greatest.
  const { precision = MAX_PRECISION } = facets;
  const digits = precision === MAX_PRECISION ? DEFAULT_PRECISION : Math.min(precision, MAX_DIGITS);
  const length = digits === 0 ? SECONDS_LENGTH : SECONDS_LENGTH + 1 + digits;
  return {
    form: MY_DATE_TIME,
    read: (cell) => (typeof cell === "string" ? readStoredTimestamp(cell) : null),
    toSelected: (column) => sql`concat(left(date_format(${column}, '%Y-%m-%dT%H:%i:%s.%f'), ${sql.lit(length)}), 'Z')`,
    toJson: utcText,
  };
}

function storedFormat(property: StructuralProperty, name: string, storage: ColumnStorage): ColumnFormat | null {
  const { scale } = property.facets;
  const make = (form: SqlForm, read: ReadCell, toJson?: ColumnFormat["toJson"]): ColumnFormat =>
    makeColumnFormat(property, form, read, { toSelected: asText, toJson });
  const readDecimal: ReadCell = (cell) => (typeof cell === "string" ? parseDecimal(cell) : null);
  switch (`${name} ${storage}`) {
    case "Edm.Decimal text":
      return make(MY_TEXT_DECIMAL, readDecimal);
    case "Edm.Decimal real":
      return make(MY_REAL_DECIMAL, readDecimal);
    case "Edm.Decimal scaled": {
      if (typeof scale !== "number") return null;
      const read: ReadCell = (cell) => {
        const units = readInteger(cell);
        return units === null ? null : fromScaled(units, scale);
      };
      return make(myScaledDecimal(scale), read, scaledText(scale));
    }
    case "Edm.DateTimeOffset text":
      return make(MY_TEXT_TIMESTAMP, (cell) => (typeof cell === "string" ? readStoredTimestamp(cell) : null));
    case "Edm.DateTimeOffset epoch":
      return make(MY_EPOCH, (cell) => {
        const milliseconds = readInteger(cell);
        return milliseconds === null ? null : writeEpoch(Number(milliseconds));
      });
    case "Edm.Guid text":
      return make(MY_ANY_CASE_GUID, ofCodec(property), guidText);
    default:
      return null;
  }
}

function enumFormat(property: StructuralProperty, type: EnumType): ColumnFormat {
  if (type.isFlags) {
    const read: ReadCell = (cell) => {
      const number = readInteger(cell);
      return number === null ? null : enumFromNumber(type, Number(number));
    };
    return makeColumnFormat(property, myEnumNumber(type), read, { toSelected: asText });
  }
  const ofName = ofCodec(property);
  // A number would be read here, and found by no filter.
  const read: ReadCell = (cell) => (typeof cell === "string" && type.members.has(cell) ? ofName(cell) : null);
  return makeColumnFormat(property, myEnumName(type), read, { toSelected: asText });
}

function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(ZEROS_BEHIND, "") : text;
}
