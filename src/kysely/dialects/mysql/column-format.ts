import { sql } from "kysely";
import { asText } from "../../../edm/canonical-form.ts";
import { isFourDigitYear } from "../../../edm/date.ts";
import { parseDecimal } from "../../../edm/decimal.ts";
import type { StructuralProperty } from "../../../edm/model.ts";
import { guidText, int64Text, stringText, utcText, readBytes, readInteger } from "../../cells/text-cells.ts";
import { ofCodec, onlyCell, type ColumnFormat } from "../../columns/column-format.ts";
import type { StorageForm } from "../../columns/storage-option.ts";
import { storedFormats } from "../../forms/stored-instants.ts";
import {
  fractionDigits,
  numberOfText,
  readTimestamp,
  smallIntegerReader,
  timeCell,
  timestampCell,
  textColumnFormat,
  type ColumnParts,
  type TextColumnForms,
} from "../../forms/text-column-format.ts";
import { MY_REAL_DECIMAL, MY_TEXT_DECIMAL, myScaledDecimal, MY_FORMS } from "./forms.ts";
import { MY_STORED_INSTANTS } from "./stored-instants.ts";
import { MY_DATE, MY_DATE_TIME, MY_DURATION, MY_TEXT_TIMESTAMP, MY_TIME, MY_UTC_TIMESTAMP } from "./temporal-forms.ts";

/** Most fraction digits of seconds. */
const MAX_DIGITS = 6;
/** The length of `YYYY-MM-DDThh:mm:ss`. */
const SECONDS_LENGTH = 19;
const ZEROS_BEHIND = /\.?0+$/;

/**
 * How MariaDB and MySQL hold a primitive or enumeration property in a column.
 * @param storage as `columns` says; undefined for the default of the type
 * @returns null when values of the type cannot be stored so
 */
export function myColumnFormat(property: StructuralProperty, storage: StorageForm | undefined): ColumnFormat | null {
  return textColumnFormat(property, storage, FORMS);
}

const integer = (property: StructuralProperty): ColumnParts => ({
  form: MY_FORMS.integer,
  read: smallIntegerReader(property),
});
const double = (): ColumnParts => ({
  form: MY_FORMS.double,
  read: (cell) => (typeof cell === "string" ? Number(cell) : null),
  // A `float` is selected with the digits that it is compared by.
  toSelected: (column) => sql`cast(cast(${column} as double) as char)`,
});

const DEFAULTS: TextColumnForms["defaults"] = {
  "Edm.Boolean": () => ({
    form: MY_FORMS.boolean,
    read: (cell) => (cell === "1" || cell === "0" ? cell === "1" : null),
    // A `bit` is bytes without it.
    toSelected: (column) => sql`cast(${column} + 0 as char)`,
  }),
  "Edm.Byte": integer,
  "Edm.SByte": integer,
  "Edm.Int16": integer,
  "Edm.Int32": integer,
  "Edm.Int64": () => ({ form: MY_FORMS.integer, read: readInteger, toJson: int64Text }),
  "Edm.Single": double,
  "Edm.Double": double,
  "Edm.Decimal": decimal,
  "Edm.String": () => ({
    form: MY_FORMS.stringColumn,
    read: (cell) => (typeof cell === "string" ? cell : null),
    toSelected: (column) => column,
    toJson: stringText,
  }),
  "Edm.Guid": () => ({ form: MY_FORMS.guid, toJson: guidText }),
  "Edm.Binary": () => ({ form: MY_FORMS.binary, read: readBytes, toSelected: (column) => sql`hex(${column})` }),
  "Edm.Date": () => ({
    form: MY_DATE,
    toCell: (value) => (isFourDigitYear(asText(value)) ? onlyCell(MY_DATE, value) : undefined),
  }),
  "Edm.TimeOfDay": (property) => ({
    form: MY_TIME,
    read: (cell) => (typeof cell === "string" ? ofCodec(property)(withoutZeros(cell)) : null),
    toCell: timeCell,
  }),
  "Edm.DateTimeOffset": timestamp,
  "Edm.Duration": () => ({ form: MY_DURATION }),
};

const FORMS: TextColumnForms = {
  asText: (column) => sql`cast(${column} as char)`,
  defaults: DEFAULTS,
  enumName: MY_FORMS.enums.byName,
  enumNumber: MY_FORMS.enums.byNumber,
  mapped: {
    forms: MY_FORMS.mapped,
    // A `bit` is bytes without it.
    selectNumber: (column) => sql`cast(${column} + 0 as char)`,
    selectText: (column) => sql`cast(${column} as char)`,
    toNumber: numberOfText,
  },
  textDecimal: MY_TEXT_DECIMAL,
  realDecimal: MY_REAL_DECIMAL,
  scaledDecimal: myScaledDecimal,
  textTimestamp: MY_TEXT_TIMESTAMP,
  anyCaseGuid: MY_FORMS.anyCaseGuid,
  stored: { ...storedFormats(MY_STORED_INSTANTS), "Edm.DateTimeOffset utc": utcTimestamp },
};

/** A column has one number of digits: where the property declares none, zeros at the end are left out. */
function decimal({ facets }: StructuralProperty): ColumnParts {
  const keepsZeros = typeof facets.scale === "number";
  return {
    form: MY_FORMS.decimal,
    read: (cell) => (typeof cell === "string" ? parseDecimal(keepsZeros ? cell : withoutZeros(cell)) : null),
  };
}

function timestamp(property: StructuralProperty): ColumnParts {
  const digits = fractionDigits(property, MAX_DIGITS);
  const length = digits === 0 ? SECONDS_LENGTH : SECONDS_LENGTH + 1 + digits;
  return {
    form: MY_DATE_TIME,
    read: readTimestamp,
    toSelected: (column) => sql`concat(left(date_format(${column}, '%Y-%m-%dT%H:%i:%s.%f'), ${sql.lit(length)}), 'Z')`,
    toJson: utcText,
    toCell: timestampCell(property, MY_DATE_TIME),
  };
}

function utcTimestamp(property: StructuralProperty): ColumnParts {
  return { ...timestamp(property), form: MY_UTC_TIMESTAMP };
}

function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(ZEROS_BEHIND, "") : text;
}
