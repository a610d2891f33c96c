import { sql } from "kysely";
import type { StructuralProperty } from "../../../edm/model.ts";
import { stringText, utcText, readYear } from "../../cells/text-cells.ts";
import { type ColumnFormats, onlyCell } from "../../columns/column-format.ts";
import { columnFormatOf, type ColumnParts } from "../../forms/column-table.ts";
import { storedFormats } from "../../forms/stored-instants.ts";
import { SERVER_DIGITS } from "../../forms/temporal-forms.ts";
import {
  textColumns,
  readString,
  fractionDigits,
  readDecimal,
  timestampCell,
  timestampOf,
} from "../../forms/text-columns.ts";
import { TIMESTAMP_PATTERN } from "../../forms/timestamp-pattern.ts";
import type { Sql, SqlForm } from "../../statement/sql-form.ts";
import {
  PG_ANY_TYPE,
  pgAnyText,
  pgBoundedInteger,
  PG_REAL_DECIMAL,
  PG_TEXT_DECIMAL,
  pgScaledDecimal,
  selectTextDecimal,
  PG_FORMS,
  PG_SPREAD_STRING,
  pgDoubleText,
  pgHexadecimal,
  pgText,
} from "./forms.ts";
import { PG_INTERVAL, readInterval, selectInterval } from "./interval-form.ts";
import { PG_NAME_JSON, withJson } from "./json.ts";
import { PG_STORED_INSTANTS, PG_DATE, PG_TIME, PG_TIMESTAMPS, PG_UTC_TIMESTAMPS, PG_TEXTS } from "./temporal-forms.ts";
import { dayText, eraOf, finiteText, pgDateText, pgFinite, pgFiniteNumber } from "./temporal-texts.ts";

const PG_COLUMNS = textColumns({
  forms: PG_FORMS,
  asText: pgText,
  selectNumber: pgText,
  doubleText: pgDoubleText,
  // No comparison is true for NaN, so it has no cell there.
  doubleCell: (value) => (Number.isNaN(Number(value)) ? "NaN" : onlyCell(PG_FORMS.double, value)),
  hexadecimal: pgHexadecimal,
  stringText: pgText,
  defaults: {
    "Edm.Boolean": () => ({
      form: PG_FORMS.boolean,
      read: (cell) => (cell === "true" || cell === "false" ? cell === "true" : null),
      toJson: (cell) => (cell === "true" || cell === "false" ? cell : null),
    }),
    "Edm.Decimal": () => ({ form: PG_FORMS.decimal, read: readDecimal, readable: pgFiniteNumber }),
    "Edm.Date": () => ({
      form: PG_DATE,
      readable: pgFinite,
      read: readYear,
      toSelected: pgDateText,
      toReturned: (column) => orInfinity(column, sql`${dayText(column)} || ${eraOf(column, "date")}`),
      toCell: (value) => onlyCell(PG_DATE, value),
    }),
    "Edm.TimeOfDay": () => ({
      form: PG_TIME,
      readable: (column) => sql`(case when ${column} < '24:00' then ${column} end)`,
      toSelected: (column) => sql`regexp_replace(to_char(${column}, 'HH24:MI:SS.US'), '\\.?0+$', '')`,
      toReturned: (column) => sql`${column}::time::text`,
    }),
    "Edm.DateTimeOffset": timestamp,
  },
  duration: PG_TEXTS.duration,
  textDecimal: PG_TEXT_DECIMAL,
  realDecimal: PG_REAL_DECIMAL,
  scaledDecimal: pgScaledDecimal,
  textTimestamp: PG_TEXTS.timestamp,
  isTimestamp: (column) => sql`${column} ~ ${sql.lit(TIMESTAMP_PATTERN)}`,
  stored: {
    ...storedFormats(PG_STORED_INSTANTS),
    "Edm.DateTimeOffset utc": utcTimestamp,
    "Edm.Decimal text": () => ({
      form: PG_TEXT_DECIMAL,
      read: readDecimal,
      toSelected: selectTextDecimal,
      toReturned: null,
      compared: (column) => sql`${column}::numeric`,
    }),
    "Edm.Duration text": () => ({
      form: PG_INTERVAL,
      read: readInterval,
      toSelected: selectInterval,
      toReturned: null,
      compared: (column) => column,
    }),
    "Edm.String text": () => ({
      form: PG_ANY_TYPE,
      read: readString,
      toSelected: pgAnyText,
      toReturned: null,
      toJson: stringText,
    }),
  },
});

