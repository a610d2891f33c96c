import { sql } from "kysely";
import { stringText, utcText } from "../../../cells/text-cells.ts";
import { isFourDigitYear } from "../../../edm/date.ts";
import { parseDecimal } from "../../../edm/decimal.ts";
import type { StructuralProperty } from "../../../edm/model.ts";
import { asText } from "../../../edm/value-codec.ts";
import { type ColumnFormats, ofCodec, onlyCell } from "../../columns/column-format.ts";
import { columnFormatOf, type ColumnParts } from "../../forms/column-table.ts";
import { storedFormats } from "../../forms/stored-instants.ts";
import { SERVER_DIGITS, TIMESTAMP_PATTERN } from "../../forms/temporal-forms.ts";
import {
  textColumns,
  fractionDigits,
  hexParts,
  readString,
  readTimestamp,
  timestampCell,
  timestampOf,
} from "../../forms/text-columns.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import {
  MY_JSON_TEXT,
  MY_REAL_DECIMAL,
  MY_TEXT_DECIMAL,
  myDoubleText,
  myHexadecimal,
  myNumberText,
  myScaledDecimal,
  myStringText,
  myText,
  MY_FORMS,
} from "./forms.ts";
import { MY_STORED_INSTANTS, MY_DATE, MY_DATE_TIMES, MY_TIME, MY_UTC_TIMESTAMPS, MY_TEXTS } from "./temporal-forms.ts";

/** The length of `YYYY-MM-DDThh:mm:ss`. */
const SECONDS_LENGTH = 19;
const ZEROS_BEHIND = /\.?0+$/;

/** How MariaDB and MySQL store a primitive or enumeration property in a column. */
export const myColumnFormat: ColumnFormats["columnFormat"] = columnFormatOf(
  textColumns({
    forms: MY_FORMS,
    asText: myText,
    integerText: myNumberText,
    selectNumber: myNumberText,
    doubleText: myDoubleText,
    singleCell: (value) => onlyCell(MY_FORMS.double, withinSingle(Number(value))),
    hexadecimal: myHexadecimal,
    stringText: myStringText,
    defaults: {
      "Edm.Boolean": () => ({
        form: MY_FORMS.boolean,
        read: (cell) => (cell === "1" || cell === "0" ? cell === "1" : null),
        toSelected: myNumberText,
        readable: (column) => sql`(case when ${column} in (0, 1) then ${column} end)`,
      }),
      "Edm.Decimal": decimal,
      "Edm.Date": () => ({
        form: MY_DATE,
        readable: realDate,
        toCell: (value) => (isFourDigitYear(asText(value)) ? onlyCell(MY_DATE, value) : undefined),
      }),
      "Edm.TimeOfDay": (property) => ({
        form: MY_TIME,
        readable: (column) => sql`(case when ${column} >= '00:00:00' and ${column} < '24:00:00' then ${column} end)`,
        read: (cell) => ofCodec(property)(withoutZeros(String(cell))),
      }),
      "Edm.DateTimeOffset": (property) => timestamp(property, MY_DATE_TIMES),
    },
    duration: MY_TEXTS.duration,
    textDecimal: MY_TEXT_DECIMAL,
    realDecimal: MY_REAL_DECIMAL,
    scaledDecimal: myScaledDecimal,
    textTimestamp: MY_TEXTS.timestamp,
    // Its end of a text may be before a line feed.
    isTimestamp: (column) => sql`${column} regexp ${sql.lit(`${TIMESTAMP_PATTERN}(?![[:space:]])`)}`,
    stored: {
      ...storedFormats(MY_STORED_INSTANTS),
      // A `binary(n)` fills values with zero bytes.
      "Edm.String hex": () => ({ ...hexParts(MY_FORMS.hex, myHexadecimal), mayRound: true }),
      "Edm.String text": () => ({ form: MY_JSON_TEXT, read: readString, toJson: stringText }),
      "Edm.DateTimeOffset utc": (property) => timestamp(property, MY_UTC_TIMESTAMPS),
    },
  }),
);

/** The greatest number of 32 bits, whose shortest digits, 3.4028235e38, are beyond it. */
const GREATEST_SINGLE = 3.402_823_466_385_288_6e38;

/** Returns the greatest number of a `float` for numbers that only rounding takes beyond it. */
function withinSingle(value: number): number {
  const isRounded = Math.abs(value) > GREATEST_SINGLE && Number.isFinite(Math.fround(value));
  return isRounded ? Math.fround(value) : value;
}

/** All cells of a column have the same number of digits. Drops trailing zeros unless the property declares a scale. */
function decimal({ facets }: StructuralProperty): ColumnParts {
  const keepsZeros = typeof facets.scale === "number";
  return {
    form: MY_FORMS.decimal,
    read: (cell) => parseDecimal(keepsZeros ? String(cell) : withoutZeros(String(cell))),
  };
}

/** Null for a date that the calendar does not have, such as one of zeros. */
function realDate(column: Sql): Sql {
  return sql`(case when dayofmonth(${column}) between 1 and dayofmonth(last_day(${column})) then ${column} end)`;
}

function timestamp(property: StructuralProperty, forms: readonly SqlForm[]): ColumnParts {
  const digits = fractionDigits(property, SERVER_DIGITS);
  const length = digits === 0 ? SECONDS_LENGTH : SECONDS_LENGTH + 1 + digits;
  return {
    form: timestampOf(digits, forms),
    read: readTimestamp,
    readable: realDate,
    toSelected: (column) => sql`concat(left(date_format(${column}, '%Y-%m-%dT%H:%i:%s.%f'), ${sql.lit(length)}), 'Z')`,
    toJson: utcText,
    toCell: timestampCell(property, timestampOf(SERVER_DIGITS, forms)),
    mayRound: true,
  };
}

function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(ZEROS_BEHIND, "") : text;
}