/** How PostgreSQL stores a primitive or enumeration property in a column. */
export const pgColumnFormat: ColumnFormats["columnFormat"] = columnFormatOf({
  ...PG_COLUMNS,
  defaults: withJson(PG_COLUMNS.defaults),
  nameJson: PG_NAME_JSON,
});

const BOUNDED_16 = pgBoundedInteger(16);
const BOUNDED_32 = pgBoundedInteger(32);

/** The same in a distributed database. */
export const pgSpreadColumnFormat: ColumnFormats["columnFormat"] = columnFormatOf({
  ...PG_COLUMNS,
  defaults: withJson({
    ...PG_COLUMNS.defaults,
    "Edm.String": (property) => ({ ...PG_COLUMNS.defaults["Edm.String"](property), form: PG_SPREAD_STRING }),
    "Edm.Byte": (property) => ({ ...PG_COLUMNS.defaults["Edm.Byte"](property), form: BOUNDED_16 }),
    "Edm.SByte": (property) => ({ ...PG_COLUMNS.defaults["Edm.SByte"](property), form: BOUNDED_16 }),
    "Edm.Int16": (property) => ({ ...PG_COLUMNS.defaults["Edm.Int16"](property), form: BOUNDED_16 }),
    "Edm.Int32": (property) => ({ ...PG_COLUMNS.defaults["Edm.Int32"](property), form: BOUNDED_32 }),
  }),
  nameJson: PG_NAME_JSON,
});

function timestamp(property: StructuralProperty): ColumnParts {
  const inUtc = (column: Sql): Sql => sql`${column} at time zone 'UTC'`;
  return timestampParts(property, { forms: PG_TIMESTAMPS, inUtc, type: "timestamptz" });
}

function utcTimestamp(property: StructuralProperty): ColumnParts {
  return timestampParts(property, { forms: PG_UTC_TIMESTAMPS, inUtc: (column) => column, type: "timestamp" });
}

interface TimestampType {
  /** By the fraction digits of values. */
  readonly forms: readonly SqlForm[];
  /** The timestamp in UTC, without time zone. */
  readonly inUtc: (column: Sql) => Sql;
  readonly type: "timestamp" | "timestamptz";
}

function timestampParts(property: StructuralProperty, { forms, inUtc, type }: TimestampType): ColumnParts {
  const digits = fractionDigits(property, SERVER_DIGITS);
  const form = timestampOf(digits, forms);
  const cellOf = timestampCell(property, timestampOf(SERVER_DIGITS, forms));
  const pattern = `YYYY-MM-DD"T"HH24:MI:SS${digits === 0 ? "" : `.FF${String(digits)}`}`;
  return {
    form,
    read: readYear,
    readable: pgFinite,
    toSelected: (column) =>
      finiteText(column, sql`to_char(${inUtc(column)}, ${sql.lit(pattern)}) || 'Z' || ${eraOf(column, type)}`),
    toReturned: (column) => {
      const local = sql`(${inUtc(column)})`;
      const text = sql`${dayText(local)} || 'T' || ${clockText(local, digits)} || 'Z' || ${eraOf(column, type)}`;
      return orInfinity(column, text);
    },
    toJson: utcText,
    toCell: cellOf,
    mayRound: true,
  };
}

/** Adds infinity to the text of a returned cell: the text of an infinite cell depends on no setting, but its cast to text counts as if it did. */
function orInfinity(column: Sql, text: Sql): Sql {
  const infinity = sql`case when ${column} = 'infinity' then 'infinity' when ${column} = '-infinity' then '-infinity' end`;
  return sql`coalesce(${text}, ${infinity})`;
}

/** Writes the time of a timestamp with so many fraction digits. */
function clockText(timestamp: Sql, digits: number): Sql {
  const clock = sql`${timestamp}::time::text`;
  if (digits === 0) return sql`left(${clock}, 8)`;
  return sql`left(${clock}, 8) || '.' || rpad(substr(${clock}, 10), ${sql.lit(digits)}, '0')`;
}
